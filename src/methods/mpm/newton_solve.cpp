#include "pliant/methods/mpm/newton_solve.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/math/svd.h"
#include "pliant/methods/mpm/tangent.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

constexpr int most_halvings = 12;
constexpr Real sufficient = 1e-4;          // decrease of E over what the gradient promises
constexpr int most_contact_passes = 8;     // in which contacts may let go; in as many more they may only take hold
constexpr int most_friction_passes = 4;    // between bodies
constexpr Real loosest = 0.1;              // of the linear solve, over its right-hand side
constexpr int most_products = 400;         // of a linear solve
constexpr Real least_secant_share = 0.01;  // below it tangents are taken as they are

// What of the tangent a particle keeps for products.
struct Tangent {
    Double4 h[6];      // 00 11 22 01 02 12 of d2phi/dsigma2, made positive
    Double4 twist[3];  // (p_i - p_j) / (s_i - s_j), of 01 02 12
    Double4 turn[3];   // (p_i + p_j) / (s_i + s_j)
};

Tangent tangent_of(const LogResponse<Double4>& r, const LogStrain<Double4>& h, const WideVector& s, Double4 scale) {
    using namespace simd;
    const Double4 zero(0.0), half(0.5);
    const PrincipalTangent<Double4> principal(r, h, zero);
    const Double4 slope[3] = {h.slope.x, h.slope.y, h.slope.z};
    const Double4 tau[3] = {r.tau.x, r.tau.y, r.tau.z};
    const Double4 sigma[3] = {s.x, s.y, s.z};
    const Double4 curvature[3] = {h.curvature.x, h.curvature.y, h.curvature.z};
    Tangent t;
    for (int i = 0; i < 3; ++i) t.h[i] = scale * principal.at[i][i];
    constexpr int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 3; ++k) {
        const auto [i, j] = pair[k];
        t.h[3 + k] = scale * half * (principal.at[i][j] + principal.at[j][i]);
        const Double4 pi = tau[i] * slope[i], pj = tau[j] * slope[j];
        const Double4 difference = sigma[i] - sigma[j], sum = sigma[i] + sigma[j];
        const auto is_equal = abs(difference) < Double4(1e-6) * max(abs(sigma[i]), Double4(0.01));
        Double4 across = r.tangential;  // dtau_i/de_i - dtau_i/de_j where both are alike
        if (r.has_general) {
            const Double4 other = half * (r.general[i] + r.general[j]) - r.general[3 + k];
            across = select(r.is_general > zero, other, across);
        }
        const Double4 limit = fma(across * slope[i], slope[j], half * fma(tau[i], curvature[i], tau[j] * curvature[j]));
        const Double4 quotient = (pi - pj) / select(is_equal, Double4(1.0), difference);
        t.twist[k] = scale * max(select(is_equal, limit, quotient), zero);
        const auto is_small = abs(sum) < Double4(1e-2);
        t.turn[k] = scale * max((pi + pj) / select(is_small, times_sign(Double4(1e-2), sum), sum), zero);
    }
    return t;
}

}  // namespace

Real mass_norm(std::span<const Real> mass, std::span<const Vec3> x) {
    return std::sqrt(parallel_sum(mass.size() - 1, Real(0),
                                  [&](std::size_t i) { return mass[i] > 0 ? x[i].squaredNorm() / mass[i] : Real(0); }));
}

void complete_momentum(std::span<const Real> mass, const NodeContacts& contacts, std::span<const Vec3> force,
                       std::span<Vec3> change) {
    const std::size_t n = mass.size() - 1;
    Real total = parallel_sum(n, Real(0), [&](std::size_t i) { return mass[i]; });
    Vec3 lacking =
        parallel_sum(n, Vec3(Vec3::Zero()), [&](std::size_t i) { return Vec3(force[i] - mass[i] * change[i]); });
    const auto rigids = contacts.rigid_masses();
    for (const auto& [k, m] : rigids) {
        total += m;
        lacking += force[k] - m * change[k];
    }
    parallel_for(n, [&](std::size_t i) { change[i] += lacking / total; });
    for (const auto& [k, m] : rigids) change[k] += lacking / total;
}

