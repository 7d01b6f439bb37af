#include "pliant/methods/mpm/body_pairs.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr std::uint32_t nobody = SparseGrid::nobody;
constexpr Real near_enough = 0.3;  // touching distances that a pair may be off at the end of the step
constexpr Real deepest = 2;        // touching distances that particles may overlap and still push
constexpr Real farthest = 6;       // spacings up to which pairs are sought
constexpr Real least_slip = 1e-3;  // m/s, below which friction is as strong as there
constexpr Real hardest_drag = 30;  // over dt k
constexpr Real shared_by = 4;      // explicit: pairs that share the tangential stop of a particle, on average
constexpr Real unsettled = 0.05;   // of what friction may take altogether: by so much it may be off

Vec3 across(const Vec3& v, const Vec3& n) {
    return v - v.dot(n) * n;
}

}  // namespace

void BodyPairs::lay(const SparseGrid& grid, const ParticleState& state, std::span<const Vec3> rest) {
    nodes_.lay(grid);
    at_rest_ = surface_normals(model_, state, rest);
}

// As far as stretched particles reach and particles move towards each other in a step.
Real BodyPairs::reach(const ParticleState& state, Real dt) const {
    const Real strain = parallel_max(state.size(), 0, [&](std::size_t p) {
        const Mat3& F = state.deformation[p];
        return (F.transpose() * F - Mat3::Identity()).norm();
    });
    const Box speeds = parallel_reduce(
        state.size(), Box(), [&](std::size_t p) { return Box(state.velocity[p], state.velocity[p]); },
        [](const Box& a, const Box& b) { return a.merged(b); });
    const Real widest = widest_spacing(model_), stretch = std::sqrt(1 + strain);
    const Real along = (1 + near_enough) * stretch + dt * speeds.diagonal().norm() / widest;
    const Real asked = std::hypot(along, widest_touch * stretch);
    return widest * std::min(farthest, std::ceil(4 * asked) / 4);  // in steps, so that a search serves for a while
}

void BodyPairs::find(const SparseGrid& grid, const ParticleState& state, Real dt) {
    pairs_.clear();
    if (model_.bodies.size() < 2) return;
    find_surface(state, dt);
    find_pairs(state, dt);
    find_rows(grid);
}

// The candidates at surfaces as they are now.
void BodyPairs::find_surface(const ParticleState& state, Real dt) {
    reach_ = reach(state, dt);
    near_.update(state, reach_);
    surface_.clear();
    surface_of_.assign(near_.candidates() > 0 ? state.size() : 0, nobody);
    for (std::size_t c = 0; c < near_.candidates(); ++c) {
        const std::size_t p = near_.candidate(c);
        if (!at_rest_[p].is_surface()) continue;
        surface_of_[p] = std::uint32_t(surface_.size());
        surface_.emplace_back(at_rest_[p], state.deformation[p], model_.bodies[state.body[p]].spacing);
    }
}

// k = M / d of the softer P-wave modulus, per area of the surface; a particle stands for s^2 of it.
void BodyPairs::find_pairs(const ParticleState& state, Real dt) {
    std::vector<std::vector<Pair>> found(block_count(near_.candidates(), default_block));
    parallel_blocks(near_.candidates(), default_block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t candidate = begin; candidate < end; ++candidate) {
            if (surface_of_[near_.candidate(candidate)] == nobody) continue;
            near_.each_near(state, candidate, [&](std::size_t i, std::size_t j) {
                if (j < i || surface_of_[j] == nobody) return;
                const Vec3 q = state.position[j] - state.position[i];
                if (q.squaredNorm() > square(reach_)) return;
                const TouchPoint &a = surface_[surface_of_[i]], &b = surface_[surface_of_[j]];
                const auto [n, gap, share] = touch(q, a, b);
                const Real d = touching_distance(model_, state, i, j);
                const Real closing = dt * (state.velocity[j] - state.velocity[i]).dot(n);
                if (share == 0 || gap < -deepest * d || gap + std::min(Real(0), closing) > near_enough * d) return;
                const Real k = share * square(a.spacing * b.spacing / d) * touching_stiffness(model_, state, i, j);
                found[begin / default_block].push_back({std::uint32_t(i), std::uint32_t(j), n, gap, k, 0});
            });
        }
    });
    for (const auto& part : found) pairs_.insert(pairs_.end(), part.begin(), part.end());
    std::sort(pairs_.begin(), pairs_.end(),
              [](const Pair& a, const Pair& b) { return std::pair(a.i, a.j) < std::pair(b.i, b.j); });
}

