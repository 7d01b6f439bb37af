#include "pliant/methods/mpm/admm_solve.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/math/svd.h"
#include "pliant/methods/mpm/tangent.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

constexpr int most_local_iterations = 12;
constexpr Real local_share = 1e-3;      // of the tolerance: error of a particle step, in strain
constexpr Real linear_tolerance = 0.3;  // of the grid step, over its right-hand side
constexpr int most_linear_iterations = 30;
constexpr int iterations_between_looks = 5;  // at the residual
constexpr int most_contact_passes = 10;
constexpr Real least_weight = 0.05;  // of an elastic particle's

using P = Double4;

// x of A x = b, by the adjugate.
WideVector solved(const P (&a)[3][3], const WideVector& b) {
    using namespace simd;
    const P c00 = a[1][1] * a[2][2] - a[1][2] * a[2][1], c01 = a[1][2] * a[2][0] - a[1][0] * a[2][2],
            c02 = a[1][0] * a[2][1] - a[1][1] * a[2][0];
    const P det = a[0][0] * c00 + a[0][1] * c01 + a[0][2] * c02, inverse = P(1.0) / det;
    const P c10 = a[0][2] * a[2][1] - a[0][1] * a[2][2], c11 = a[0][0] * a[2][2] - a[0][2] * a[2][0],
            c12 = a[0][1] * a[2][0] - a[0][0] * a[2][1];
    const P c20 = a[0][1] * a[1][2] - a[0][2] * a[1][1], c21 = a[0][2] * a[1][0] - a[0][0] * a[1][2],
            c22 = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    return {(c00 * b.x + c10 * b.y + c20 * b.z) * inverse, (c01 * b.x + c11 * b.y + c21 * b.z) * inverse,
            (c02 * b.x + c12 * b.y + c22 * b.z) * inverse};
}

// The particle step in singular values: phat(s) + k (s - aim) = 0 with k = rho W^2 / V [Pa], from s = aim on. Lanes in
// which a step of Newton's makes things worse take a quarter of it.
WideVector particle_step(const Matter::Law& law, const WideVector& aim, P k, P alpha, P opened, Real tolerance) {
    using namespace simd;
    WideVector s = aim, best = aim, change = {P(0.0), P(0.0), P(0.0)};
    P least(1e300);
    for (int iteration = 0; iteration < most_local_iterations; ++iteration) {
        const auto h = log_strain(s);
        const auto r = respond(law, h.value, alpha, opened);
        const WideVector gap = s - aim;
        const WideVector rest = {fma(r.tau.x, h.slope.x, k * gap.x), fma(r.tau.y, h.slope.y, k * gap.y),
                                 fma(r.tau.z, h.slope.z, k * gap.z)};
        const P size = dot(rest, rest);
        const auto is_better = size < least;
        least = select(is_better, size, least);
        best = select(is_better, s, best);
        if (!any(least > k * k * P(square(tolerance)))) break;
        PrincipalTangent<P> tangent(r, h, P(0.5) * k);
        for (int i = 0; i < 3; ++i) tangent.at[i][i] += k;
        const WideVector full = solved(tangent.at, rest);
        change = select(is_better, WideVector{-full.x, -full.y, -full.z}, change * P(0.25));
        s = best + change;
    }
    return best;
}

}  // namespace

// rho W^2 / V [Pa]
P AdmmSolve::weight_of(const Matter::Law& law, const LogResponse<P>& r, const LogStrain<P>& h) const {
    using namespace simd;
    P stiffness(1.0);
    if (settings_.weights == "bulk") stiffness = law.bulk;
    if (settings_.weights == "stiffness") {
        const P elastic = sqrt(P(9.0) * law.bulk * law.bulk + P(8.0) * law.shear * law.shear);
        const PrincipalTangent<P> tangent(r, h, P(0.0));
        P square(0.0);
        for (const auto& row : tangent.at) {
            for (const P entry : row) square = fma(entry, entry, square);
        }
        // Where matter has come apart there is no tangent; what closes it will have the elastic one.
        const auto is_apart = r.volumetric == P(0.0);
        stiffness = select(is_apart, elastic, max(sqrt(square), P(least_weight) * elastic));
    }
    // A part that is not there still needs a weight above zero.
    return max(stiffness * P(settings_.penalty), P(1e-6));
}

std::span<const P> AdmmSolve::equilibrate(const GridStep& step) {
    const SparseGrid& grid = step.grid;
    const auto constraints = equilibration_.constraints(grid, parts_);
    const P scale(square(4 * step.dt / square(grid.cell())));
    parallel_for(grid.place_count() / 4, [&](std::size_t pack) {
        const Quartet q(grid, 4 * pack);
        const P volume = q.volumes(step.state);
        for (int part = 0; part < parts_; ++part) {
            const auto [F, B, law, alpha, opened] = step.matter.part(part, q, step.state);
            const auto h = log_strain(svd(F).sigma);
            const P weight = volume * weight_of(law, respond(law, h.value, alpha, opened), h);
            const WideMatrix BB = times_transpose(B, B);
            const P coupling = scale * weight;
            // The weights of a part tell its stiffness but for rho.
            constraints[pack * std::size_t(parts_) + std::size_t(part)] = {
                {coupling * BB.data()[0], coupling * BB.data()[4], coupling * BB.data()[8]},
                weight / P(settings_.penalty),
                weight};
        }
    });
    return equilibration_.find(grid, step.mass);
}

