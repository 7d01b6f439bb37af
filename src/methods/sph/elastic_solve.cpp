#include "pliant/methods/sph/elastic_solve.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr int most_iterations = 1000;
// How far sound gets in a step, in spacings. By estimate: the first lies between 4, where the grid began to pay for
// mls, and 12; at the second the rounding of single precision, 6e-8 times its square, nears the tolerance.
constexpr Real stiff = 6;             // from here on with the preconditioner
constexpr Real exact = 20;            // from here on in double precision
constexpr Real cell_in_spacings = 4;  // of the preconditioner's grid
constexpr Real most_cells = 4000;     // of a body; beyond, they grow, for a factorisation grows faster than a body

}  // namespace

void ElasticSolve::prepare(const ParticleState& state) {
    const std::size_t n = solids_.size();
    for (auto* array : {&right_, &change_}) array->assign(n, Vec3::Zero());
    groups_.clear();
    for (const BodyRange& range : body_ranges(state, model_.bodies.size())) {
        if (range.first >= n && range.size() > 0) break;
        const Real cells = std::max(Real(1), Real(range.size()) / cube(cell_in_spacings) / most_cells);
        const Real spacing = model_.bodies[groups_.size()].spacing;
        groups_.push_back({range.first, range.last, cell_in_spacings * std::cbrt(cells) * spacing});
    }
    pinned_.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
        if (state.pin[i] != no_pin) pinned_.push_back({i, Mat3::Identity()});
    }
    knows_points_ = false;
    moduli_changed();
}

void ElasticSolve::moduli_changed() {
    frequency_.clear();
    for (std::size_t b = 0; b < groups_.size(); ++b) {
        if (groups_[b].last == groups_[b].first) {
            frequency_.push_back(0);
            continue;
        }
        const Moduli& m = solids_.moduli(groups_[b].first);
        frequency_.push_back(sound_speed(m, model_.material_of(b).density) / model_.bodies[b].spacing);
    }
    if (knows_points_) solids_.diagonal(stiffness_);
}

Real ElasticSolve::stiffness(Real dt) const {
    return frequency_.empty() ? 0 : dt * *std::max_element(frequency_.begin(), frequency_.end());
}

void ElasticSolve::set_system(const ParticleState& state, Real dt) {
    const std::size_t n = solids_.size();
    if (!knows_points_) {
        preconditioner_.set_points(solids_.reference(), groups_);
        solids_.diagonal(stiffness_);
        diagonal_.resize(n);
        turn_.resize(n);
        mu_.resize(n);
        lambda_.resize(n);
        knows_points_ = true;
    }
    parallel_for(n, [&](std::size_t i) {
        const Mat3 R = solids_.rotation(i);
        diagonal_[i] = solids_.rank(i) == 3 ? Mat3(R * stiffness_[i] * R.transpose())
                                            : Mat3(stiffness_[i].trace() / 3 * Mat3::Identity());
        diagonal_[i] *= dt * dt;
        diagonal_[i].diagonal().array() += state.mass[i];
        mu_[i] = dt * dt * solids_.volume(i) * solids_.moduli(i).mu;
        lambda_[i] = dt * dt * solids_.volume(i) * solids_.moduli(i).lambda;
        turn_[i] = R * solids_.projector(i) * solids_.plastic_inverse(i).transpose();
    });
    const auto mass = std::span(state.mass).first(n);
    preconditioner_.set_system({mass, mu_, lambda_, turn_, diagonal_});
    preconditioner_.factor(pinned_, {});
}

CgReport ElasticSolve::solve(ParticleState& state, Real dt) {
    const std::size_t n = solids_.size();
    if (n == 0) return {};
    parallel_for(n, [&](std::size_t i) { change_[i] = state.position[i] + dt * state.velocity[i]; });
    solids_.forces(change_, right_);
    parallel_for(n, [&](std::size_t i) {
        right_[i] *= dt;
        change_[i] = Vec3::Zero();
    });
    const Real stiffness = this->stiffness(dt);
    const bool is_preconditioned =
        settings_.preconditioner == "grid" || (settings_.preconditioner == "auto" && stiffness > stiff);
    if (is_preconditioned) set_system(state, dt);
    const auto mass = std::span<const Real>(state.mass).first(n);
    const auto multiply = [&](std::span<const Vec3> x, std::span<Vec3> result) {
        solids_.multiply(mass, dt, stiffness < exact, x, result);
    };
    const auto precondition = [&](std::span<const Vec3> r, std::span<Vec3> z) { preconditioner_(r, z); };
    const auto project = [&](std::span<Vec3> v) {
        for (const HeldPoint& held : pinned_) v[held.point] = Vec3::Zero();
    };
    std::span<const Vec3> left;
    const auto is_done = [&](const CgProgress& p) {
        left = p.residual_vector;
        if (settings_.relative_tolerance) {
            residual_ = p.initial_residual > 0 ? p.residual / p.initial_residual : 0;
            return residual_ <= *settings_.relative_tolerance;
        }
        residual_ = parallel_sum(n, Real(0), [&](std::size_t i) { return left[i].norm() / mass[i]; }) / Real(n);
        return residual_ <= settings_.tolerance;
    };
    const CgReport report = solver_.solve(
        {multiply, is_done, precondition, project, most_iterations, is_preconditioned, true}, right_, change_);
    if (!left.empty()) complete_momentum(state, left);
    parallel_for(n, [&](std::size_t i) { state.velocity[i] += change_[i]; });
    return report;
}

// What the solver's tolerance leaves is no motion of a free body as a whole: A 1 = M 1, so that this much is exact.
void ElasticSolve::complete_momentum(const ParticleState& state, std::span<const Vec3> residual) {
    for (const PointGroup& group : groups_) {
        const std::size_t first = group.first, count = group.last - first;
        const bool is_held = std::any_of(pinned_.begin(), pinned_.end(), [&](const HeldPoint& held) {
            return held.point >= first && held.point < group.last;
        });
        if (is_held || count == 0) continue;
        const Vec3 left =
            parallel_sum(count, Vec3(Vec3::Zero()), [&](std::size_t k) -> Vec3 { return residual[first + k]; });
        const Real mass = parallel_sum(count, Real(0), [&](std::size_t k) { return state.mass[first + k]; });
        parallel_for(count, [&](std::size_t k) { change_[first + k] += left / mass; });
    }
}

std::size_t ElasticSolve::bytes() const {
    return preconditioner_.bytes() + stiffness_.capacity() * (3 * sizeof(Mat3) + 16) +
           (stiffness_.empty() ? 5 : 6) * right_.capacity() * sizeof(Vec3);
}

}  // namespace pliant
