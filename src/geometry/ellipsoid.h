// Ellipsoids: support, and contact with planes and with each other. P is double, float or a pack, whose lane i is
// ellipsoid or pair i; nothing here allocates, and what a lane gets does not depend on the others.
//
// Symbols: S = R diag(a^2, b^2, c^2) R^T the shape, x12 = x_2 - x_1 the offset of the centres, n = x12 / |x12|,
// h(u) = sqrt(u^T S u) the support height, d the distance of the centres along n at which two ellipsoids just touch:
//     d = min_u (h_1(u) + h_2(u)) / n.u = (max_s s (1-s) n^T C^-1 n)^-1/2,   C = (1-s) S_1 + s S_2,     [Perram85]
// and the best u is the common normal m = C^-1 n. ([Mueller11] Eq. 40 is right only for m along n.)
// With t = s / (1-s) and m = (S_1 + t S_2)^-1 n the best t has h_1(m) = t h_2(m). Whatever t is, (h_1 + h_2) / n.m
// bounds d from above and is off by the square of the error of t only: so the last steps are always made with that m.
// A radius may be zero. Where d has several normals (edges of discs, parallel needles) one of them is found.
#pragma once

#include <limits>

#include "pliant/math/simd_pair.h"
#include "pliant/math/wide.h"

namespace pliant {

namespace ellipsoid_detail {
template <class P>
struct Scalar {
    using Type = typename P::Scalar;
};
template <simd::Plain T>
struct Scalar<T> {
    using Type = T;
};
template <class P>
using ScalarOf = typename Scalar<P>::Type;
}  // namespace ellipsoid_detail

template <class P>
struct EllipsoidShape {
    P xx, yy, zz, yz, xz, xy;

