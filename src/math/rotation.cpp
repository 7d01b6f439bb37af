#include "pliant/math/rotation.h"

#include <limits>

#include "pliant/math/polar.h"
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
WideSymmetric<P> hessian(const WideMat3<P>& B) {
    const auto& [c0, c1, c2] = B.column;
    const P half(typename P::Scalar(0.5));
    return {c1.y + c2.z, c0.x + c2.z, c0.x + c1.y, -half * (c1.z + c2.y), -half * (c0.z + c2.x), -half * (c0.y + c1.x)};
}

template <class P>
Step<P> newton_step(const WideMat3<P>& B) {
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
    const P length = sqrt(dot(step.w, step.w));
    step.w = step.w * (one / max(length, one));
    return step;
}

// q (1, w / 2), to unit length
template <class P>
WideQuat<P> turned(const WideQuat<P>& q, const WideVec3<P>& w) {
    using namespace simd;
    const P half(typename P::Scalar(0.5));
    const WideVec3<P> h = w * half;
    const WideQuat<P> r = {fnma(q.z, h.z, fnma(q.y, h.y, fnma(q.x, h.x, q.w))), fma(q.w, h.x, fma(q.y, h.z, fnma(q.z, h.y, q.x))),
                           fma(q.w, h.y, fma(q.z, h.x, fnma(q.x, h.z, q.y))), fma(q.w, h.z, fma(q.x, h.y, fnma(q.y, h.x, q.z)))};
    const P s = P(1) / sqrt(fma(r.z, r.z, fma(r.y, r.y, fma(r.x, r.x, r.w * r.w))));
    return {r.w * s, r.x * s, r.y * s, r.z * s};
}

template <class P, class M>
WideQuat<P> select_quaternion(M m, const WideQuat<P>& a, const WideQuat<P>& b) {
    using namespace simd;
    return {select(m, a.w, b.w), select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

// Unit length; 1 where the start is of no use.
template <class P>
WideQuat<P> usable(const WideQuat<P>& q) {
    using namespace simd;
    using T = typename P::Scalar;
    const P zero(0), one(1);
    const P square = fma(q.z, q.z, fma(q.y, q.y, fma(q.x, q.x, q.w * q.w)));
    const auto is_usable = (square > P(std::numeric_limits<T>::min())) & (square < P(std::numeric_limits<T>::max()));
    const P s = one / sqrt(select(is_usable, square, one));
    return select_quaternion(is_usable, {q.w * s, q.x * s, q.y * s, q.z * s}, {one, zero, zero, zero});
}

// A over the power of two below its largest entry; lanes that are not finite become zero and are reported.
template <class P>
WideMat3<P> scaled(const WideMat3<P>& A, typename P::Lanes& is_finite) {
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
    const WideMat3<P> R = polar(A).R;
    for (int i = 0; i < P::width; ++i) {
        if (!lanes[i]) continue;
        Eigen::Matrix<T, 3, 3> matrix;
        for (int k = 0; k < 9; ++k) matrix.data()[k] = R.data()[k][i];
        const Eigen::Quaternion<T> exact(matrix);
        q.w.set(i, exact.w());
        q.x.set(i, exact.x());
        q.y.set(i, exact.y());
        q.z.set(i, exact.z());
    }
}

}  // namespace

template <class P>
WideRotationFit<P> nearest_rotation(const WideMat3<P>& matrix, const WideQuat<P>& start, typename P::Scalar tolerance) {
    using namespace simd;
    const P limit(tolerance * tolerance), one(1);
    typename P::Lanes is_active;
    const WideMat3<P> A = scaled(matrix, is_active);
    WideRotationFit<P> fit = {usable(start), P(0), P(1) < P(0)};
    for (int i = 0; i < most_iterations && any(is_active); ++i) {
        const Step<P> step = newton_step(transpose_times(rotation_matrix(fit.rotation), A));
        fit.rotation = select_quaternion(is_active, turned(fit.rotation, step.w), fit.rotation);
        fit.iterations = fit.iterations + keep(is_active, one);
        const auto has_stopped = is_active & (dot(step.w, step.w) <= limit);
        fit.by_singular_values = fit.by_singular_values | (has_stopped & !step.is_maximum);
        is_active = is_active & !has_stopped;
    }
    fit.by_singular_values = fit.by_singular_values | is_active;
    if (any(fit.by_singular_values)) use_singular_values(A, fit.by_singular_values, fit.rotation);
    return fit;
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

}  // namespace pliant
