#include "pliant/math/svd.h"

#include <cassert>

#include "pliant/math/simd_pair.h"

namespace pliant {
namespace {

template <class T>
struct Limits;
template <>
struct Limits<double> {
    static constexpr double cosine = 4e-15;      // columns this close to a right angle are orthogonal
    static constexpr double tiny = 1e-140;       // a square below which a product of two would underflow
    static constexpr double vanished = 1e-280;   // |b_1|^2 / |b_0|^2 at which b_1 has no direction any more
    static constexpr double largest = 0x1p1021;  // scales stay within [1 / largest, largest]
};
template <>
struct Limits<float> {
    static constexpr float cosine = 6e-7f;
    static constexpr float tiny = 1e-17f;
    static constexpr float vanished = 1e-26f;
    static constexpr float largest = 0x1p125f;
};
constexpr int most_sweeps = 16;  // five are usual, eight rare

// B = A V of which the columns become orthogonal. V is the rotation of a quaternion that is never normalised: each
// rotation by tan(angle / 2) = t multiplies both B and |q|^2 by 1 + t^2, and one division at the end makes up for it.
template <class P>
struct Iterate {
    WideVec3<P> b[3];
    P w, x, y, z;
};

template <class P>
struct Gram {
    P g00, g11, g22, g01, g02, g12;
};

template <class P>
[[gnu::always_inline]] inline Gram<P> gram(const WideVec3<P>* b) {
    return {dot(b[0], b[0]), dot(b[1], b[1]), dot(b[2], b[2]), dot(b[0], b[1]), dot(b[0], b[2]), dot(b[1], b[2])};
}

// tan(angle / 2) of the rotation in the plane of columns i and j, with squared lengths a and d and product g, that
// makes them orthogonal and the first the longer one:
//     tan(2 angle) = 2 g / (a - d),   0 <= |angle| <= pi / 2.
// With X = |2 g|, Y = |a - d|, the quarter angle u = tan(atan(X / Y) / 4) is close to X (Y + k X) / (4 Y^2 + 4 k X Y +
// 5/4 X^2), k = 5/4 tan(pi / 8): exact at both ends, of fifth order at X = 0, and off by less than 3e-3 between.
// Orthogonality of the rotation does not depend on it. If d > a, the angle is the complement: t = (1 - u) / (1 + u).
template <class P>
[[gnu::always_inline]] inline P half_angle_tangent(P a, P d, P g) {
    using namespace simd;
    using T = typename P::Scalar;
    constexpr T k = T(0.517766952966369);
    const P difference = a - d;
    const P X = abs(g + g);
    const P Y = max(abs(difference), Limits<T>::tiny);
    const P s = X * fma(X, k, Y);
    const P c = fma(Y, fma(X, 4 * k, T(4) * Y), T(1.25) * (X * X));
    const auto is_rising = difference < P(T(0));
    return times_sign(select(is_rising, c - s, s) / select(is_rising, c + s, c), g);
}

// b_i <- (1 - t^2) b_i + 2 t b_j,  b_j <- (1 - t^2) b_j - 2 t b_i,  b_k <- (1 + t^2) b_k
template <class P>
[[gnu::always_inline]] inline void rotate_columns(WideVec3<P>& bi, WideVec3<P>& bj, WideVec3<P>& bk, P t) {
    using namespace simd;
    const P one(1);
    const P S = t + t, C = fnma(t, t, one), N = fma(t, t, one);
    const auto turn = [&](P& u, P& v) __attribute__((always_inline)) {
        const P u_new = fma(u, C, v * S);
        v = fnma(u, S, v * C);
        u = u_new;
    };
    turn(bi.x, bj.x);
    turn(bi.y, bj.y);
    turn(bi.z, bj.z);
    bk = bk * N;
}

// One rotation in each plane, for the active lanes; for the others all numbers stay the same to the last bit.
template <class P, class M>
[[gnu::always_inline]] inline void sweep(Iterate<P>& it, const Gram<P>& G, M active) {
    using namespace simd;
    auto& [b, w, x, y, z] = it;
    const auto turn_quaternion = [](P t, P& p, P& axis, P& u, P& v) __attribute__((always_inline)) {
        // q (1 + t axis): u and v are the components that the axis turns into each other.
        const P p_new = fnma(axis, t, p), u_new = fma(v, t, u);
        axis = fma(p, t, axis);
        v = fnma(u, t, v);
        p = p_new;
        u = u_new;
    };
    const P t01 = keep(active, half_angle_tangent(G.g00, G.g11, G.g01));
    rotate_columns(b[0], b[1], b[2], t01);
    turn_quaternion(t01, w, z, x, y);

    const P t02 = keep(active, half_angle_tangent(dot(b[0], b[0]), dot(b[2], b[2]), dot(b[0], b[2])));
    rotate_columns(b[0], b[2], b[1], t02);
    turn_quaternion(-t02, w, y, z, x);

    const P t12 = keep(active, half_angle_tangent(dot(b[1], b[1]), dot(b[2], b[2]), dot(b[1], b[2])));
    rotate_columns(b[1], b[2], b[0], t12);
    turn_quaternion(t12, w, x, y, z);
}

// The lanes that need another sweep: columns not orthogonal, or not in the order of their lengths. False for NaN.
template <class P>
[[gnu::always_inline]] inline auto unfinished(const Gram<P>& G) {
    using T = typename P::Scalar;
    constexpr T cosine = Limits<T>::cosine;
    constexpr T order = 1 - 16 * std::numeric_limits<T>::epsilon();
    const P limit(cosine * cosine);
    return (G.g01 * G.g01 > limit * G.g00 * G.g11) | (G.g02 * G.g02 > limit * G.g00 * G.g22) |
           (G.g12 * G.g12 > limit * G.g11 * G.g22) | (G.g00 < P(order) * G.g11) | (G.g11 < P(order) * G.g22);
}

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

// The rotation matrix of the quaternion; `reciprocal` is 1 / |q|^2.
template <class P>
[[gnu::always_inline]] inline WideMat3<P> rotation_matrix(P w, P x, P y, P z, P reciprocal) {
    using namespace simd;
    const P r2 = reciprocal + reciprocal;
    const P xs = x * r2, ys = y * r2, zs = z * r2;
    const P wx = w * xs, wy = w * ys, wz = w * zs;
    const P xx = x * xs, yy = y * ys, zz = z * zs;
    const P one(1);
    return {{{one - (yy + zz), fma(x, ys, wz), fma(x, zs, -wy)},
             {fma(x, ys, -wz), one - (xx + zz), fma(y, zs, wx)},
             {fma(x, zs, wy), fma(y, zs, -wx), one - (xx + yy)}}};
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

// U and sigma from orthogonal columns: u_0 along b_0, u_1 along b_1, u_2 = u_0 x u_1; the last singular value
// u_2 . b_2 then has the sign of the determinant.
template <class P>
[[gnu::always_inline]] inline void finish(const Iterate<P>& it, const Gram<P>& G, P scale, WideSvd<P>& result) {
    using namespace simd;
    using T = typename P::Scalar;
    const P one(1), zero(0);
    const auto& b = it.b;
    const P length0 = sqrt(G.g00), length1 = sqrt(G.g11);
    const P reciprocal = one / fma(it.z, it.z, fma(it.y, it.y, fma(it.x, it.x, it.w * it.w)));
    WideVec3<P> u0 = b[0] * (one / length0);
    const auto is_zero = G.g00 <= zero;
    if (any(is_zero)) u0 = select(is_zero, WideVec3<P>{one, zero, zero}, u0);
    const P along = dot(u0, b[1]);
    WideVec3<P> u1 = {fnma(along, u0.x, b[1].x), fnma(along, u0.y, b[1].y), fnma(along, u0.z, b[1].z)};
    u1 = u1 * (one / sqrt(dot(u1, u1)));
    const auto is_line = G.g11 <= P(Limits<T>::vanished) * G.g00;
    if (any(is_line)) u1 = select(is_line, perpendicular(u0), u1);
    const WideVec3<P> u2 = cross(u0, u1);

    result.U = {{u0, u1, u2}};
    const P unit = reciprocal * scale;
    const P s0 = length0 * unit;
    const P s1 = min(length1 * unit, s0);
    const P s2 = max(min(dot(u2, b[2]) * unit, s1), -s1);
    result.sigma = {s0, s1, s2};
    result.V = rotation_matrix(it.w, it.x, it.y, it.z, reciprocal);
}

template <class P>
WideSvd<P> decompose(const WideMat3<P>& A) {
    using namespace simd;
    using T = typename P::Scalar;
    const P scale = scale_of(A);
    const P down = reciprocal_of_power(scale);
    Iterate<P> it = {{A.column[0] * down, A.column[1] * down, A.column[2] * down}, P(1), P(0), P(0), P(0)};
    Gram<P> G = gram(it.b);
    const auto is_finite = G.g00 + G.g11 + G.g22 < P(T(1e6));
    for (int i = 0; i < most_sweeps; ++i) {
        const auto active = unfinished(G) & is_finite;
        if (none(active)) break;
        sweep(it, G, active);
        G = gram(it.b);
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
    constexpr std::size_t size = 21;  // numbers in a result
    static_assert(sizeof(SvdOf<T>) == size * sizeof(T));
    assert(A.size() == result.size());
    std::size_t i = 0;
    for (; i + 2 * N <= A.size(); i += 2 * N) {
        const auto first = load_matrices<P>(&A[i]), second = load_matrices<P>(&A[i + N]);
        WideMat3<Pair> both;
        for (int k = 0; k < 9; ++k) both.data()[k] = Pair(first.data()[k], second.data()[k]);
        const WideSvd<Pair> wide = decompose(both);
        P numbers[2][size];
        const Pair* entries = wide.U.data();
        for (std::size_t k = 0; k < size; ++k) {
            numbers[0][k] = entries[k].a;
            numbers[1][k] = entries[k].b;
        }
        store_records<size>(result[i].U.data(), size, numbers[0]);
        store_records<size>(result[i + N].U.data(), size, numbers[1]);
    }
    for (; i < A.size(); i += N) {
        const std::size_t count = std::min<std::size_t>(N, A.size() - i);
        Eigen::Matrix<T, 3, 3> in[N];
        SvdOf<T> out[N];
        for (int k = 0; k < N; ++k) in[k] = A[i + std::min<std::size_t>(k, count - 1)];
        const WideSvd<P> wide = svd(load_matrices<P>(in));
        store_records<size>(out[0].U.data(), size, wide.U.data());
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

void svd(std::span<const Mat3> A, std::span<Svd> result) { decompose_array<Double4>(A, result); }
void svd(std::span<const Eigen::Matrix3f> A, std::span<Svdf> result) { decompose_array<Float8>(A, result); }

}  // namespace pliant
