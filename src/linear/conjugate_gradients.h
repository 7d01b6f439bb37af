// Preconditioned conjugate gradients for A x = b with symmetric positive definite A, over vectors of 3-vectors.
// A, the preconditioner, the constraints and the stopping rule are the caller's functions; the same bits come out at
// any number of threads if theirs do so. Nothing is allocated while iterating.
//
// Constraints as in [Baraff98]: project() removes from a vector the parts in which x may not move. Every direction is
// projected, so x keeps its initial value there: write the prescribed value into x before.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/math/types.h"

namespace pliant {

struct CgProgress {
    int iterations;                         // done so far
    Real residual;                          // |r|, r = project(b - A x)
    Real initial_residual;                  // |r| at the start
    std::span<const Vec3> residual_vector;  // r
};

inline constexpr auto no_preconditioner = [](std::span<const Vec3> r, std::span<Vec3> z) {
    parallel_for(r.size(), [&](std::size_t i) { z[i] = r[i]; });
};
inline constexpr auto no_constraints = [](std::span<Vec3>) {};

// The functions are referred to, not copied: they must outlive the call of solve().
struct CgProblem {
    FunctionRef<void(std::span<const Vec3> x, std::span<Vec3> result)> multiply;  // A x
    FunctionRef<bool(const CgProgress&)> is_done;                                 // asked before each iteration
    FunctionRef<void(std::span<const Vec3> r, std::span<Vec3> z)> precondition = no_preconditioner;  // z ~ A^-1 r, SPD
    FunctionRef<void(std::span<Vec3>)> project = no_constraints;
    int most_iterations = 1000;
    bool is_preconditioned = true;  // false: precondition() is not called
    bool starts_at_zero = false;    // x is 0 on entry: A x need not be computed
};

enum class CgReason {
    converged,  // is_done() said so, or |r| <= 1e-140
    zero_rhs,   // r = 0 at the start: x is the solution already
    iteration_limit,
    not_positive_definite,  // a direction with p . A p <= 0, or r . z <= 0 of the preconditioner
    not_finite,             // a function gave infinity or not-a-number, or the numbers overflowed
};
std::string_view to_string(CgReason reason);

struct CgReport {
    int iterations = 0;
    Real initial_residual = 0;
    Real residual = 0;  // of the returned x, by recurrence: rounding may have driven the true one away below 1e-12
    CgReason reason = CgReason::converged;

    bool is_success() const { return reason == CgReason::converged || reason == CgReason::zero_rhs; }
};

// Keep one to solve often: memory is only taken when the vectors grow.
class ConjugateGradients {
public:
    // Improves x, which is the start on entry. x is finite on return if it was on entry: where the solve broke down it
    // is the iterate before, which among all so far makes x . A x / 2 - b . x smallest.
    CgReport solve(const CgProblem& problem, std::span<const Vec3> b, std::span<Vec3> x);

private:
    template <class Term>
    Real sum(std::size_t n, Term&& term);
    CgReport iterate(const CgProblem& problem, std::span<Vec3> x, CgReport report);

    std::vector<Vec3> residual_, preconditioned_, direction_, product_, start_;
    std::vector<Real> partial_;
};

// Done when |r| <= tolerance * reference.
struct RelativeTo {
    Real tolerance;
    Real reference;
    bool operator()(const CgProgress& p) const { return p.residual <= tolerance * reference; }
};
// Done when |r| <= tolerance * (|r| at the start).
struct RelativeResidual {
    Real tolerance;
    bool operator()(const CgProgress& p) const { return p.residual <= tolerance * p.initial_residual; }
};

}  // namespace pliant
