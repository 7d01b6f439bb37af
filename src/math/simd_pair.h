// Two packs side by side, with the words of one. A computation whose every step waits for the one before leaves half
// of the processor idle; two at a time fill it.
#pragma once

#include "pliant/math/simd.h"

namespace pliant::simd {

template <class M>
struct MaskPair {
    M a, b;
    static constexpr int half = M::width;

    bool operator[](int lane) const { return lane < half ? a[lane] : b[lane - half]; }
    friend MaskPair operator&(MaskPair x, MaskPair y) { return {x.a & y.a, x.b & y.b}; }
    friend MaskPair operator|(MaskPair x, MaskPair y) { return {x.a | y.a, x.b | y.b}; }
    friend MaskPair operator!(MaskPair x) { return {!x.a, !x.b}; }
};

template <class P>
struct PackPair {
    using Scalar = typename P::Scalar;
    using Lanes = MaskPair<typename P::Lanes>;
    static constexpr int width = 2 * P::width;
    P a, b;

    PackPair() = default;
    PackPair(Scalar s) : a(s), b(s) {}  // NOLINT: implicit on purpose
    PackPair(P first, P second) : a(first), b(second) {}

    Scalar operator[](int lane) const { return lane < P::width ? a[lane] : b[lane - P::width]; }
    void set(int lane, Scalar value) { lane < P::width ? a.set(lane, value) : b.set(lane - P::width, value); }

    friend PackPair operator+(PackPair x, PackPair y) { return {x.a + y.a, x.b + y.b}; }
    friend PackPair operator-(PackPair x, PackPair y) { return {x.a - y.a, x.b - y.b}; }
    friend PackPair operator*(PackPair x, PackPair y) { return {x.a * y.a, x.b * y.b}; }
    friend PackPair operator/(PackPair x, PackPair y) { return {x.a / y.a, x.b / y.b}; }
    friend PackPair operator-(PackPair x) { return {-x.a, -x.b}; }
    friend Lanes operator<(PackPair x, PackPair y) { return {x.a < y.a, x.b < y.b}; }
    friend Lanes operator<=(PackPair x, PackPair y) { return {x.a <= y.a, x.b <= y.b}; }
    friend Lanes operator>(PackPair x, PackPair y) { return {x.a > y.a, x.b > y.b}; }
    friend Lanes operator>=(PackPair x, PackPair y) { return {x.a >= y.a, x.b >= y.b}; }
    friend Lanes operator==(PackPair x, PackPair y) { return {x.a == y.a, x.b == y.b}; }
};

template <class M>
bool any(MaskPair<M> m) {
    return any(m.a | m.b);
}
template <class M>
bool all(MaskPair<M> m) {
    return all(m.a & m.b);
}
template <class M>
bool none(MaskPair<M> m) {
    return !any(m);
}
template <class P, class M>
PackPair<P> select(MaskPair<M> m, PackPair<P> x, PackPair<P> y) {
    return {select(m.a, x.a, y.a), select(m.b, x.b, y.b)};
}
template <class P, class M>
PackPair<P> keep(MaskPair<M> m, PackPair<P> x) {
    return {keep(m.a, x.a), keep(m.b, x.b)};
}
template <class P>
PackPair<P> fma(PackPair<P> x, std::type_identity_t<PackPair<P>> y, std::type_identity_t<PackPair<P>> z) {
    return {fma(x.a, y.a, z.a), fma(x.b, y.b, z.b)};
}
template <class P>
PackPair<P> fnma(PackPair<P> x, std::type_identity_t<PackPair<P>> y, std::type_identity_t<PackPair<P>> z) {
    return {fnma(x.a, y.a, z.a), fnma(x.b, y.b, z.b)};
}
template <class P>
PackPair<P> sqrt(PackPair<P> x) {
    return {sqrt(x.a), sqrt(x.b)};
}
template <class P>
PackPair<P> min(PackPair<P> x, std::type_identity_t<PackPair<P>> y) {
    return {min(x.a, y.a), min(x.b, y.b)};
}
template <class P>
PackPair<P> max(PackPair<P> x, std::type_identity_t<PackPair<P>> y) {
    return {max(x.a, y.a), max(x.b, y.b)};
}
template <class P>
PackPair<P> abs(PackPair<P> x) {
    return {abs(x.a), abs(x.b)};
}
template <class P>
PackPair<P> times_sign(PackPair<P> x, std::type_identity_t<PackPair<P>> y) {
    return {times_sign(x.a, y.a), times_sign(x.b, y.b)};
}
template <class P>
PackPair<P> power_of_two_below(PackPair<P> x) {
    return {power_of_two_below(x.a), power_of_two_below(x.b)};
}
template <class P>
PackPair<P> reciprocal_of_power(PackPair<P> x) {
    return {reciprocal_of_power(x.a), reciprocal_of_power(x.b)};
}

}  // namespace pliant::simd
