#include "pliant/geometry/ellipsoid.h"

namespace pliant {
namespace {

template <class T>
struct Limits;
template <>
struct Limits<double> {
    static constexpr double pivot = 1e-14;      // of A_1 + t A_2, relative to its trace: below, a radius is zero
    static constexpr double point = 1e-8;       // a size relative to the other: below, an ellipsoid is a point
    static constexpr double smallest = 1e-90;   // a size that is too small to divide by the cube of
    static constexpr double vanished = 1e-300;  // a square that is too small to divide by
    static constexpr double extreme = 1e6;      // t stays within [1 / extreme, extreme]
    static constexpr double converged = 1e-8;   // relative step of t; the error that it leaves is about its square
    static constexpr int most_steps = 60;       // one is usual
};
template <>
struct Limits<float> {
    static constexpr float pivot = 1e-6f;
    static constexpr float point = 1e-6f;
    static constexpr float smallest = 1e-12f;
    static constexpr float vanished = 1e-36f;
    static constexpr float extreme = 1e3f;
};
template <class P>
using LimitsOf = Limits<ellipsoid_detail::ScalarOf<P>>;

// How far t may go in one step: by (1 + 0.6) / (1 - 0.6) = 4, or a quarter.
constexpr float longest_step = 0.6f;

// Two shapes scaled so that neither their sizes nor float's range matter. With size_k^2 = tr S_k,
//     A_k = S_k / (size_k (size_1 + size_2)),   tr A_1 + tr A_2 = 1,
// and t is that of A_1 + t A_2. The contact is then where g_1 = ratio t^2 g_2, g_k = m^T A_k m, ratio = size_1 /
// size_2, and t is the quotient of the two h_k(m) / size_k, so never far from 1.
template <class P>
struct Pair {
    WideVec3<P> n;
    P distance;
    EllipsoidShape<P> A1, A2;
    P share1, share2;  // size_k / (size_1 + size_2): the traces, but never both zero
    P ratio;
};

template <class P>
[[gnu::always_inline]] inline Pair<P> scaled_pair(const WideVec3<P>& x12, const EllipsoidShape<P>& S1,
                                                  const EllipsoidShape<P>& S2) {
    using namespace simd;
    constexpr auto vanished = LimitsOf<P>::vanished;
    const P one(1), zero(0);
    const P square = dot(x12, x12);
    const auto apart = square > P(vanished);
    const P distance = keep(apart, sqrt(square));
    const WideVec3<P> n = select(apart, x12 * (one / distance), WideVec3<P>{one, zero, zero});
    const P root1 = sqrt(trace(S1)), root2 = sqrt(trace(S2));
    const P point(LimitsOf<P>::point), smallest(LimitsOf<P>::smallest);
    const P size1 = max(root1, max(point * root2, smallest)), size2 = max(root2, max(point * root1, smallest));
    const P both = size1 + size2, inverse = one / (size1 * size2 * both);
    const P scale1 = size2 * inverse, scale2 = size1 * inverse, square1 = size1 * size1;
    return {n, distance, S1 * scale1, S2 * scale2, square1 * scale1, size2 * size2 * scale2, square1 * both * inverse};
}

template <class P>
[[gnu::always_inline]] inline EllipsoidShape<P> adjugate(const EllipsoidShape<P>& A) {
    using namespace simd;
    return {fnma(A.yz, A.yz, A.yy * A.zz), fnma(A.xz, A.xz, A.xx * A.zz), fnma(A.xy, A.xy, A.xx * A.yy),
            fnma(A.xx, A.yz, A.xy * A.xz), fnma(A.yy, A.xz, A.xy * A.yz), fnma(A.zz, A.xy, A.xz * A.yz)};
}
template <class P>
[[gnu::always_inline]] inline P determinant(const EllipsoidShape<P>& A, const EllipsoidShape<P>& adj) {
    using namespace simd;
    return fma(A.xz, adj.xz, fma(A.xy, adj.xy, A.xx * adj.xx));
}
// A : B, the trace of A B
template <class P>
[[gnu::always_inline]] inline P contract(const EllipsoidShape<P>& A, const EllipsoidShape<P>& B) {
    using namespace simd;
    const P off = fma(A.xy, B.xy, fma(A.xz, B.xz, A.yz * B.yz));
    return fma(A.zz, B.zz, fma(A.yy, B.yy, fma(A.xx, B.xx, off + off)));
}

// c_0 + c_1 t + ... + c_4 t^4
template <class P>
struct Quartic {
    P c[5];
};
template <class P>
struct QuarticAt {
    P value, slope;
};
template <class P>
[[gnu::always_inline]] inline QuarticAt<P> at(const Quartic<P>& q, P t) {
    using namespace simd;
    const P b3 = fma(q.c[4], t, q.c[3]), b2 = fma(b3, t, q.c[2]), b1 = fma(b2, t, q.c[1]);
    return {fma(b1, t, q.c[0]), fma(fma(fma(q.c[4], t, b3), t, b2), t, b1)};
}

template <class P>
[[gnu::always_inline]] inline P within_limits(P t) {
    using namespace simd;
    constexpr auto extreme = LimitsOf<P>::extreme;
    return min(max(t, 1 / extreme), extreme);
}

// n^T (A_1 + t A_2)^-1 n = N(t) / D(t), a quadratic over a cubic, N = n^T adj(A_1 + t A_2) n and D the determinant.
// Its derivative is -g_2, and g_1 + t g_2 is itself: so g_1 = G1 / D^2 and g_2 = G2 / D^2 with two quartics whose
// coefficients are all positive, being sums of squares times products of 1 + t (eigenvalue of A_1^-1 A_2).   (derived)
template <class P>
struct ContactPolynomials {
    Quartic<P> G1, G2;
    P start;  // a first t
};

template <class P>
[[gnu::always_inline]] inline ContactPolynomials<P> contact_polynomials(const Pair<P>& pair) {
    using namespace simd;
    const auto& [n, distance, A1, A2, share1, share2, ratio] = pair;
    const WideVec3<P> a1 = A1 * n, a2 = A2 * n;
    const P h1 = dot(n, a1), h2 = dot(n, a2);
    const EllipsoidShape<P> adj1 = adjugate(A1), adj2 = adjugate(A2);
    // n^T adj(A_1 + t A_2) n by adj A = A^2 - A tr A + tr(adj A) 1, with |n| = 1
    const P trace1 = trace(A1), trace2 = trace(A2), both = dot(a1, a2);
    const P n0 = fnma(trace1, h1, dot(a1, a1)) + trace(adj1);
    const P n2 = fnma(trace2, h2, dot(a2, a2)) + trace(adj2);
    const P n1 = (both + both) + fnma(trace1, h2, fnma(trace2, h1, fma(trace1, trace2, -contract(A1, A2))));
    const P d0 = determinant(A1, adj1), d1 = contract(adj1, A2), d2 = contract(adj2, A1), d3 = determinant(A2, adj2);

    const P n0d2 = n0 * d2, n2d1 = n2 * d1, n1d0 = n1 * d0, n1d3 = n1 * d3, n2d0 = n2 * d0, n0d3 = n0 * d3;
    const P three(3);
    const P p1 = n2d1 - n0d3, p2 = n0d2 - n2d0;
    ContactPolynomials<P> result;
    result.G1 = {{n0 * d0, n1d0 + n1d0, fma(n1, d1, fma(three, n2d0, -n0d2)), p1 + p1, fnma(n1, d3, n2 * d2)}};
    result.G2 = {{fnma(n1, d0, n0 * d1), p2 + p2, fma(n1, d2, fma(three, n0d3, -n2d1)), n1d3 + n1d3, n2 * d3}};
    // t = r_1 / r_2 of radii between the support height and the distance of the surface from the centre along n, both
    // of which are right for spheres; the latter alone is nearer, but zero for all that is flat.
    const P tiny(LimitsOf<P>::pivot);
    const P c0 = fma(share1 * share1, tiny, max(n0, P(0))), c2 = fma(share2 * share2, tiny, max(n2, P(0)));
    const P r1 = fma(h1, c0, max(d0, P(0))) * c2, r2 = fma(h2, c2, max(d3, P(0))) * c0 * ratio;
    result.start = within_limits(sqrt(r1 / max(r2, LimitsOf<P>::vanished)));
    return result;
}

// A step of Newton's method for log(g_1 / (ratio t^2 g_2)) = 0 in log t, in which it is nearly linear, with
// log x = 2 (x - 1) / (x + 1) for the value and exp(2 x) = (1 + x) / (1 - x) for the step. `slope` is minus the
// derivative, times g_1 g_2.
template <class P>
[[gnu::always_inline]] inline P newton_factor(P g1, P rt2g2, P g1g2, P slope) {
    using namespace simd;
    constexpr auto vanished = LimitsOf<P>::vanished;
    const P divisor = max((g1 + rt2g2) * slope, vanished);
    const P limit = divisor * P(longest_step);
    const P step = max(min((g1 - rt2g2) * g1g2, limit), -limit);
    return (divisor + step) / (divisor - step);
}

template <class P>
[[gnu::always_inline]] inline P improved(const ContactPolynomials<P>& f, P ratio, P t) {
    using namespace simd;
    const auto g1 = at(f.G1, t), g2 = at(f.G2, t);
    const P product = g1.value * g2.value;
    const P cross = fnma(g1.value, g2.slope, g1.slope * g2.value);
    const P slope = fnma(t, cross, product + product);
    return within_limits(t * newton_factor(g1.value, ratio * t * t * g2.value, product, slope));
}

// L D L^T of A_1 + t A_2, with pivots kept positive: a direction in which both are flat becomes nearly so.
template <class P>
struct Factors {
    P l10, l20, l21;
    P r0, r1, r2;  // reciprocal pivots
};
template <class P>
[[gnu::always_inline]] inline Factors<P> factors(const Pair<P>& pair, P t) {
    using namespace simd;
    const EllipsoidShape<P>&A = pair.A1, &B = pair.A2;
    const P one(1), least = fma(t, pair.share2, pair.share1) * P(LimitsOf<P>::pivot);
    const P c00 = fma(t, B.xx, A.xx), c11 = fma(t, B.yy, A.yy), c22 = fma(t, B.zz, A.zz);
    const P c10 = fma(t, B.xy, A.xy), c20 = fma(t, B.xz, A.xz), c21 = fma(t, B.yz, A.yz);
    Factors<P> f;
    f.r0 = one / max(c00, least);
    f.l10 = c10 * f.r0;
    f.l20 = c20 * f.r0;
    f.r1 = one / max(fnma(f.l10, c10, c11), least);
    const P u21 = fnma(f.l20, c10, c21);
    f.l21 = u21 * f.r1;
    f.r2 = one / max(fnma(f.l21, u21, fnma(f.l20, c20, c22)), least);
    return f;
}
template <class P>
[[gnu::always_inline]] inline WideVec3<P> solve_lower(const Factors<P>& f, const WideVec3<P>& b) {
    using namespace simd;
    const P y1 = fnma(f.l10, b.x, b.y);
    return {b.x, y1, fnma(f.l21, y1, fnma(f.l20, b.x, b.z))};
}
template <class P>
[[gnu::always_inline]] inline WideVec3<P> solve(const Factors<P>& f, const WideVec3<P>& b) {
    using namespace simd;
    const WideVec3<P> y = solve_lower(f, b);
    const P m2 = y.z * f.r2;
    const P m1 = fnma(f.l21, m2, y.y * f.r1);
    return {fnma(f.l10, m1, fnma(f.l20, m2, y.x * f.r0)), m1, m2};
}

// The direction of (A_1 + t A_2)^-1 n with one division instead of three, and pivots not kept but made positive: by
// less than matters to d in the precision of P.
template <class P>
[[gnu::always_inline]] inline WideVec3<P> quick_normal(const Pair<P>& pair, P t) {
    using namespace simd;
    const EllipsoidShape<P>&A = pair.A1, &B = pair.A2;
    const WideVec3<P>& n = pair.n;
    const P one(1), least = fma(t, pair.share2, pair.share1) * P(LimitsOf<P>::pivot);
    const P c00 = fma(t, B.xx, A.xx + least), c11 = fma(t, B.yy, A.yy + least), c22 = fma(t, B.zz, A.zz + least);
    const P c10 = fma(t, B.xy, A.xy), c20 = fma(t, B.xz, A.xz), c21 = fma(t, B.yz, A.yz);
    const P r0 = one / c00, l10 = c10 * r0, l20 = c20 * r0;
    const P s11 = fnma(l10, c10, c11), s21 = fnma(l20, c10, c21), s22 = fnma(l20, c20, c22);
    const P y1 = fnma(l10, n.x, n.y), y2 = fnma(l20, n.x, n.z);
    const P m1 = fnma(s21, y2, s22 * y1), m2 = fnma(s21, y1, s11 * y2);
    const P m0 = fnma(l10, m1, fnma(l20, m2, fnma(s21, s21, s11 * s22) * (n.x * r0)));
    return {m0, m1, m2};
}

template <class P>
[[gnu::always_inline]] inline EllipsoidContact<P> contact_at(const Pair<P>& pair, WideVec3<P> m, const WideVec3<P>& x12,
                                                             const EllipsoidShape<P>& S1, const EllipsoidShape<P>& S2) {
    using namespace simd;
    m = m * (P(1) / sqrt(dot(m, m)));
    const EllipsoidSupport<P> first = ellipsoid_support(S1, m), second = ellipsoid_support(S2, m);
    const P both = first.height + second.height;
    return {pair.distance, both / dot(pair.n, m), both - dot(x12, m), m, first.point, second.point * P(-1)};
}

}  // namespace

template <class P>
EllipsoidContact<P> ellipsoid_contact_fast(const WideVec3<P>& x12, const EllipsoidShape<P>& S1,
                                           const EllipsoidShape<P>& S2, int iterations) {
    const Pair<P> pair = scaled_pair(x12, S1, S2);
    const ContactPolynomials<P> polynomials = contact_polynomials(pair);
    P t = polynomials.start;
    for (int i = 0; i < iterations; ++i) t = improved(polynomials, pair.ratio, t);
    return contact_at(pair, quick_normal(pair, t), x12, S1, S2);
}

// The quartics lose digits where A_1 + t A_2 is nearly singular, so t is improved by solving with the matrix itself, as
// often as needed, between bounds. With g_2' = -2 q, q = m^T A_2 (A_1 + t A_2)^-1 A_2 m, and g_1' = 2 t q - 2 g_2.
template <class P>
EllipsoidContact<P> ellipsoid_contact(const WideVec3<P>& x12, const EllipsoidShape<P>& S1,
                                      const EllipsoidShape<P>& S2) {
    using namespace simd;
    using L = LimitsOf<P>;
    const Pair<P> pair = scaled_pair(x12, S1, S2);
    const ContactPolynomials<P> polynomials = contact_polynomials(pair);
    P t = polynomials.start;
    for (int i = 0; i < 3; ++i) t = improved(polynomials, pair.ratio, t);

    P low(1 / L::extreme), high(L::extreme);
    auto busy = low < high;
    for (int i = 0; i < L::most_steps && any(busy); ++i) {
        const Factors<P> f = factors(pair, t);
        const WideVec3<P> m = solve(f, pair.n);
        const WideVec3<P> b = pair.A2 * m, y = solve_lower(f, b);
        const P g1 = dot(m, pair.A1 * m), g2 = dot(m, b);
        const P q = fma(y.z * y.z, f.r2, fma(y.y * y.y, f.r1, y.x * y.x * f.r0));
        const P rt2g2 = pair.ratio * t * t * g2;
        const P half_slope = g1 * g2 - t * (t * q * g2 - g2 * g2 + q * g1);
        const auto is_below = g1 > rt2g2;
        low = select(is_below, t, low);
        high = select(is_below, high, t);
        const P newton = t * newton_factor(g1, rt2g2, g1 * g2, half_slope + half_slope);
        const auto is_inside = (newton >= low) & (newton <= high);
        const P next = select(is_inside, newton, sqrt(low * high));
        const auto far = abs(next - t) > t * P(L::converged);
        t = select(busy, next, t);
        busy = busy & far;
    }
    return contact_at(pair, solve(factors(pair, t), pair.n), x12, S1, S2);
}

template EllipsoidContact<float> ellipsoid_contact_fast(const WideVec3<float>&, const EllipsoidShape<float>&,
                                                        const EllipsoidShape<float>&, int);
template EllipsoidContact<double> ellipsoid_contact_fast(const WideVec3<double>&, const EllipsoidShape<double>&,
                                                         const EllipsoidShape<double>&, int);
template EllipsoidContact<Float8> ellipsoid_contact_fast(const WideVec3<Float8>&, const EllipsoidShape<Float8>&,
                                                         const EllipsoidShape<Float8>&, int);
template EllipsoidContact<Float8Pair> ellipsoid_contact_fast(const WideVec3<Float8Pair>&,
                                                             const EllipsoidShape<Float8Pair>&,
                                                             const EllipsoidShape<Float8Pair>&, int);
template EllipsoidContact<Double4> ellipsoid_contact_fast(const WideVec3<Double4>&, const EllipsoidShape<Double4>&,
                                                          const EllipsoidShape<Double4>&, int);
template EllipsoidContact<double> ellipsoid_contact(const WideVec3<double>&, const EllipsoidShape<double>&,
                                                    const EllipsoidShape<double>&);
template EllipsoidContact<Double4> ellipsoid_contact(const WideVec3<Double4>&, const EllipsoidShape<Double4>&,
                                                     const EllipsoidShape<Double4>&);

}  // namespace pliant
