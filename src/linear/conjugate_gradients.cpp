#include "pliant/linear/conjugate_gradients.h"

#include <cassert>
#include <cmath>

namespace pliant {

constexpr Real vanished = 1e-140;  // a residual whose square would underflow

std::string_view to_string(CgReason reason) {
    switch (reason) {
        case CgReason::converged: return "converged";
        case CgReason::zero_rhs: return "zero_rhs";
        case CgReason::iteration_limit: return "iteration_limit";
        case CgReason::not_positive_definite: return "not_positive_definite";
        case CgReason::not_finite: return "not_finite";
    }
    return "unknown";
}

// The sum of term(i), added up block by block, whatever the number of threads.
template <class Term>
Real ConjugateGradients::sum(std::size_t n, Term&& term) {
    parallel_blocks(n, default_block, [&](std::size_t begin, std::size_t end) {
        Real result = 0;
        for (std::size_t i = begin; i < end; ++i) result += term(i);
        partial_[begin / default_block] = result;
    });
    Real total = 0;
    for (std::size_t k = 0; k < block_count(n, default_block); ++k) total += partial_[k];
    return total;
}

CgReport ConjugateGradients::solve(const CgProblem& problem, std::span<const Vec3> b, std::span<Vec3> x) {
    const std::size_t n = b.size();
    assert(x.size() == n);
    for (auto* vector : {&residual_, &direction_, &product_}) vector->resize(n);
    if (problem.is_preconditioned) preconditioned_.resize(n);
    start_.resize(problem.starts_at_zero ? 0 : n);
    partial_.resize(block_count(n, default_block));

    if (problem.starts_at_zero) {
        parallel_for(n, [&](std::size_t i) { residual_[i] = b[i]; });
    } else {
        problem.multiply(x, product_);
        parallel_for(n, [&](std::size_t i) { residual_[i] = b[i] - product_[i]; });
    }
    if (!problem.starts_at_zero) parallel_for(n, [&](std::size_t i) { start_[i] = x[i]; });
    problem.project(residual_);
    CgReport report;
    const Real left = sum(n, [&](std::size_t i) { return residual_[i].squaredNorm(); });
    report.initial_residual = report.residual = std::sqrt(left);
    if (!std::isfinite(left)) {
        report.reason = CgReason::not_finite;
    } else if (left == 0) {
        report.reason = CgReason::zero_rhs;
    } else {
        report = iterate(problem, x, report);
    }
    // Finite scalars leave one way to lose x: overflow of x itself.
    const Real check = sum(n, [&](std::size_t i) { return 0 * x[i].sum(); });
    if (std::isfinite(check)) return report;
    parallel_for(n, [&](std::size_t i) { x[i] = problem.starts_at_zero ? Vec3(Vec3::Zero()) : start_[i]; });
    report.reason = CgReason::not_finite;
    report.residual = report.initial_residual;
    return report;
}

// z = P r, p = z + beta p;  alpha = r.z / p.A p;  x += alpha p, r -= alpha A p.
// x waits for the next update of p, to read p from memory once; a step that turns out not finite is never added.
CgReport ConjugateGradients::iterate(const CgProblem& problem, std::span<Vec3> x, CgReport report) {
    const std::size_t n = x.size();
    auto &r = residual_, &z = preconditioned_, &p = direction_, &q = product_;
    Real alpha = 0, old_rz = 0;  // alpha: of the step that x still waits for
    const auto finish = [&](CgReason reason) {
        if (alpha != 0) parallel_for(n, [&](std::size_t i) { x[i] += alpha * p[i]; });
        report.reason = reason;
        return report;
    };
    for (;;) {
        if (report.residual <= vanished) return finish(CgReason::converged);
        if (problem.is_done({report.iterations, report.residual, report.initial_residual, r})) {
            return finish(CgReason::converged);
        }
        if (report.iterations >= problem.most_iterations) return finish(CgReason::iteration_limit);

        if (problem.is_preconditioned) {
            problem.precondition(r, z);
            problem.project(z);
        }
        const Real rz =
            problem.is_preconditioned ? sum(n, [&](std::size_t i) { return r[i].dot(z[i]); }) : square(report.residual);
        if (!std::isfinite(rz)) return finish(CgReason::not_finite);
        if (rz <= 0) return finish(CgReason::not_positive_definite);
        const Real beta = report.iterations == 0 ? 0 : rz / old_rz;
        const std::span<const Vec3> ahead = problem.is_preconditioned ? std::span<const Vec3>(z) : r;
        if (report.iterations == 0) {
            parallel_for(n, [&](std::size_t i) { p[i] = ahead[i]; });
        } else {
            parallel_for(n, [&](std::size_t i) {
                x[i] += alpha * p[i];
                p[i] = ahead[i] + beta * p[i];
            });
        }
        alpha = 0;
        old_rz = rz;

        problem.multiply(p, q);
        problem.project(q);
        const Real curvature = sum(n, [&](std::size_t i) { return p[i].dot(q[i]); });
        if (!std::isfinite(curvature)) return finish(CgReason::not_finite);
        if (curvature <= 0) return finish(CgReason::not_positive_definite);
        const Real step = rz / curvature;
        const Real left = sum(n, [&](std::size_t i) {
            r[i] -= step * q[i];
            return r[i].squaredNorm();
        });
        if (!std::isfinite(step) || !std::isfinite(left)) return finish(CgReason::not_finite);
        alpha = step;
        report.residual = std::sqrt(left);
        ++report.iterations;
    }
}

}  // namespace pliant