// Weights, multipliers and the grid's matrix, by the state at the start of the step.
void AdmmSolve::begin(const GridStep& step) {
    using namespace simd;
    const SparseGrid& grid = step.grid;
    const Real dt = step.dt, affine = 4 / square(grid.cell());
    parts_ = step.matter.part_count();
    const std::span<const P> factors = settings_.equilibration ? equilibrate(step) : std::span<const P>();
    resize_discarding(aims_, grid.place_count() / 4 * std::size_t(parts_));
    resize_discarding(stiffness_, grid.place_count());
    grid.each_block([&](std::size_t b) {
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; k += 4) {
            const Quartet q(grid, k);
            const P volume = q.volumes(step.state);
            P S[6] = {P(0.0), P(0.0), P(0.0), P(0.0), P(0.0), P(0.0)};
            for (int part = 0; part < parts_; ++part) {
                const auto [F, B, law, alpha, opened] = step.matter.part(part, q, step.state);
                const auto s = svd(F);
                const auto h = log_strain(s.sigma);
                const auto r = respond(law, h.value, alpha, opened);

                const std::size_t c = k / 4 * std::size_t(parts_) + std::size_t(part);
                const P k_p = factors.empty() ? weight_of(law, r, h) : weight_of(law, r, h) * factors[c];
                Aim& aim = aims_[c];
                aim.weight = k_p * volume;
                const WideVector pull = {-(r.tau.x * h.slope.x) / k_p, -(r.tau.y * h.slope.y) / k_p,
                                         -(r.tau.z * h.slope.z) / k_p};
                aim.aim = compose(s.U, pull, s.V);
                const WideMatrix BB = times_transpose(B, B);
                const P scale = aim.weight * P(square(dt * affine));
                const auto entry = [&](int i, int j) { return scale * BB.data()[3 * j + i]; };
                S[0] += entry(0, 0), S[1] += entry(1, 1), S[2] += entry(2, 2);
                S[3] += entry(0, 1), S[4] += entry(0, 2), S[5] += entry(1, 2);
            }
            for (int lane = 0; lane < 4; ++lane) {
                for (int i = 0; i < 6; ++i)
                    stiffness_[k + std::size_t(lane)].number[i] = static_cast<float>(S[i][lane]);
            }
        }
    });
    matrix_.assemble(grid, step.mass, stiffness_);
}

// Multipliers by the u of now, then the particle step, and what the grid feels of it.
void AdmmSolve::sweep(const GridStep& step, std::span<const Vec3> u, bool is_first, std::span<Vec3> force) {
    const SparseGrid& grid = step.grid;
    const Real h = grid.cell(), dt = step.dt, affine = 4 / square(h);
    const P a(settings_.relaxation);
    const std::size_t n = step.mass.size() - 1;
    parallel_for(n, [&](std::size_t i) { force[i] = step.mass[i] * (step.expected[i] - u[i]); });
    grid.each_block_apart([&](std::size_t b) {
        SparseGrid::Window in, out;
        grid.load(b, u, in);
        out.fill(NodeVector(0.0));
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; k += 4) {
            const Quartet q(grid, k);
            const FourWeights weights(&grid.place(k), h);
            const WideMatrix C = gather_four(in, weights).product;
            WideMatrix sum{};
            for (int part = 0; part < parts_; ++part) {
                const auto [F, B, law, alpha, opened] = step.matter.part(part, q, step.state);
                const P volume = q.numbers([&](std::uint32_t p) { return step.state.rest_volume[p]; });
                Aim& aim = aims_[k / 4 * std::size_t(parts_) + std::size_t(part)];
                const WideMatrix G = advanced(F, B, C, P(dt * affine));
                WideMatrix target;
                for (int i = 0; i < 9; ++i) {
                    const P known = aim.aim.data()[i], z = is_first ? known : known - G.data()[i];
                    target.data()[i] = G.data()[i] - z;
                }
                const auto s = svd(target);
                const WideVector found = particle_step(law, s.sigma, simd::max(aim.weight / volume, P(1e-6)), alpha,
                                                       opened, local_share * settings_.tolerance);
                const WideMatrix own = compose(s.U, found, s.V);
                WideMatrix pull;
                const P weight = aim.weight * P(dt * affine);
                for (int i = 0; i < 9; ++i) {
                    const P relaxed = simd::fma(a, own.data()[i] - G.data()[i], G.data()[i]);
                    const P wanted = relaxed - target.data()[i];  // F^ - G + z
                    aim.aim.data()[i] = wanted + G.data()[i];
                    pull.data()[i] = weight * wanted;
                }
                const WideMatrix part_sum = times_transpose(pull, B);
                for (int i = 0; i < 9; ++i) {
                    sum.data()[i] = part == 0 ? part_sum.data()[i] : sum.data()[i] + part_sum.data()[i];
                }
            }
            scatter_four(sum, out, weights);
        }
        grid.add(b, out, force);
    });
    force[n].setZero();
}

