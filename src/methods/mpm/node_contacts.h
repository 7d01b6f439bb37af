// Obstacles and pins as the nodes of the grid meet them.
// A node inside an obstacle may not move further in: velocities there are held along the normal, or altogether. What
// holds a node of an implicit step is found by looking at solved steps: a contact that pulls is released, one whose
// tangential impulse leaves Coulomb's cone slides, with friction as a drag J_t = -c s on the slip s, which only ever
// takes energy; see ContactConstraints, which does the same for particles.
#pragma once

#include <span>
#include <vector>

#include "pliant/methods/model.h"
#include "pliant/methods/mpm/sparse_grid.h"
#include "pliant/methods/obstacles.h"

namespace pliant {

class NodeContacts {
public:
    explicit NodeContacts(const Model& model) : model_(model) {}

    // The nodes that are inside obstacles during this step, and those that `driven` names: sum of mass times velocity
    // of pinned particles and their mass in the fourth, over nodes; empty without pins.
    void find(const SparseGrid& grid, std::span<const Real> mass, std::span<const NodeVector> driven, Real time,
              Real dt);

    // An explicit step: changes velocities to what obstacles allow; returns how many nodes touch one.
    std::size_t apply(std::span<Vec3> velocity) const;

    // An implicit step. `velocity`: as expected at its end if nothing were in the way.
    void begin(std::span<const Vec3> velocity);
    void prescribe(std::span<Vec3> velocity) const;                                // sets the held parts
    void project(std::span<Vec3> change) const;                                    // leaves the free parts
    void add_drag(std::span<const Vec3> velocity, std::span<Vec3> impulse) const;  // -c s
    Real drag_energy(std::span<const Vec3> velocity) const;                        // c |s|^2 / 2
    void add_product(std::span<const Vec3> change, std::span<Vec3> result) const;  // c change
    void add_diagonal(std::span<Vec3> diagonal) const;
    // `velocity` of a solved step and the `impulse` that holding took, at nodes. True if the step is to be solved
    // again.
    bool review(std::span<const Real> mass, std::span<const Vec3> velocity, std::span<const Vec3> impulse);

    // After the last review: nothing that was released moves in, however the solve ended.
    void finish(std::span<Vec3> velocity) const;

    bool holds_any() const { return !held_.empty(); }
    std::size_t count() const { return contacts_.size(); }

private:
    struct Contact {
        std::uint32_t node = 0, first = 0;  // index of the node's first contact
        ContactRule rule;
        Vec3 normal = Vec3::UnitY(), carried = Vec3::Zero();
        bool is_held = true;   // along the normal
        bool is_stuck = true;  // along the surface, too
        Real drag = 0;         // c [kg]
    };
    struct Driven {
        std::uint32_t node;
        Vec3 velocity;
    };
    struct Held {  // all contacts of a node together
        std::uint32_t node;
        Mat3 free;   // projector onto what may move
        Vec3 fixed;  // velocity in the rest
    };
    void gather_held();

    const Model& model_;
    std::vector<Contact> contacts_;  // by node
    std::vector<Driven> driven_;
    std::vector<Held> held_;
};

}  // namespace pliant