    friend EllipsoidShape operator*(const EllipsoidShape& S, P s) {
        return {S.xx * s, S.yy * s, S.zz * s, S.yz * s, S.xz * s, S.xy * s};
    }
    friend WideVec3<P> operator*(const EllipsoidShape& S, const WideVec3<P>& v) {
        return {dot({S.xx, S.xy, S.xz}, v), dot({S.xy, S.yy, S.yz}, v), dot({S.xz, S.yz, S.zz}, v)};
    }
};

// S = R diag(radii^2) R^T
template <class P>
EllipsoidShape<P> ellipsoid_shape(const WideMat3<P>& R, const WideVec3<P>& radii) {
    const WideMat3<P> A = {{R.column[0] * radii.x, R.column[1] * radii.y, R.column[2] * radii.z}};
    const WideMat3<P> At = transpose(A);
    const WideVec3<P>&x = At.column[0], &y = At.column[1], &z = At.column[2];
    return {dot(x, x), dot(y, y), dot(z, z), dot(y, z), dot(x, z), dot(x, y)};
}
template <class P>
P trace(const EllipsoidShape<P>& S) {
    return S.xx + S.yy + S.zz;
}

// The plane of unit normal n that touches the ellipsoid: its distance h = sqrt(n^T S n) from the centre, and where it
// touches, S n / h. An ellipsoid that lies flat in it (h = 0) touches with its centre.
template <class P>
struct EllipsoidSupport {
    P height;
    WideVec3<P> point;  // from the centre
};
template <class P>
EllipsoidSupport<P> ellipsoid_support(const EllipsoidShape<P>& S, const WideVec3<P>& n) {
    using namespace simd;
    using T = ellipsoid_detail::ScalarOf<P>;
    constexpr T epsilon = std::numeric_limits<T>::epsilon(), tiny = std::numeric_limits<T>::min();
    const WideVec3<P> Sn = S * n;
    const P h2 = dot(n, Sn);
    const P height = sqrt(max(h2, T(0)));
    return {height, Sn * (height / max(h2, fma(trace(S), epsilon, tiny)))};  // nothing but rounding is below
}

// With a half space whose outward unit normal is n; the centre is `distance` above its surface.
template <class P>
struct EllipsoidPlaneContact {
    P depth;          // > 0 inside
    WideVec3<P> arm;  // from the centre to the lowest point, -S n / h
};
template <class P>
EllipsoidPlaneContact<P> ellipsoid_plane_contact(const EllipsoidShape<P>& S, const WideVec3<P>& n, P distance) {
    const EllipsoidSupport<P> support = ellipsoid_support(S, n);
    return {support.height - distance, support.point * P(-1)};
}

// Of two ellipsoids. arm1 and arm2 lead from each centre to its outermost point along +m and -m; these meet if the
// second ellipsoid is moved along n until the centres are d apart: arm1 - arm2 = d n.
// Where the centres coincide, n is the x axis.
template <class P>
struct EllipsoidContact {
    P distance;          // |x12|; they overlap where it is less than
    P touching;          // d
    P depth;             // (d - |x12|) n.m, to push apart along m; > 0 where they overlap
    WideVec3<P> normal;  // m, unit, from the first to the second
    WideVec3<P> arm1, arm2;
};

// A contact is a long chain of steps that wait for each other: a pair of packs takes little longer than a pack.
using Float8Pair = simd::PackPair<Float8>;

// For many pairs at a time, without branches. With three iterations the relative error of d is below 1e-6 for radii of
// up to 1:4 in each ellipsoid (and rounding, in float), with one for radii of up to 1:2. P is any of those below.
template <class P>
EllipsoidContact<P> ellipsoid_contact_fast(const WideVec3<P>& x12, const EllipsoidShape<P>& S1,
                                           const EllipsoidShape<P>& S2, int iterations = 3);

// Iterates until d and m are as good as rounding allows, whatever the radii. P is double or Double4.
template <class P>
EllipsoidContact<P> ellipsoid_contact(const WideVec3<P>& x12, const EllipsoidShape<P>& S1, const EllipsoidShape<P>& S2);

extern template EllipsoidContact<float> ellipsoid_contact_fast(const WideVec3<float>&, const EllipsoidShape<float>&,
                                                               const EllipsoidShape<float>&, int);
extern template EllipsoidContact<double> ellipsoid_contact_fast(const WideVec3<double>&, const EllipsoidShape<double>&,
                                                                const EllipsoidShape<double>&, int);
extern template EllipsoidContact<Float8> ellipsoid_contact_fast(const WideVec3<Float8>&, const EllipsoidShape<Float8>&,
                                                                const EllipsoidShape<Float8>&, int);
extern template EllipsoidContact<Float8Pair> ellipsoid_contact_fast(const WideVec3<Float8Pair>&,
                                                                    const EllipsoidShape<Float8Pair>&,
                                                                    const EllipsoidShape<Float8Pair>&, int);
extern template EllipsoidContact<Double4> ellipsoid_contact_fast(const WideVec3<Double4>&,
                                                                 const EllipsoidShape<Double4>&,
                                                                 const EllipsoidShape<Double4>&, int);
extern template EllipsoidContact<double> ellipsoid_contact(const WideVec3<double>&, const EllipsoidShape<double>&,
                                                           const EllipsoidShape<double>&);
extern template EllipsoidContact<Double4> ellipsoid_contact(const WideVec3<Double4>&, const EllipsoidShape<Double4>&,
                                                            const EllipsoidShape<Double4>&);

// From and to the types of the other rooms; only the lower triangle of S is read.
inline EllipsoidShape<Real> ellipsoid_shape(const Mat3& S) {
    return {S(0, 0), S(1, 1), S(2, 2), S(2, 1), S(2, 0), S(1, 0)};
}
inline EllipsoidContact<Real> ellipsoid_contact(const Vec3& x12, const Mat3& S1, const Mat3& S2) {
    return ellipsoid_contact(WideVec3<Real>{x12.x(), x12.y(), x12.z()}, ellipsoid_shape(S1), ellipsoid_shape(S2));
}

}  // namespace pliant