void AdmmSolve::solve_linear(const GridStep& step, const NodeContacts& contacts, SolveReport& report) {
    const std::size_t n = step.mass.size() - 1;
    parallel_for(n + 1, [&](std::size_t i) {
        change_[i].setZero();
        work_[i] = force_[i];
    });
    contacts.project(work_);
    const auto multiply = [&](std::span<const Vec3> x, std::span<Vec3> result) {
        matrix_.multiply(step.grid, x, result);
        contacts.add_product(x, result);
    };
    const auto precondition = [&](std::span<const Vec3> r, std::span<Vec3> z) {
        parallel_for(n, [&](std::size_t i) { z[i] = r[i] / std::max(matrix_.diagonal(i), 1e-30); });
        z[n].setZero();
        contacts.project(z);
    };
    const auto project = [&](std::span<Vec3> x) { contacts.project(x); };
    const Real start = mass_norm(step.mass, work_);
    const auto is_done = [&](const CgProgress& progress) {
        return mass_norm(step.mass, progress.residual_vector) <= linear_tolerance * start;
    };
    CgProblem problem{multiply, is_done, precondition, project};
    problem.most_iterations = most_linear_iterations;
    problem.starts_at_zero = true;
    report.products += cg_.solve(problem, work_, change_).iterations;
    if (!contacts.holds_to_scene()) complete_momentum(step.mass, contacts, force_, change_);
}

SolveReport AdmmSolve::solve(const GridStep& step, NodeContacts& contacts, std::span<Vec3> u) {
    const std::size_t n = step.mass.size();
    for (auto* array : {&force_, &change_, &work_}) array->resize(n);
    SolveReport report;
    contacts.begin(u);
    contacts.prescribe(u);

    // The true gradient at u, contact or no contact, in `work_`; how large it is, and how large where u is free.
    const auto look = [&] {
        residuals_.evaluate(step, u, work_, false);
        std::fill(change_.begin(), change_.end(), Vec3::Zero());
        contacts.add_drag(u, change_);
        parallel_for(n, [&](std::size_t i) { work_[i] -= change_[i]; });
        std::copy(work_.begin(), work_.end(), change_.begin());
        contacts.project(change_);
        return std::pair(mass_norm(step.mass, work_), mass_norm(step.mass, change_));
    };
    const Real rounding = 1e-10 * std::sqrt(parallel_sum(n, Real(0), [&](std::size_t i) {
                              return step.mass[i] * step.expected[i].squaredNorm();
                          }));
    const Real reference = look().first;
    if (reference <= rounding) return report;
    report.residual = 1;
    begin(step);
    int passes = 0;
    for (bool is_first = true; report.iterations < settings_.most_iterations; is_first = false) {
        ++report.iterations;
        sweep(step, u, is_first, force_);
        std::fill(change_.begin(), change_.end(), Vec3::Zero());
        contacts.add_drag(u, change_);
        parallel_for(n, [&](std::size_t i) { force_[i] += change_[i]; });
        solve_linear(step, contacts, report);
        parallel_for(n, [&](std::size_t i) { u[i] += change_[i]; });
        contacts.prescribe(u);
        if (report.iterations % iterations_between_looks != 0) continue;
        report.residual = look().second / reference;
        report.looks.emplace_back(report.iterations, report.residual);
        bool has_changed = false;
        if (passes < most_contact_passes && report.residual <= std::max(settings_.tolerance, Real(0.1))) {
            ++passes;
            has_changed = contacts.review(step.mass, u, work_);
            if (has_changed) contacts.prescribe(u);
        }
        if (report.residual <= settings_.tolerance && !has_changed) break;
    }
    contacts.finish(step.mass, u);
    // Looked at as it ends: contacts that stop what still moves into them may press stiff matter.
    if (report.residual > settings_.tolerance && step.matter.has_potential()) {
        report.is_unsafe = residuals_.evaluate(step, u, work_, false) > parallel_sum(n, Real(0), [&](std::size_t i) {
                               return step.mass[i] / 2 * step.expected[i].squaredNorm();
                           });
    }
    return report;
}

std::size_t AdmmSolve::bytes() const {
    return equilibration_.bytes() + aims_.capacity() * sizeof(Aim) +
           stiffness_.capacity() * sizeof(NodeMatrix::Symmetric) + matrix_.bytes() +
           (force_.capacity() + change_.capacity() + work_.capacity()) * sizeof(Vec3);
}

}  // namespace pliant
