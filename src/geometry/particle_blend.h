// Particles sorted in the leaves of a sparse grid, and the weighted averages over those near a point that surfacing is
// made of. A leaf is a cube of 8 x 8 x 8 voxels.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

class ParticleBlend {
public:
    static constexpr int leaf_side = 8;

    struct Particle {
        Eigen::Vector3f position;  // from origin(), in voxels
        float radius;              // in voxels
        std::uint32_t index;       // in the caller's arrays
    };

    ParticleBlend(std::span<const Eigen::Vector3f> positions, std::span<const float> radii, Real voxel, Real reach);

    bool is_empty() const { return particles_.empty(); }
    Real voxel() const { return voxel_; }
    const Vec3& origin() const { return origin_; }
    Real reach() const { return reach_; }  // in radii
    float weight_radius(const Particle& particle) const { return float(reach_) * particle.radius; }

    // The leaves within reach of a particle, in a fixed order.
    std::vector<Eigen::Vector3i> leaves() const;

    // Calls body(particle) for all whose reach may touch the leaf, in a fixed order.
    template <class Body>
    void for_each_near(const Eigen::Vector3i& leaf, Body&& body) const {
        for (int x = -leaf_reach_; x <= leaf_reach_; ++x) {
            for (int y = -leaf_reach_; y <= leaf_reach_; ++y) {
                for (int z = -leaf_reach_; z <= leaf_reach_; ++z) {
                    for (const Particle& particle : in_leaf(leaf + Eigen::Vector3i(x, y, z))) body(particle);
                }
            }
        }
    }

    static Eigen::Vector3i leaf_of(const Eigen::Vector3f& voxel_position) {
        return (voxel_position / leaf_side).array().floor().cast<int>();
    }

private:
    std::span<const Particle> in_leaf(const Eigen::Vector3i& leaf) const;

    Vec3 origin_ = Vec3::Zero();
    Real voxel_ = 1;
    Real reach_;
    int leaf_reach_ = 1;                // leaves to each side that may hold a particle within reach
    std::vector<Particle> particles_;   // sorted by leaf, then by index
    std::vector<std::uint64_t> keys_;   // of the leaves that hold particles, ascending
    std::vector<std::uint32_t> first_;  // the first particle of each, and the end
};

// (1 - s)^3 for s = squared distance / squared reach, zero from 1 on.
inline float blend_weight(float s) {
    const float gap = s < 1 ? 1 - s : 0;
    return gap * gap * gap;
}

}  // namespace pliant