// One pass over all particles: E and its gradient and, if asked for, the factors of the Hessian.
template <bool with_factors>
Real NewtonSolve::sweep(const GridStep& step, std::span<const Vec3> u, std::span<Vec3> gradient) {
    const SparseGrid& grid = step.grid;
    const Real h = grid.cell(), dt = step.dt, affine = 4 / square(h);
    const int parts = step.matter.part_count();
    if (with_factors) factors_.resize(grid.place_count(), parts);
    partial_.assign(grid.block_count(), 0);
    const std::size_t n = step.mass.size() - 1;
    parallel_for(n, [&](std::size_t i) { gradient[i] = step.mass[i] * (u[i] - step.expected[i]); });
    gradient[n].setZero();
    std::span<const Vec3> seen = u;
    if (!step.before.empty()) {
        seen_.assign(u.begin(), u.begin() + std::ptrdiff_t(n + 1));
        parallel_for(n, [&](std::size_t i) { seen_[i] += step.before[i]; });
        seen = seen_;
    }

    grid.each_block_apart([&](std::size_t b) {
        SparseGrid::Window in, out;
        grid.load(b, seen, in);
        out.fill(NodeVector(0.0));
        Double4 energy(0.0);
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; k += 4) {
            const Quartet q(grid, k);
            const FourWeights weights(&grid.place(k), h);
            const WideMatrix C = gather_four(in, weights).product;
            const Double4 volume = q.volumes(step.state);
            WideMatrix sum{};
            for (int part = 0; part < parts; ++part) {
                const auto [F, B, law, alpha, opened] = step.matter.part(part, q, step.state);
                const auto s = svd(advanced(F, B, C, Double4(dt * affine)));
                const auto e = log_strain(s.sigma);
                auto r = respond(law, e.value, alpha, opened);
                if (with_factors && secant_share_ > 0) r.approach_secant(Double4(secant_share_));
                energy += volume * r.energy;
                const Double4 weight = volume * Double4(dt * affine);
                const WideVector stress = {r.tau.x * e.slope.x * weight, r.tau.y * e.slope.y * weight,
                                           r.tau.z * e.slope.z * weight};
                const WideMatrix BV = B * s.V;
                const WideMatrix pull = compose(s.U, stress, BV);
                for (int i = 0; i < 9; ++i) sum.data()[i] = part == 0 ? pull.data()[i] : sum.data()[i] + pull.data()[i];
                if constexpr (with_factors) {
                    const Tangent t = tangent_of(r, e, s.sigma, weight * Double4(dt * affine));
                    factors_.set_rotation(k, part, s.U);
                    factors_.set(k, part, TangentFactors::BV, BV.data(), 9);
                    factors_.set(k, part, TangentFactors::h, t.h, 6);
                    factors_.set(k, part, TangentFactors::twist, t.twist, 3);
                    factors_.set(k, part, TangentFactors::turn, t.turn, 3);
                }
            }
            scatter_four(sum, out, weights);
        }
        partial_[b] = simd::sum(energy);
        grid.add(b, out, gradient);
    });
    Real energy = 0;
    for (const Real e : partial_) energy += e;
    return energy + parallel_sum(n, Real(0), [&](std::size_t i) {
               return step.mass[i] / 2 * (u[i] - step.expected[i]).squaredNorm();
           });
}

Real NewtonSolve::evaluate(const GridStep& step, std::span<const Vec3> u, std::span<Vec3> gradient, bool with_factors) {
    return with_factors ? sweep<true>(step, u, gradient) : sweep<false>(step, u, gradient);
}

