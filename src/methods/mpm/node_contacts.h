// Obstacles and pins as the nodes of the grid meet them.
// A node inside an obstacle may not move further in: velocities there are held along the normal, or altogether. What
// holds a node of an implicit step is found by looking at solved steps: a contact that pulls is released, one whose
// tangential impulse leaves Coulomb's cone slides, with friction as a drag J_t = -c s on the slip s, which only ever
// takes energy; see ContactConstraints, which does the same for particles.
//
// Rigid bodies that move by themselves are part of the step: behind the nodes, vectors hold for each the velocity v of
// its centre of mass and its angular velocity w. The held parts of a node inside a rigid body follow it, H (v + w x a),
// a from the centre of mass to the node. They are no unknowns of their own: what acts on them acts on the rigid body.
#pragma once

#include <span>
#include <vector>

#include "pliant/contact/rigid_bodies.h"
#include "pliant/linear/point_system.h"
#include "pliant/methods/model.h"
#include "pliant/methods/mpm/sparse_grid.h"
#include "pliant/methods/obstacles.h"

namespace pliant {

class NodeContacts {
public:
    NodeContacts(const Model& model, const RigidBodies& rigids) : model_(model), rigids_(rigids) {}

    // Puts the rigid bodies' velocities behind those of the nodes, with a step's gravity and the support of what they
    // stood on in the last one.
    void append_rigids(std::vector<Vec3>& velocity, Real dt) const;
    // What they have gained in the step since, as forces on them.
    void push_rigids(std::span<const Vec3> before, std::span<const Vec3> after, Real dt, RigidBodies& rigids) const;

    // The nodes that are inside obstacles during this step, and those that `driven` names: sum of mass times velocity
    // of pinned particles and their mass in the fourth, over nodes; empty without pins. `positions` of nodes, where
    // they are not those of the grid.
    void find(const SparseGrid& grid, std::span<const Real> mass, std::span<const NodeVector> driven, Real time,
              Real dt, std::span<const Vec3> positions = {});

    // An explicit step: changes velocities to what obstacles allow; returns how many nodes touch one.
    std::size_t apply(std::span<const Real> mass, std::span<Vec3> velocity) const;

    // An implicit step. `velocity`: as expected at its end if nothing were in the way.
    void begin(std::span<const Vec3> velocity);
    void prescribe(std::span<Vec3> velocity) const;                                // sets the held parts
    void project(std::span<Vec3> change) const;                                    // leaves the free parts
    void add_drag(std::span<const Vec3> velocity, std::span<Vec3> impulse) const;  // -c s
    Real drag_energy(std::span<const Vec3> velocity) const;                        // c |s|^2 / 2
    void add_product(std::span<const Vec3> change, std::span<Vec3> result) const;  // c change
    void add_diagonal(std::span<Vec3> diagonal) const;
    void touched_nodes(std::vector<std::uint32_t>& list) const;  // by obstacles, rigid bodies and pins
    void held_points(std::vector<HeldPoint>& list) const;        // what is held and braked, as preconditioners see it

    // For a solver that knows of rigid bodies. Their kinetic energy beside `expected`, its gradient and its Hessian.
    Real add_inertia(std::span<const Vec3> expected, std::span<const Vec3> velocity, std::span<Vec3> gradient) const;
    void multiply_inertia(std::span<const Vec3> x, std::span<Vec3> result) const;  // sets the rigid bodies' part
    Real squared_norm(std::span<const Vec3> x) const;                              // x.M^-1 x of their part
    bool holds_to_rigids() const { return holds_to_rigids_; }
    void follow(std::span<Vec3> change) const;  // sets the held parts to what the rigid bodies' change makes of them
    void reduce(std::span<Vec3> force) const;   // gives the held parts' share to the rigid bodies, and leaves the free
    void set_diagonal(std::span<const Vec3> diagonal);                                // of the nodes
    void precondition(std::span<const Vec3> residual, std::span<Vec3> result) const;  // of the rigid bodies' part
    // `velocity` of a solved step and the `impulse` that holding took, at nodes. True if the step is to be solved
    // again.
    bool review(std::span<const Real> mass, std::span<const Vec3> velocity, std::span<const Vec3> impulse,
                bool may_release = true);

    // After the last review: whether what was released moves in, and keeps it from that, however the solve ended.
    bool moves_in(std::span<const Vec3> velocity) const;
    void finish(std::span<const Real> mass, std::span<Vec3> velocity) const;

    bool holds_to_scene() const { return holds_to_scene_; }  // to obstacles or pins, which take any momentum
    // Entries of vectors that are velocities of rigid bodies, and their masses.
    std::vector<std::pair<std::size_t, Real>> rigid_masses() const;
    std::size_t count() const { return contacts_.size(); }

private:
    struct Contact {
        std::uint32_t node = 0, first = 0;  // index of the node's first contact
        ContactRule rule;
        Vec3 normal = Vec3::UnitY(), carried = Vec3::Zero();
        std::uint32_t rigid = no_rigid;
        Vec3 arm = Vec3::Zero();  // from its centre of mass
        bool is_held = true;      // along the normal
        bool is_stuck = true;     // along the surface, too
        Real drag = 0;            // c [kg]
        Real slip = 0;            // of the last solve
        // The drag of the solve before and the slip that it left, if it slid then, too; and what the next is to have.
        Real drag_before = 0, slip_before = 0, next_drag = -1;
        bool may_stick = true;  // again, in this step
    };
    struct Driven {
        std::uint32_t node;
        Vec3 velocity;
    };
    struct Held {  // all contacts of a node together
        std::uint32_t node;
        Mat3 free;   // projector onto what may move
        Vec3 fixed;  // velocity in the rest
        std::uint32_t rigid = no_rigid;
        Vec3 arm = Vec3::Zero();
        Mat3 follows = Mat3::Zero();  // H: what of the rigid body's velocity the node has
    };
    static constexpr std::uint32_t no_rigid = ~std::uint32_t(0);

    static Real settled_drag(const Contact& contact, Real limit, Real slip);
    static void take_drag(Contact& contact);
    void gather_held();
    void collide_rigids(std::span<const Real> mass, std::span<Vec3> velocity) const;
    std::size_t entry(std::uint32_t rigid) const { return first_rigid_ + 2 * std::size_t(rigid); }
    Vec3 carried(std::uint32_t rigid, const Vec3& arm, std::span<const Vec3> velocity) const {
        return velocity[entry(rigid)] + velocity[entry(rigid) + 1].cross(arm);
    }
    Vec3 carried(const Contact& c, std::span<const Vec3> velocity) const {
        return c.rigid == no_rigid ? c.carried : carried(c.rigid, c.arm, velocity);
    }
    void push(const Contact& c, const Vec3& impulse, std::span<Vec3> impulses) const;  // at a rigid body

    const Model& model_;
    const RigidBodies& rigids_;
    std::size_t first_rigid_ = 0;  // entry of vectors
    bool holds_to_rigids_ = false, holds_to_scene_ = false;
    std::vector<Eigen::Matrix<Real, 6, 6>> inverse_;  // of the rigid bodies' blocks on the diagonal
    std::vector<Contact> contacts_;                   // by node
    std::vector<Driven> driven_;
    std::vector<Held> held_;
};

}  // namespace pliant