void BodyPairs::find_rows(const SparseGrid& grid) {
    touching_.clear();
    for (const Pair& pair : pairs_) touching_.insert(touching_.end(), {pair.i, pair.j});
    std::sort(touching_.begin(), touching_.end());
    touching_.erase(std::unique(touching_.begin(), touching_.end()), touching_.end());
    nodes_.choose(grid, touching_);
    const auto row_of = [&](std::uint32_t particle) {
        return std::uint32_t(std::lower_bound(touching_.begin(), touching_.end(), particle) - touching_.begin());
    };
    sides_.clear();
    for (std::uint32_t k = 0; k < pairs_.size(); ++k) {
        Pair& pair = pairs_[k];
        pair.i = row_of(pair.i);
        pair.j = row_of(pair.j);
        sides_.push_back({pair.i, k, -1});
        sides_.push_back({pair.j, k, 1});
    }
    std::stable_sort(sides_.begin(), sides_.end(), [](const Side& a, const Side& b) { return a.row < b.row; });
    side_begin_.assign(touching_.size() + 1, 0);
    for (const Side& side : sides_) ++side_begin_[side.row + 1];
    for (std::size_t r = 0; r < touching_.size(); ++r) side_begin_[r + 1] += side_begin_[r];
    for (auto* rows : {&velocity_, &before_, &force_}) rows->assign(touching_.size(), Vec3::Zero());
    of_pair_.resize(pairs_.size());
}

// Of each particle: what its pairs give it.
template <class OfPair>
void BodyPairs::sum_sides(OfPair&& of_pair, std::span<Vec3> sums) const {
    parallel_for(touching_.size(), [&](std::size_t r) {
        sums[r].setZero();
        for (std::uint32_t s = side_begin_[r]; s < side_begin_[r + 1]; ++s) sums[r] += of_pair(sides_[s]);
    });
}

void BodyPairs::apply(const ParticleState& state, std::span<const Real> mass, Real dt, std::span<Vec3> velocity) {
    if (empty()) return;
    parallel_for(pairs_.size(), [&](std::size_t k) {
        const Pair& pair = pairs_[k];
        const std::uint32_t i = touching_[pair.i], j = touching_[pair.j];
        const Real push = pair.k * std::max(Real(0), -pair.gap);
        const Vec3 slip = across(state.velocity[j] - state.velocity[i], pair.normal);
        const Real both = state.mass[i] * state.mass[j] / (state.mass[i] + state.mass[j]);
        const Real drag =
            std::min(model_.body_friction * push / std::max(slip.norm(), least_slip), both / (shared_by * dt));
        of_pair_[k] = dt * (push * pair.normal - drag * slip);
    });
    sum_sides([&](const Side& side) { return Vec3(side.sign * of_pair_[side.pair]); }, force_);
    nodes_.push(force_, mass, velocity);
}

Real BodyPairs::most_drag(const Pair& pair) const {
    return hardest_drag * dt_ * pair.k;
}