void NewtonSolve::multiply(const GridStep& step, std::span<const Vec3> x, std::span<Vec3> result) const {
    const SparseGrid& grid = step.grid;
    const Real h = grid.cell();
    const std::size_t n = step.mass.size() - 1;
    parallel_for(n, [&](std::size_t i) { result[i] = step.mass[i] * x[i]; });
    result[n].setZero();
    grid.each_block_apart([&](std::size_t b) {
        SparseGrid::Window in, out;
        grid.load(b, x, in);
        out.fill(NodeVector(0.0));
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; k += 4) {
            const FourWeights weights(&grid.place(k), h);
            const WideMatrix C = gather_four(in, weights).product;
            WideMatrix sum{};
            for (int part = 0; part < factors_.parts(); ++part) {
                const auto f = factors_.pack(k, part);
                const WideMatrix U = f.rotation(), BV = f.shape();
                constexpr int H = TangentFactors::h, twist = TangentFactors::twist, turn = TangentFactors::turn;
                const WideMatrix W = transpose_times(U, C * BV);
                const auto at = [&](int i, int j) { return W.data()[3 * j + i]; };
                WideMatrix K;
                const auto set = [&](int i, int j, Double4 value) { K.data()[3 * j + i] = value; };
                const Double4 w0 = at(0, 0), w1 = at(1, 1), w2 = at(2, 2);
                set(0, 0, f[H] * w0 + f[H + 3] * w1 + f[H + 4] * w2);
                set(1, 1, f[H + 3] * w0 + f[H + 1] * w1 + f[H + 5] * w2);
                set(2, 2, f[H + 4] * w0 + f[H + 5] * w1 + f[H + 2] * w2);
                constexpr int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
                for (int m = 0; m < 3; ++m) {
                    const auto [i, j] = pair[m];
                    const Double4 half(0.5);
                    const Double4 even = half * f[twist + m] * (at(i, j) + at(j, i));
                    const Double4 odd = half * f[turn + m] * (at(i, j) - at(j, i));
                    set(i, j, even + odd);
                    set(j, i, even - odd);
                }
                const WideMatrix part_sum = times_transpose(U * K, BV);
                for (int i = 0; i < 9; ++i) {
                    sum.data()[i] = part == 0 ? part_sum.data()[i] : sum.data()[i] + part_sum.data()[i];
                }
            }
            scatter_four(sum, out, weights);
        }
        grid.add(b, out, result);
    });
}

// |x|_{1/m}, rigid bodies with the rest
Real NewtonSolve::norm(const GridStep& step, const NodeContacts& contacts, std::span<const Vec3> x) const {
    return std::sqrt(square(mass_norm(step.mass, x)) + contacts.squared_norm(x));
}

void NewtonSolve::solve_linear(const GridStep& step, NodeContacts& contacts, Real tolerance, SolveReport& report) {
    preconditioner_.set_system(step.grid, step.mass, factors_, contacts, light_, last_products_, step.pairs);
    contacts.set_diagonal(preconditioner_.diagonal());
    parallel_for(rhs_.size(), [&](std::size_t i) {
        change_[i].setZero();
        rhs_[i] = -gradient_[i];
    });
    light_.reduce(rhs_);
    contacts.reduce(rhs_);
    const auto multiply_all = [&](std::span<const Vec3> x, std::span<Vec3> result) {
        if (contacts.holds_to_rigids() || !light_.empty()) {
            std::copy(x.begin(), x.end(), trial_.begin());
            contacts.follow(trial_);
            light_.follow(trial_);
            x = trial_;
        }
        multiply(step, x, result);
        if (step.pairs) step.pairs->add_product(x, result);
        contacts.multiply_inertia(x, result);
        contacts.add_product(x, result);
        light_.reduce(result);
        contacts.reduce(result);
    };
    const auto precondition = [&](std::span<const Vec3> r, std::span<Vec3> z) {
        preconditioner_(r, z);
        contacts.precondition(r, z);
        contacts.project(z);
    };
    const auto project = [&](std::span<Vec3> x) { contacts.project(x); };
    const Real start = norm(step, contacts, rhs_);
    const auto is_done = [&](const CgProgress& progress) {
        return norm(step, contacts, progress.residual_vector) <= tolerance * start;
    };
    CgProblem problem{multiply_all, is_done, precondition, project};
    problem.most_iterations = most_products;
    problem.starts_at_zero = true;
    CgReport solved = cg_.solve(problem, rhs_, change_);
    report.products += solved.iterations;
    if (preconditioner_.has_coarse() && (solved.reason == CgReason::not_positive_definite ||
                                         solved.reason == CgReason::not_finite)) {  // rounding of the coarse factors
        preconditioner_.drop_coarse();
        problem.starts_at_zero = false;
        solved = cg_.solve(problem, rhs_, change_);
        report.products += solved.iterations;
    }
    last_products_ = solved.iterations;
    contacts.follow(change_);
    light_.follow(change_);
    if (contacts.holds_to_scene()) return;
    parallel_for(rhs_.size(), [&](std::size_t i) { rhs_[i] = -gradient_[i]; });
    complete_momentum(step.mass, contacts, rhs_, change_);
}

