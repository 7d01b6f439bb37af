#include "pliant/math/svd.h"

#include <cassert>

#include "pliant/math/simd_pair.h"
#include "pliant/math/svd_iteration.h"

namespace pliant {
namespace {

using namespace svd_detail;

constexpr int most_sweeps = 16;  // two or three are usual

// A unit vector at right angles to the unit vector u: the axis that is farthest from u, made orthogonal.
template <class P>
WideVec3<P> perpendicular(const WideVec3<P>& u) {
    using namespace simd;
    const P zero(0), one(1);
    const P ax = abs(u.x), ay = abs(u.y), az = abs(u.z);
    const auto is_x = (ax <= ay) & (ax <= az);
    const auto is_y = (ay <= az) & !is_x;
    const WideVec3<P> axis = {select(is_x, one, zero), select(is_y, one, zero), select(is_x | is_y, zero, one)};
    const WideVec3<P> v = cross(u, axis);
    return v * (one / sqrt(dot(v, v)));
}

// The largest absolute entry as a power of two, kept away from where it or its reciprocal would overflow.
template <class P>
[[gnu::always_inline]] inline P scale_of(const WideMat3<P>& A) {
    using namespace simd;
    const auto& c = A.column;
    const auto largest = [](const WideVec3<P>& v) { return max(max(abs(v.x), abs(v.y)), abs(v.z)); };
    constexpr auto limit = Limits<typename P::Scalar>::largest;
    const P m = max(max(largest(c[0]), largest(c[1])), largest(c[2]));
    return power_of_two_below(min(max(m, 1 / limit), limit));
}

// A rotation by nothing may turn -0 into 0. How many of those a matrix goes through depends on the others of its pack;
// its bits must not.
template <class P>
[[gnu::always_inline]] inline WideVec3<P> without_minus_zero(const WideVec3<P>& v) {
    const P zero(0);
    return v + WideVec3<P>{zero, zero, zero};
}

// U and sigma from orthogonal columns: u_0 along b_0, u_1 along b_1, u_2 = u_0 x u_1; the last singular value
// u_2 . b_2 then has the sign of the determinant.
template <class P>
[[gnu::always_inline]] inline void finish(const Iterate<P>& it, const Gram<P>& G, P scale, WideSvd<P>& result) {
    using namespace simd;
    using T = typename P::Scalar;
    const P one(1), zero(0);
    const auto& b = it.b;
    const P length0 = sqrt(G.g00), length1 = sqrt(G.g11);
    const P reciprocal = one / squared_length(it.q);
    WideVec3<P> u0 = b[0] * (one / length0);
    const auto is_zero = G.g00 <= zero;
    if (any(is_zero)) u0 = select(is_zero, WideVec3<P>{one, zero, zero}, u0);
    const P along = dot(u0, b[1]);
    WideVec3<P> u1 = {fnma(along, u0.x, b[1].x), fnma(along, u0.y, b[1].y), fnma(along, u0.z, b[1].z)};
    u1 = u1 * (one / sqrt(dot(u1, u1)));
    const auto is_line = G.g11 <= P(Limits<T>::vanished) * G.g00;
    if (any(is_line)) u1 = select(is_line, perpendicular(u0), u1);
    const WideVec3<P> u2 = cross(u0, u1);

    result.U = {{without_minus_zero(u0), without_minus_zero(u1), without_minus_zero(u2)}};
    const P unit = reciprocal * scale;
    const P s0 = length0 * unit;
    const P s1 = min(length1 * unit, s0);
    const P s2 = max(min(dot(u2, b[2]) * unit, s1), -s1);
    result.sigma = without_minus_zero(WideVec3<P>{s0, s1, s2});
    result.V = rotation_matrix(it.q, reciprocal);
    for (auto& v : result.V.column) v = without_minus_zero(v);
}

template <class P>
WideSvd<P> decompose(const WideMat3<P>& A) {
    using namespace simd;
    using T = typename P::Scalar;
    const P scale = scale_of(A);
    const P down = reciprocal_of_power(scale);
    Iterate<P> it = {{A.column[0] * down, A.column[1] * down, A.column[2] * down}, {P(1), P(0), P(0), P(0)}};
    Gram<P> G = gram(it.b);
    const auto is_finite = G.g00 + G.g11 + G.g22 < P(T(1e6));
    auto active = unfinished(G) & is_finite;
    if (any(active)) {
        turn_to_eigenvector(it, G, active);
        sweep<Angle::exact>(it, active);
        G = gram(it.b);
        active = unfinished(G) & is_finite;
    }
    for (int i = 0; i < most_sweeps && any(active); ++i) {
        sweep<Angle::rough>(it, active);
        G = gram(it.b);
        active = unfinished(G) & is_finite;
    }
    WideSvd<P> result;
    finish(it, G, scale, result);
    if (!all(is_finite)) {
        const P nan(std::numeric_limits<T>::quiet_NaN());
        result.U = select(is_finite, result.U, WideMat3<P>::identity());
        result.V = select(is_finite, result.V, WideMat3<P>::identity());
        result.sigma = select(is_finite, result.sigma, {nan, nan, nan});
    }
    return result;
}

template <class P>
void decompose_array(std::span<const Eigen::Matrix<typename P::Scalar, 3, 3>> A,
                     std::span<SvdOf<typename P::Scalar>> result) {
    using T = typename P::Scalar;
    using Pair = simd::PackPair<P>;
    constexpr int N = P::width;
    constexpr std::size_t size = 21;  // entries of U, sigma and V, one after another in SvdOf as in WideSvd
    static_assert(sizeof(SvdOf<T>) == size * sizeof(T));
    const auto numbers = [](SvdOf<T>& s) { return reinterpret_cast<T*>(&s); };
    assert(A.size() == result.size());
    std::size_t i = 0;
    for (; i + 2 * N <= A.size(); i += 2 * N) {
        const auto first = load_matrices<P>(&A[i]), second = load_matrices<P>(&A[i + N]);
        WideMat3<Pair> both;
        for (int k = 0; k < 9; ++k) both.data()[k] = Pair(first.data()[k], second.data()[k]);
        const WideSvd<Pair> wide = decompose(both);
        store_records<size, P>(numbers(result[i]), size, [&](int k) { return wide.data()[k].a; });
        store_records<size, P>(numbers(result[i + N]), size, [&](int k) { return wide.data()[k].b; });
    }
    for (; i < A.size(); i += N) {
        const std::size_t count = std::min<std::size_t>(N, A.size() - i);
        Eigen::Matrix<T, 3, 3> in[N];
        SvdOf<T> out[N];
        for (int k = 0; k < N; ++k) in[k] = A[i + std::min<std::size_t>(k, count - 1)];
        const WideSvd<P> wide = svd(load_matrices<P>(in));
        store_records<size, P>(numbers(out[0]), size, [&](int k) { return wide.data()[k]; });
        std::copy_n(out, count, result.begin() + i);
    }
}

}  // namespace

template <class P>
WideSvd<P> svd(const WideMat3<P>& A) {
    return decompose(A);
}

template WideSvd<Float8> svd(const WideMat3<Float8>&);
template WideSvd<Double4> svd(const WideMat3<Double4>&);

Svd svd(const Mat3& A) {
    WideMat3<Double4> wide;
    for (int k = 0; k < 9; ++k) wide.data()[k] = A.data()[k];
    const WideSvd<Double4> all = svd(wide);
    Svd result;
    for (int k = 0; k < 9; ++k) result.U.data()[k] = all.U.data()[k][0];
    for (int k = 0; k < 9; ++k) result.V.data()[k] = all.V.data()[k][0];
    result.sigma = {all.sigma.x[0], all.sigma.y[0], all.sigma.z[0]};
    return result;
}

void svd(std::span<const Mat3> A, std::span<Svd> result) {
    decompose_array<Double4>(A, result);
}
void svd(std::span<const Eigen::Matrix3f> A, std::span<Svdf> result) {
    decompose_array<Float8>(A, result);
}

}  // namespace pliant
