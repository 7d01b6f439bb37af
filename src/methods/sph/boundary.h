// The surfaces of obstacles as samples that take part in sums over neighbours.                            [Akinci12]
// Samples lie half a spacing inside the surface, where the next layer of particles would be: particles then rest half a
// spacing outside. A sample stands for the volume
//     V_b = s / sum_b' W_bb',   s such that a flat lattice of samples stands for a layer of particles,
// wherever samples lie closer or looser. Planes have no end: of their lattice only what is near particles is there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/methods/model.h"
#include "pliant/methods/obstacles.h"
#include "pliant/particles/state.h"

namespace pliant {

class Boundary {
public:
    Boundary(const Model& model, Real spacing, Real support);

    // Takes the samples that are within `reach` of a particle at this time.
    void choose(const ParticleState& state, Real time, Real reach);

    // Where those are at `time`, and what carries them to where they are a step later.
    void move(Real time, Real dt);

    std::size_t size() const { return position_.size(); }
    std::span<const Vec3> position() const { return position_; }
    std::span<const Vec3> velocity() const { return velocity_; }
    Real volume(std::size_t k) const { return volume_[k]; }
    const ContactRule& rule(std::size_t k) const { return model_.colliders[collider_[k]].rule(); }

    std::size_t bytes() const;

private:
    struct Surface {
        bool is_plane = false;
        std::vector<Vec3> point;     // in the collider's own space
        std::vector<Real> volume;    // m^3
        Vec3 origin, along, across;  // of a plane: a lattice point and the steps of the lattice
    };
    void add_points(std::size_t collider, const Box& near);
    void add_lattice(std::size_t collider, const ParticleState& state, const Placement& place, Real reach);
    Real plane_volume() const;

    const Model& model_;
    Real spacing_, support_;         // m
    std::vector<Surface> surfaces_;  // one a collider
    std::vector<Vec3> local_, position_, velocity_;
    std::vector<Real> volume_;
    std::vector<std::uint32_t> collider_;
};

}  // namespace pliant