void BodyPairs::begin(const ParticleState& state, Real dt, std::span<const Vec3> before) {
    dt_ = dt;
    if (empty()) return;
    if (before.empty()) {
        std::fill(before_.begin(), before_.end(), Vec3::Zero());
    } else {
        nodes_.gather(before, before_);
    }
    parallel_for(pairs_.size(), [&](std::size_t k) {
        Pair& pair = pairs_[k];
        const Vec3 v = state.velocity[touching_[pair.j]] - state.velocity[touching_[pair.i]];
        const Real limit = model_.body_friction * pair.k * std::max(Real(0), -pair.gap);
        pair.drag = std::min(limit / std::max(least_slip, across(v, pair.normal).norm()), most_drag(pair));
    });
}

Real BodyPairs::add_energy(std::span<const Vec3> velocity, std::span<Vec3> gradient) {
    if (empty()) return 0;
    nodes_.gather(velocity, velocity_);
    const Real energy = parallel_sum(pairs_.size(), Real(0), [&](std::size_t k) {
        Pair& pair = pairs_[k];
        const Vec3 v = velocity_[pair.j] - velocity_[pair.i], seen = v + before_[pair.j] - before_[pair.i];
        const Vec3 slip = across(v, pair.normal);
        pair.overlap = std::max(Real(0), -(pair.gap + dt_ * pair.normal.dot(seen)));
        pair.slip = slip.norm();
        of_pair_[k] = dt_ * (pair.drag * slip - pair.k * pair.overlap * pair.normal);
        return pair.k * square(pair.overlap) / 2 + dt_ * pair.drag * square(pair.slip) / 2;
    });
    sum_sides([&](const Side& side) { return Vec3(side.sign * of_pair_[side.pair]); }, force_);
    nodes_.scatter(force_, gradient);
    return energy;
}

void BodyPairs::add_product(std::span<const Vec3> x, std::span<Vec3> result) {
    if (empty()) return;
    nodes_.gather(x, velocity_);
    const auto product = [&](const Side& side) {
        const Pair& pair = pairs_[side.pair];
        const Vec3 v = velocity_[pair.j] - velocity_[pair.i];
        const Real along = v.dot(pair.normal), k = pair.overlap > 0 ? dt_ * pair.k : 0;
        return Vec3(side.sign * dt_ * (pair.drag * v + (k - pair.drag) * along * pair.normal));
    };
    sum_sides(product, force_);
    nodes_.scatter(force_, result);
}

void BodyPairs::add_diagonal(std::span<Vec3> diagonal) {
    if (empty()) return;
    const auto own = [&](const Side& side) {
        const Pair& pair = pairs_[side.pair];
        const Vec3 along = pair.normal.cwiseAbs2();
        const Real k = pair.overlap > 0 ? dt_ * pair.k : 0;
        return Vec3(dt_ * (k * along + pair.drag * (Vec3::Ones() - along)));
    };
    sum_sides(own, force_);
    nodes_.scatter_squares(force_, diagonal);
}

bool BodyPairs::review() {
    if (empty() || model_.body_friction == 0) return false;
    Real off = 0, most = 0;
    for (const Pair& pair : pairs_) {
        const Real limit = model_.body_friction * pair.k * pair.overlap, slip = std::max(least_slip, pair.slip);
        most += limit;
        off += std::abs(std::min(limit / slip, most_drag(pair)) - pair.drag) * slip;
    }
    if (!(off > unsettled * most)) return false;
    for (Pair& pair : pairs_) {
        const Real limit = model_.body_friction * pair.k * pair.overlap, slip = std::max(least_slip, pair.slip);
        pair.drag = std::min(limit / slip, most_drag(pair));
    }
    return true;
}

std::size_t BodyPairs::bytes() const {
    return near_.bytes() + nodes_.bytes() + at_rest_.capacity() * sizeof(SurfaceNormal) +
           surface_.capacity() * sizeof(TouchPoint) + pairs_.capacity() * sizeof(Pair) +
           sides_.capacity() * sizeof(Side) +
           (surface_of_.capacity() + touching_.capacity() + side_begin_.capacity()) * sizeof(std::uint32_t) +
           (velocity_.capacity() + before_.capacity() + force_.capacity() + of_pair_.capacity()) * sizeof(Vec3);
}

}  // namespace pliant
