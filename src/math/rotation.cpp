#include "pliant/math/rotation.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "pliant/math/polar.h"
#include "pliant/math/simd_pair.h"
#include "pliant/math/svd.h"

namespace pliant {
namespace {

constexpr int most_iterations = 20;

// Symmetric, by its lower triangle.
template <class P>
struct WideSymmetric {
    P xx, yy, zz, yz, xz, xy;
};

template <class P>
struct Step {
    WideVec3<P> w;
    typename P::Lanes is_definite;  // the matrix of the step
    typename P::Lanes is_maximum;   // no clearly negative eigenvalue: if w = 0, tr(R^T A) is largest
};

// tr B 1 - sym B
template <class P>
[[gnu::always_inline]] inline WideSymmetric<P> hessian(const WideMat3<P>& B) {
    const auto& [c0, c1, c2] = B.column;
    const P half(typename P::Scalar(0.5));
    return {c1.y + c2.z, c0.x + c2.z, c0.x + c1.y, -half * (c1.z + c2.y), -half * (c0.z + c2.x), -half * (c0.y + c1.x)};
}

template <class P>
[[gnu::always_inline]] inline Step<P> newton_step(const WideMat3<P>& B) {
    using namespace simd;
    using T = typename P::Scalar;
    const auto& [c0, c1, c2] = B.column;
    const P one(1), zero(0), tiny(std::numeric_limits<T>::min() * T(1e8));
    const WideVec3<P> ax = {c1.z - c2.y, c2.x - c0.z, c0.y - c1.x};
    const auto [a, b, c, d, e, f] = hessian(B);
    const P A = fnma(d, d, b * c), D = fnma(a, d, e * f), E = fnma(b, e, d * f);  // cofactors
    const P F = fnma(c, f, d * e), M = fnma(e, e, a * c), C = fnma(f, f, a * b);
    const P determinant = fma(e, E, fma(f, F, a * A));
    const P trace = a + b + c;  // twice tr B
    const P rounding = P(8 * std::numeric_limits<T>::epsilon()) * trace;

    Step<P> step;
    step.is_definite = (a > zero) & (C > zero) & (determinant > rounding * trace * trace);
    step.is_maximum = (trace >= zero) & (A + M + C >= -rounding * trace) & (determinant >= -rounding * trace * trace);
    const WideVec3<P> adjugate = {fma(E, ax.z, fma(F, ax.y, A * ax.x)), fma(D, ax.z, fma(M, ax.y, F * ax.x)),
                                  fma(C, ax.z, fma(D, ax.y, E * ax.x))};
    const P half_trace = max(abs(trace) * P(T(0.5)), tiny);
    const P scale = one / select(step.is_definite, determinant, half_trace);
    step.w = select(step.is_definite, adjugate, ax) * scale;
    const auto is_long = dot(step.w, step.w) > one;
    if (any(is_long)) step.w = step.w * select(is_long, one / sqrt(dot(step.w, step.w)), one);
    return step;
}

// q (1, w / 2)
template <class P>
[[gnu::always_inline]] inline WideQuat<P> turned(const WideQuat<P>& q, const WideVec3<P>& w) {
    using namespace simd;
    const auto [x, y, z] = w * P(typename P::Scalar(0.5));
    return {fnma(q.z, z, fnma(q.y, y, fnma(q.x, x, q.w))), fma(q.w, x, fma(q.y, z, fnma(q.z, y, q.x))),
            fma(q.w, y, fma(q.z, x, fnma(q.x, z, q.y))), fma(q.w, z, fma(q.x, y, fnma(q.y, x, q.z)))};
}

template <class P>
[[gnu::always_inline]] inline WideQuat<P> times(const WideQuat<P>& q, P s) {
    return {q.w * s, q.x * s, q.y * s, q.z * s};
}

// Unit length; 1 where the start is of no use.
template <class P>
[[gnu::always_inline]] inline WideQuat<P> usable(const WideQuat<P>& q) {
    using namespace simd;
    using T = typename P::Scalar;
    const P zero(0), one(1);
    const P square = squared_length(q);
    const auto is_usable = (square > P(std::numeric_limits<T>::min())) & (square < P(std::numeric_limits<T>::max()));
    const P s = one / sqrt(select(is_usable, square, one));
    return select(is_usable, times(q, s), WideQuat<P>{one, zero, zero, zero});
}

// A over the power of two below its largest entry; lanes that are not finite become zero and are reported.
template <class P>
[[gnu::always_inline]] inline WideMat3<P> scaled(const WideMat3<P>& A, typename P::Lanes& is_finite) {
    using namespace simd;
    using T = typename P::Scalar;
    const P limit(T(1) / (4 * std::numeric_limits<T>::min())), zero(0);
    P largest(0), sum(0);
    for (int k = 0; k < 9; ++k) {
        largest = max(abs(A.data()[k]), largest);
        sum = fma(A.data()[k], zero, sum);  // stays zero unless an entry is not finite
    }
    is_finite = sum == zero;
    const P down = reciprocal_of_power(power_of_two_below(min(max(largest, P(T(1)) / limit), limit)));
    WideMat3<P> result;
    for (int k = 0; k < 9; ++k) result.data()[k] = keep(is_finite, A.data()[k] * down);
    return result;
}

// The quaternions of U V^T, for the lanes of the mask.
template <class P>
void use_singular_values(const WideMat3<P>& A, typename P::Lanes lanes, WideQuat<P>& q) {
    using T = typename P::Scalar;
    for (int i = 0; i < P::width; ++i) {
        if (!lanes[i]) continue;
        Mat3 matrix;
        for (int k = 0; k < 9; ++k) matrix.data()[k] = A.data()[k][i];
        const Quat exact(polar(matrix).R);
        q.w.set(i, T(exact.w()));
        q.x.set(i, T(exact.x()));
        q.y.set(i, T(exact.y()));
        q.z.set(i, T(exact.z()));
    }
}

template <class P>
WideRotationFit<P> fit_rotation(const WideMat3<P>& matrix, const WideQuat<P>& start, typename P::Scalar tolerance) {
    using namespace simd;
    const P limit(tolerance * tolerance), one(1);
    typename P::Lanes is_active;
    const WideMat3<P> A = scaled(matrix, is_active);
    WideRotationFit<P> fit = {usable(start), P(0), P(1) < P(0)};
    WideQuat<P>& q = fit.rotation;  // grows with every turn; its length is put right at the end
    for (int i = 0; i < most_iterations && any(is_active); ++i) {
        const WideMat3<P> R = rotation_matrix(q, one / squared_length(q));
        const Step<P> step = newton_step(transpose_times(R, A));
        q = select(is_active, turned(q, step.w), q);
        fit.iterations = fit.iterations + keep(is_active, one);
        const auto has_stopped = is_active & (dot(step.w, step.w) <= limit);
        fit.by_singular_values = fit.by_singular_values | (has_stopped & !step.is_maximum);
        is_active = is_active & !has_stopped;
    }
    q = times(q, one / sqrt(squared_length(q)));
    fit.by_singular_values = fit.by_singular_values | is_active;
    if (any(fit.by_singular_values)) use_singular_values(A, fit.by_singular_values, q);
    return fit;
}

// The first `count` matrices and their rotations, which are replaced; other lanes repeat the last. Iterations of all.
template <class P>
std::size_t fit_some(const Mat3* A, Quat* rotations, int count, Real tolerance) {
    WideMat3<P> wide;
    WideQuat<P> start;
    for (int i = 0; i < P::width; ++i) {
        const int from = std::min(i, count - 1);
        for (int k = 0; k < 9; ++k) wide.data()[k].set(i, A[from].data()[k]);
        start.w.set(i, rotations[from].w());
        start.x.set(i, rotations[from].x());
        start.y.set(i, rotations[from].y());
        start.z.set(i, rotations[from].z());
    }
    const auto fit = fit_rotation(wide, start, tolerance);
    std::size_t iterations = 0;
    for (int i = 0; i < count; ++i) {
        rotations[i] = Quat(fit.rotation.w[i], fit.rotation.x[i], fit.rotation.y[i], fit.rotation.z[i]);
        iterations += static_cast<std::size_t>(fit.iterations[i]);
    }
    return iterations;
}

}  // namespace

template <class P>
WideRotationFit<P> nearest_rotation(const WideMat3<P>& A, const WideQuat<P>& start, typename P::Scalar tolerance) {
    return fit_rotation(A, start, tolerance);
}

template WideRotationFit<Float8> nearest_rotation(const WideMat3<Float8>&, const WideQuat<Float8>&, float);
template WideRotationFit<Double4> nearest_rotation(const WideMat3<Double4>&, const WideQuat<Double4>&, double);

RotationFit nearest_rotation(const Mat3& A, const Quat& start, Real tolerance) {
    WideMat3<Double4> wide;
    for (int k = 0; k < 9; ++k) wide.data()[k] = A.data()[k];
    const auto fit = nearest_rotation<Double4>(wide, {start.w(), start.x(), start.y(), start.z()}, tolerance);
    const auto& q = fit.rotation;
    return {Quat(q.w[0], q.x[0], q.y[0], q.z[0]), static_cast<int>(fit.iterations[0]), fit.by_singular_values[0]};
}

std::size_t nearest_rotations(std::span<const Mat3> A, std::span<Quat> rotations, Real tolerance) {
    using Pair = simd::PackPair<Double4>;
    constexpr std::size_t N = Double4::width;
    assert(A.size() == rotations.size());
    std::size_t i = 0, iterations = 0;
    for (; i + 2 * N <= A.size(); i += 2 * N) {
        WideMat3<Pair> wide;
        WideQuat<Pair> start;
        const auto first = load_matrices<Double4>(&A[i]), second = load_matrices<Double4>(&A[i + N]);
        for (int k = 0; k < 9; ++k) wide.data()[k] = Pair(first.data()[k], second.data()[k]);
        Double4 q[2][4];  // x, y, z, w as Quat keeps them
        load_records<4>(rotations[i].coeffs().data(), 4, q[0]);
        load_records<4>(rotations[i + N].coeffs().data(), 4, q[1]);
        start = {{q[0][3], q[1][3]}, {q[0][0], q[1][0]}, {q[0][1], q[1][1]}, {q[0][2], q[1][2]}};
        const auto fit = fit_rotation(wide, start, tolerance);
        const auto& r = fit.rotation;
        const Pair found[4] = {r.x, r.y, r.z, r.w};
        store_records<4, Double4>(rotations[i].coeffs().data(), 4, [&](int k) { return found[k].a; });
        store_records<4, Double4>(rotations[i + N].coeffs().data(), 4, [&](int k) { return found[k].b; });
        iterations += static_cast<std::size_t>(sum(fit.iterations.a) + sum(fit.iterations.b));
    }
    for (; i < A.size(); i += N) {
        const int count = static_cast<int>(std::min<std::size_t>(N, A.size() - i));
        iterations += fit_some<Double4>(&A[i], &rotations[i], count, tolerance);
    }
    return iterations;
}

}  // namespace pliant