// E and its gradient with all that takes part: matter, rigid bodies, bodies that meet, and friction, whose drag is
// taken as if it had an energy. The tangents at u are kept for products.
Real NewtonSolve::evaluate_all(const GridStep& step, const NodeContacts& contacts, std::span<const Vec3> u,
                               std::span<Vec3> gradient) {
    const std::size_t n = u.size();
    Real energy = sweep<true>(step, u, gradient);
    std::fill(gradient.begin() + std::ptrdiff_t(step.mass.size()), gradient.end(), Vec3::Zero());
    energy += contacts.add_inertia(step.expected, u, gradient);
    if (step.pairs) energy += step.pairs->add_energy(u, gradient);
    parallel_for(n, [&](std::size_t i) { rhs_[i].setZero(); });
    contacts.add_drag(u, rhs_);
    parallel_for(n, [&](std::size_t i) { gradient[i] -= rhs_[i]; });
    return energy + contacts.drag_energy(u);
}

// |gradient|; it stays in rhs_ as it was measured.
Real NewtonSolve::whole_norm(const GridStep& step, const NodeContacts& contacts) {
    std::copy(gradient_.begin(), gradient_.end(), rhs_.begin());
    light_.reduce(rhs_);
    return norm(step, contacts, rhs_);
}

// Without what contacts bear.
Real NewtonSolve::free_norm(const GridStep& step, const NodeContacts& contacts) {
    std::copy(gradient_.begin(), gradient_.end(), rhs_.begin());
    light_.reduce(rhs_);
    contacts.reduce(rhs_);
    return norm(step, contacts, rhs_);
}

// Matter too stiff for the step would be crushed by going on as it went: then rest is the better start, from which even
// a solve that is not finished gives no energy.
bool NewtonSolve::rest_where_better(const GridStep& step, const NodeContacts& contacts, Level& level,
                                    std::span<Vec3> u) {
    if (!(level.energy > level.at_rest)) return false;
    std::fill(trial_.begin(), trial_.end(), Vec3::Zero());
    contacts.prescribe(trial_);
    light_.follow(trial_);
    level.at_rest = evaluate_all(step, contacts, trial_, trial_gradient_);  // with what is stored in matter
    if (!(level.at_rest < level.energy)) {
        evaluate_all(step, contacts, u, gradient_);
        return false;
    }
    level.energy = level.at_rest;
    std::copy(trial_.begin(), trial_.end(), u.begin());
    std::swap(gradient_, trial_gradient_);
    return true;
}

// Whether nodes are held, let go or rub otherwise at u than it was solved for; then u and E are what that makes of
// them.
bool NewtonSolve::review_contacts(const GridStep& step, NodeContacts& contacts, int pass, Level& level,
                                  std::span<Vec3> u) {
    whole_norm(step, contacts);  // what held nodes bear, in rhs_
    const bool holds_otherwise = contacts.review(step.mass, u, rhs_, pass <= most_contact_passes);
    const bool rubs_otherwise = step.pairs && pass <= most_friction_passes && step.pairs->review();
    if (!holds_otherwise && !rubs_otherwise) return false;
    contacts.prescribe(u);
    light_.follow(u);
    level.energy = evaluate_all(step, contacts, u, gradient_);
    rest_where_better(step, contacts, level, u);
    level.reference = std::max(level.reference, whole_norm(step, contacts));
    return true;
}

// As much of the change as lowers E; false if none does.
bool NewtonSolve::search_along_change(const GridStep& step, const NodeContacts& contacts, Level& level,
                                      std::span<Vec3> u) {
    const std::size_t n = u.size();
    const Real promised = parallel_sum(n, Real(0), [&](std::size_t i) { return gradient_[i].dot(change_[i]); });
    // At the end of the solve E no longer tells apart what its gradient still does.
    const Real noise = 1e-12 * std::abs(level.energy);
    secant_share_ = secant_share_ > 2 * least_secant_share ? secant_share_ / 2 : 0;
    Real share = 1;
    for (int half = 0; half < most_halvings; ++half, share /= 2) {
        parallel_for(n, [&](std::size_t i) { trial_[i] = u[i] + share * change_[i]; });
        const Real energy = evaluate_all(step, contacts, trial_, trial_gradient_);
        if (energy <= level.energy + sufficient * share * promised + noise) {
            level.energy = energy;
            std::copy(trial_.begin(), trial_.end(), u.begin());
            std::swap(gradient_, trial_gradient_);
            return true;
        }
        secant_share_ = 1;
    }
    return false;
}

