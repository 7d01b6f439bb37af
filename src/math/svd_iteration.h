// The Jacobi iteration of svd.cpp, for packs of matrices and for pairs of packs.
#pragma once

#include "pliant/math/simd.h"
#include "pliant/math/wide.h"

namespace pliant::svd_detail {

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
    static constexpr float cosine = 1e-6f;
    static constexpr float tiny = 1e-17f;
    static constexpr float vanished = 1e-26f;
    static constexpr float largest = 0x1p125f;
};

// B = A V of which the columns become orthogonal. V is the rotation of a quaternion that is never normalised: each
// rotation by tan(angle / 2) = t multiplies both B and |q|^2 by 1 + t^2, and one division at the end makes up for it.
template <class P>
struct Iterate {
    WideVec3<P> b[3];
    WideQuat<P> q;
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
// With X = |2 g|, Y = |a - d|, the quarter angle is u = tan(atan(X / Y) / 4); if d > a, the angle is the complement,
// t = (1 - u) / (1 + u). Halving the angle of a vector twice takes two roots. Where X << Y, or where another sweep
// follows, this will do: X (Y + k X) / (4 Y^2 + 4 k X Y + 5/4 X^2), k = 5/4 tan(pi / 8), which is exact at both ends,
// of fifth order at X = 0, and off by less than 3e-3 between. V is a rotation in any case.
enum class Angle { exact, rough };

template <Angle accuracy, class P>
[[gnu::always_inline]] inline P half_angle_tangent(const WideVec3<P>& bi, const WideVec3<P>& bj) {
    using namespace simd;
    using T = typename P::Scalar;
    const P a = dot(bi, bi), d = dot(bj, bj), g = dot(bi, bj);
    const P difference = a - d;
    const P X = abs(g + g), XX = X * X;
    const P Y = max(abs(difference), Limits<T>::tiny);
    P s, c;
    if constexpr (accuracy == Angle::exact) {
        const P twice = Y + sqrt(fma(Y, Y, XX));
        s = X;
        c = twice + sqrt(fma(twice, twice, XX));
    } else {
        constexpr T k = T(0.517766952966369);
        s = X * fma(X, k, Y);
        c = fma(Y, fma(X, 4 * k, T(4) * Y), T(1.25) * XX);
    }
    const auto is_rising = difference < P(T(0));
    return times_sign(select(is_rising, c - s, s) / select(is_rising, c + s, c), g);
}

// b_i <- (1 - t^2) b_i + 2 t b_j,  b_j <- (1 - t^2) b_j - 2 t b_i,  b_k <- (1 + t^2) b_k
template <class P>
[[gnu::always_inline]] inline void rotate_columns(WideVec3<P>& bi, WideVec3<P>& bj, WideVec3<P>& bk, P t) {
    using namespace simd;
    const P one(1);
    const P S = t + t, C = fnma(t, t, one), N = fma(t, t, one);
    const auto turn = [&](P & u, P & v) __attribute__((always_inline)) {
        const P u_new = fma(u, C, v * S);
        v = fnma(u, S, v * C);
        u = u_new;
    };
    turn(bi.x, bj.x);
    turn(bi.y, bj.y);
    turn(bi.z, bj.z);
    bk = bk * N;
}

// q <- q (1 + t axis): u and v are the components that the axis turns into each other.
template <class P>
[[gnu::always_inline]] inline void turn_quaternion(P t, P& w, P& axis, P& u, P& v) {
    using namespace simd;
    const P w_new = fnma(axis, t, w), u_new = fma(v, t, u);
    axis = fma(w, t, axis);
    v = fnma(u, t, v);
    w = w_new;
    u = u_new;
}

// One rotation in each plane, for the active lanes; for the others all numbers stay the same to the last bit. The
// order of the planes also sorts the columns by length. `accuracy` is that of the first rotation.
template <Angle accuracy, class P, class M>
[[gnu::always_inline]] inline void sweep(Iterate<P>& it, M active) {
    using namespace simd;
    auto& b = it.b;
    auto& [w, x, y, z] = it.q;
    const P t12 = keep(active, half_angle_tangent<accuracy>(b[1], b[2]));
    rotate_columns(b[1], b[2], b[0], t12);
    turn_quaternion(t12, w, x, y, z);

    const P t02 = keep(active, half_angle_tangent<Angle::rough>(b[0], b[2]));
    rotate_columns(b[0], b[2], b[1], t02);
    turn_quaternion(-t02, w, y, z, x);

    const P t01 = keep(active, half_angle_tangent<Angle::rough>(b[0], b[1]));
    rotate_columns(b[0], b[1], b[2], t01);
    turn_quaternion(t01, w, z, x, y);
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

// cos(acos(x) / 3) for 0 <= x <= 1, within 5e-6 (float) and 2e-9 (double): fits at Chebyshev's nodes.
template <class P>
[[gnu::always_inline]] inline P third_angle_cosine(P x) {
    using namespace simd;
    const auto horner = [&](auto... c) __attribute__((always_inline)) {
        P result(0);
        ((result = fma(result, x, P(typename P::Scalar(c)))), ...);
        return result;
    };
    if constexpr (sizeof(typename P::Scalar) == 4) {
        return horner(-0.0040353987, 0.0175121886, -0.0459219331, 0.1664117218, 0.8660304320);
    } else {
        return horner(-0.0003028542194240597, 0.001764856944848563, -0.004929691290322403, 0.009383330673889152,
                      -0.015107275213103498, 0.02460429680734677, -0.04810444145527488, 0.16666637114466093,
                      0.8660254055995625);
    }
}

// The eigenvector, of any length, of G = B^T B whose eigenvalue is farthest from the others: with the deviator
// G' = G - tr G / 3, p = |G'|^2 / 6 and x = |det G'| / (2 p^(3/2)) it is lambda = 2 sqrt(p) cos(acos(x) / 3) with the
// sign of det G', never closer than 1.7 sqrt(p) to the next. Its vector is any column of the cofactors of
// G' - lambda; the one with the largest diagonal entry is safe.
template <class P>
[[gnu::always_inline]] inline WideVec3<P> isolated_eigenvector(const Gram<P>& G) {
    using namespace simd;
    using T = typename P::Scalar;
    const P mean = (G.g00 + G.g11 + G.g22) * P(T(1) / 3);
    P a = G.g00 - mean, b = G.g11 - mean, c = G.g22 - mean;
    const P d = G.g12, e = G.g02, f = G.g01;
    const P dd = d * d, ee = e * e, ff = f * f;
    const P p = fma(fma(c, c, fma(b, b, a * a)), T(1) / 6, (dd + ee + ff) * P(T(1) / 3));
    const P root = sqrt(max(p, Limits<T>::tiny));
    const P determinant = fma(a, fnma(d, d, b * c), fnma(b, ee, fnma(c, ff, (d + d) * (e * f))));
    const P x = min(abs(determinant) / (T(2) * root * (root * root)), T(1));
    const P lambda = times_sign(T(2) * root * third_angle_cosine(x), determinant);
    a = a - lambda;
    b = b - lambda;
    c = c - lambda;
    const P A = fma(b, c, -dd), B = fma(a, c, -ee), C = fma(a, b, -ff);
    const P D = fnma(a, d, e * f), E = fnma(b, e, d * f), F = fnma(c, f, d * e);
    const auto is_first = (A >= B) & (A >= C), is_second = B >= C;
    return {select(is_first, A, select(is_second, F, E)), select(is_first, F, select(is_second, B, D)),
            select(is_first, E, select(is_second, D, C))};
}

// Turns the first axis into the isolated eigenvector v, by the quaternion (|v| + v.x, 0, -v.z, v.y): one sweep then
// does what three would. How good v is matters for speed only.
template <class P, class M>
[[gnu::always_inline]] inline void turn_to_eigenvector(Iterate<P>& it, const Gram<P>& G, M active) {
    using namespace simd;
    using T = typename P::Scalar;
    const P one(1);
    const WideVec3<P> v = isolated_eigenvector(G);
    const P length = sqrt(dot(v, v));
    const P scale = times_sign(one, v.x) / max(length + abs(v.x), Limits<T>::tiny);
    const P y = keep(active, -v.z * scale), z = keep(active, v.y * scale);
    const P yy = y * y, zz = z * z, y2 = y + y, z2 = z + z, yz = y * z2;
    const P c0 = (one - yy) - zz, c1 = (one + yy) - zz, c2 = (one - yy) + zz;
    const auto turn = [&](P & u0, P & u1, P & u2) __attribute__((always_inline)) {
        const P v0 = fma(c0, u0, fma(z2, u1, -(y2 * u2)));
        const P v1 = fma(c1, u1, fma(yz, u2, -(z2 * u0)));
        u2 = fma(c2, u2, fma(yz, u1, y2 * u0));
        u0 = v0;
        u1 = v1;
    };
    turn(it.b[0].x, it.b[1].x, it.b[2].x);
    turn(it.b[0].y, it.b[1].y, it.b[2].y);
    turn(it.b[0].z, it.b[1].z, it.b[2].z);
    it.q = {one, P(T(0)), y, z};
}

}  // namespace pliant::svd_detail
