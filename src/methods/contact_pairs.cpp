#include "pliant/methods/contact_pairs.h"

#include <algorithm>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real slowest_slip = 1e-3;  // m/s, below which friction acts like a stiff dashpot

}  // namespace

void ContactPairs::begin(const ParticleState& state, Real dt, std::span<const Vec3> expected,
                         FunctionRef<bool(std::size_t, std::size_t)> may_touch) {
    dt_ = dt;
    near_.update(state);
    std::vector<std::vector<Pair>> found(block_count(near_.candidates(), default_block));
    parallel_blocks(near_.candidates(), default_block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t candidate = begin; candidate < end; ++candidate) {
            near_.each_near(state, candidate, [&](std::size_t i, std::size_t j) {
                if (j < i) return;
                const Vec3 q = state.position[j] - state.position[i];
                const Real r = q.norm(), d = touching_distance(model_, state, i, j);
                if (r == 0 || r > NearbyPairs::covered * d) return;
                const Vec3 n = q / r, v = expected[j] - expected[i];
                const Real soon = r - d + std::min(Real(0), dt * v.dot(n));
                if (soon > 0.1 * d || (state.body[i] == state.body[j] && !may_touch(i, j))) return;
                const Real k = stiffness_ * touching_stiffness(model_, state, i, j);
                const Real push = k * std::max(Real(0), d - r);
                const Vec3 slip = v - v.dot(n) * n;
                const Real c = std::min(model_.body_friction * push / std::max(slip.norm(), slowest_slip), dt * k);
                found[begin / default_block].push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), n,
                                                        r - d, k, c, r - d + dt * v.dot(n) < 0});
            });
        }
    });
    pairs_.clear();
    for (const auto& part : found) pairs_.insert(pairs_.end(), part.begin(), part.end());
    std::sort(pairs_.begin(), pairs_.end(),
              [](const Pair& a, const Pair& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); });
    build();
}

void ContactPairs::build() {
    active_.clear();
    active_pair_.clear();
    sides_.clear();
    for (const Pair& p : pairs_) {
        if (!p.pushes) continue;
        const Mat3 along = p.n * p.n.transpose();
        const auto index = static_cast<std::uint32_t>(active_.size());
        active_.push_back({p.i, p.j, dt_ * dt_ * p.k * along + dt_ * p.c * (Mat3::Identity() - along)});
        active_pair_.push_back(&p);
        sides_.push_back({p.i, index, -1});
        sides_.push_back({p.j, index, 1});
    }
    std::stable_sort(sides_.begin(), sides_.end(),
                     [](const Side& a, const Side& b) { return a.particle < b.particle; });
    side_begin_.clear();
    for (std::uint32_t s = 0; s < sides_.size(); ++s) {
        if (s == 0 || sides_[s].particle != sides_[s - 1].particle) side_begin_.push_back(s);
    }
    side_begin_.push_back(static_cast<std::uint32_t>(sides_.size()));
}

void ContactPairs::add_impulses(const ParticleState& state, std::span<Vec3> right) const {
    for (std::size_t k = 0; k < active_.size(); ++k) {
        const Pair& p = *active_pair_[k];
        const Vec3 v = state.velocity[p.j] - state.velocity[p.i];
        const Real along = v.dot(p.n);
        const Vec3 impulse = -dt_ * p.k * (p.gap + dt_ * along) * p.n - dt_ * p.c * (v - along * p.n);
        right[p.j] += impulse;
        right[p.i] -= impulse;
    }
}

void ContactPairs::add_product(std::span<const Vec3> x, std::span<Vec3> result) const {
    if (active_.empty()) return;
    parallel_for(side_begin_.size() - 1, [&](std::size_t s) {
        for (std::uint32_t k = side_begin_[s]; k < side_begin_[s + 1]; ++k) {
            const PointPair& p = active_[sides_[k].pair];
            result[sides_[k].particle] += sides_[k].sign * (p.coupling * (x[p.j] - x[p.i]));
        }
    });
}

bool ContactPairs::review(std::span<const Vec3> velocity) {
    bool changed = false;
    for (Pair& p : pairs_) {
        const bool pushes = p.gap + dt_ * (velocity[p.j] - velocity[p.i]).dot(p.n) < 0;
        changed |= pushes != p.pushes;
        p.pushes = pushes;
    }
    if (changed) build();
    return changed;
}

}  // namespace pliant