SolveReport NewtonSolve::solve(const GridStep& step, NodeContacts& contacts, std::span<Vec3> u) {
    for (auto* array : {&gradient_, &trial_, &trial_gradient_, &change_, &rhs_}) array->resize(u.size());
    secant_share_ = 0;
    preconditioner_.begin();
    light_.clear();
    contacts.begin(u);
    contacts.prescribe(u);
    if (step.pairs) step.pairs->begin(step.state, step.dt, step.before);

    SolveReport report;
    Level level;
    level.energy = evaluate_all(step, contacts, u, gradient_);
    level.at_rest = parallel_sum(step.mass.size(), Real(0),
                                 [&](std::size_t i) { return step.mass[i] / 2 * step.expected[i].squaredNorm(); });
    if (bind_light_nodes(step, contacts, u)) level.energy = evaluate_all(step, contacts, u, gradient_);
    // The measure is the force on matter that only falls, contact or no contact.
    level.reference = whole_norm(step, contacts);
    // Rigid flight leaves only rounding to solve for.
    if (level.reference <= 1e-10 * std::sqrt(2 * level.at_rest)) return report;
    if (rest_where_better(step, contacts, level, u))
        level.reference = std::min(level.reference, whole_norm(step, contacts));

    for (int passes = 0;;) {
        const Real residual = free_norm(step, contacts);
        report.residual = residual / level.reference;
        const bool is_solved = residual <= settings_.tolerance * level.reference;
        // Contacts are looked at whenever the step is solved well enough to tell.
        if (passes < 2 * most_contact_passes &&
            residual <= std::max(settings_.tolerance, Real(0.05)) * level.reference &&
            review_contacts(step, contacts, ++passes, level, u))
            continue;
        if (is_solved || report.iterations >= settings_.most_iterations) break;
        ++report.iterations;
        // The closer the end, the finer; but no finer than the end asks for.
        const Real enough = 0.3 * settings_.tolerance / report.residual;
        solve_linear(step, contacts, std::clamp(enough, std::min(loosest, std::sqrt(report.residual)), loosest),
                     report);
        if (!search_along_change(step, contacts, level, u)) break;
    }
    finish(step, contacts, level, u);
    return report;
}

// Where matter is stiff and holds together; false if nothing follows anything. Needs the tangents at u.
bool NewtonSolve::bind_light_nodes(const GridStep& step, const NodeContacts& contacts, std::span<Vec3> u) {
    if (!step.binds_light_nodes) return false;
    if (!preconditioner_.is_stiff(step.grid, step.mass, factors_)) return false;
    contacts.touched_nodes(touched_);
    light_.find(step.grid, step.state, touched_, step.matter.opens());
    light_.follow(u);
    return !light_.empty();
}

// Stops what still moves into obstacles, unless that would press stiff matter so that it gains energy.
void NewtonSolve::finish(const GridStep& step, const NodeContacts& contacts, const Level& level, std::span<Vec3> u) {
    if (!contacts.moves_in(u)) return;
    std::copy(u.begin(), u.end(), trial_.begin());
    contacts.finish(step.mass, trial_);
    light_.follow(trial_);
    Real stopped = sweep<false>(step, trial_, trial_gradient_) +
                   contacts.add_inertia(step.expected, trial_, trial_gradient_) + contacts.drag_energy(trial_);
    if (step.pairs) stopped += step.pairs->add_energy(trial_, trial_gradient_);
    if (stopped <= std::max(level.energy, level.at_rest)) std::copy(trial_.begin(), trial_.end(), u.begin());
}

std::size_t NewtonSolve::bytes() const {
    return factors_.bytes() + preconditioner_.bytes() + light_.bytes() +
           (gradient_.capacity() + trial_.capacity() + trial_gradient_.capacity() + change_.capacity() +
            rhs_.capacity() + seen_.capacity()) *
               sizeof(Vec3);
}

}  // namespace pliant
