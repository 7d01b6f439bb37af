// Contact between particles inside an implicit step: a stiff push along the line between two that would end up closer
// than they touch, and friction across it. Both are linear in the unknown velocity change dv:
//     impulse on j = dt k (d - n.(q_ij + dt v_ij)) n - dt c P v_ij - B (dv_j - dv_i),   and the opposite on i
//     B = dt^2 k n n^T + dt c P,   P = 1 - n n^T
// with c = friction N / |slip| of the push N and the slip at the beginning of the step. Momentum is kept.
// Which pairs push is found in passes: one that would pull is dropped, one that comes too close is added.
#pragma once

#include <span>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/linear/point_system.h"
#include "pliant/methods/nearby_pairs.h"

namespace pliant {

class ContactPairs {
public:
    ContactPairs(const Model& model, Real stiffness) : model_(model), stiffness_(stiffness), near_(model) {}

    // For contact of a body with itself: which particles are at the surface.
    void set_surface(std::vector<std::uint8_t> is_surface) { near_.set_surface(std::move(is_surface)); }

    // `may_touch(i, j)`: whether two particles of one body are no neighbours at rest and face each other.
    void begin(const ParticleState& state, Real dt, std::span<const Vec3> expected,
               FunctionRef<bool(std::size_t, std::size_t)> may_touch);

    void add_impulses(const ParticleState& state, std::span<Vec3> right) const;
    void add_product(std::span<const Vec3> x, std::span<Vec3> result) const;  // result += B x
    std::span<const PointPair> active() const { return active_; }

    // True if the pairs in touch have changed and the step must be solved again.
    bool review(std::span<const Vec3> velocity);

    std::size_t bytes() const { return near_.bytes() + pairs_.capacity() * sizeof(Pair); }

private:
    struct Pair {
        std::uint32_t i, j;
        Vec3 n;
        Real gap;   // n.q_ij - d at the beginning [m]
        Real k, c;  // N/m, N s/m
        bool pushes;
    };
    struct Side {
        std::uint32_t particle, pair;
        Real sign;  // of its side: -1 of i, +1 of j
    };
    void build();

    const Model& model_;
    Real stiffness_;
    NearbyPairs near_;
    Real dt_ = 0;
    std::vector<Pair> pairs_;        // by i, then j
    std::vector<PointPair> active_;  // those that push
    std::vector<const Pair*> active_pair_;
    std::vector<Side> sides_;  // of active ones, by particle
    std::vector<std::uint32_t> side_begin_;
};

}  // namespace pliant
