// The surfaces of obstacles and rigid bodies as samples that take part in sums over neighbours.            [Akinci12]
// Samples lie half a spacing inside the surface, where the next layer of particles would be: particles then rest half a
// spacing outside. A sample stands for the volume
//     V_b = s / sum_b' W_bb',   s such that a flat lattice of samples stands for a layer of particles,
// wherever samples lie closer or looser. Planes have no end: of their lattice only what is near particles is there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/contact/rigid_bodies.h"
#include "pliant/methods/model.h"
#include "pliant/methods/obstacles.h"
#include "pliant/particles/state.h"

namespace pliant {

class Boundary {
public:
    Boundary(const Model& model, const RigidBodies& rigids, Real spacing, Real support);

    // Takes the samples that are within `reach` of a particle at this time.
    void choose(const ParticleState& state, Real time, Real reach);

    // How far the surfaces have carried what was not taken, if it is within `box` now.
    Box moved(const Box& box, Real time) const;

    // Where those are at `time`, and what carries them to where they are a step later. Rigid bodies move as they do at
    // the moment, with what gravity adds in a step.
    void move(Real time, Real dt);

    std::size_t size() const { return position_.size(); }
    std::span<const Vec3> position() const { return position_; }
    std::span<const Vec3> velocity() const { return velocity_; }
    Real volume(std::size_t k) const { return volume_[k]; }
    ContactRule rule(std::size_t k) const;
    // The rigid body whose sample it is, or no_rigid.
    static constexpr std::uint32_t no_rigid = ~std::uint32_t(0);
    std::uint32_t rigid(std::size_t k) const {
        const std::size_t s = surface_[k], obstacles = model_.colliders.size();
        return s < obstacles ? no_rigid : static_cast<std::uint32_t>(s - obstacles);
    }
    const RigidBodies& rigids() const { return rigids_; }

    std::size_t bytes() const;

private:
    struct Surface {
        bool is_plane = false;
        std::vector<Vec3> point;     // in the shape's own space
        std::vector<Real> volume;    // m^3
        Vec3 origin, along, across;  // of a plane: a lattice point and the steps of the lattice
    };
    void add_surface(const Shape& shape);
    void add_points(std::size_t surface, const Box& near);
    void add_lattice(std::size_t surface, const ParticleState& state, const Placement& place, Real reach);
    void leave_out_hidden();
    Placement placement(std::size_t surface, Real time) const;
    Real plane_volume() const;

    const Model& model_;
    const RigidBodies& rigids_;
    Real spacing_, support_;         // m
    std::vector<Surface> surfaces_;  // one a collider, then one a rigid body
    std::vector<Placement> chosen_at_;
    std::vector<Vec3> local_, position_, velocity_;
    std::vector<Real> volume_;
    std::vector<std::uint32_t> surface_;
};

}  // namespace pliant
