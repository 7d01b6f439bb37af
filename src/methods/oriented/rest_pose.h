// The rest state of all particles of the method: where they lie and how they are turned when nothing pulls, each body
// in the space of its rig. There is one for all groups, so that no two of them ever want different things.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/methods/model.h"
#include "pliant/methods/oriented/rig.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

struct Link {
    std::uint32_t a = 0, b = 0;
    float torsion = 0, stretch = 0;
};

// Particles that are matched as one: see RigGroup.
struct RigidGroup {
    std::vector<std::uint32_t> particles;
    float stiffness = 1;
    Real dent_speed = 0;  // m/s, 0: never
};

struct RestPose {
    std::vector<Vec3> position;     // x [m]
    std::vector<Quat> orientation;  // q
    std::vector<Vec3> radii;        // m
    std::vector<Real> mass;         // kg
    std::vector<Real> stiffness;    // 0 to 1
    std::vector<Link> links;
    std::vector<RigidGroup> groups;
    std::vector<std::uint8_t> is_joint;  // in two groups or more: has no orientation
    std::vector<std::uint32_t> row;  // neighbours by link of particle i: neighbour[row[i]] up to neighbour[row[i+1]]
    std::vector<std::uint32_t> neighbour;
    std::vector<BodyRange> bodies;

    std::size_t size() const { return position.size(); }
    std::span<const std::uint32_t> neighbours(std::size_t i) const {
        return {neighbour.data() + row[i], neighbour.data() + row[i + 1]};
    }
    // What a particle counts for in a match [kg]: a held one much more, so that the others come to it.
    Real weight(std::size_t i, bool is_held) const { return mass[i] * (is_held ? 100 : 1); }
    // R diag(radii^2) R^T [m^2]: a fifth of it times m is the particle's moment about its centre.
    Mat3 shape(std::size_t i) const {
        const Mat3 R = orientation[i].toRotationMatrix();
        return R * radii[i].cwiseProduct(radii[i]).asDiagonal() * R.transpose();
    }

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
};

RestPose make_rest_pose(const ParticleState& state, const Model& model);

}  // namespace pliant
