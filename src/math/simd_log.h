// Logarithm and exponential of packs of doubles, to within 4 units in the last place.
#pragma once

#include "pliant/math/simd.h"

namespace pliant::simd {

// x = 2^e m with m in [sqrt(1/2), sqrt(2)):  log x = e log 2 + 2 atanh s,  s = (m - 1) / (m + 1).
// For positive, finite and normal x only; others give nonsense that is finite or not.
inline Pack<double, 4> log(Pack<double, 4> x) {
    using P = Pack<double, 4>;
    using Bits = P::Bits;
    using Vector = P::Vector;
    constexpr std::int64_t mantissa = 0x000fffffffffffff, half = 0x3fe0000000000000, number = 0x4330000000000000;
    const Bits bits = (Bits)x.v;
    P m((Vector)((bits & mantissa) | half));                                     // in [1/2, 1)
    P e = P((Vector)(((bits >> 52) & 0x7ff) | number)) - P(0x1p52) - P(1022.0);  // x = 2^e m
    const auto is_low = m < P(0.70710678118654752440);
    m = select(is_low, m + m, m);
    e = select(is_low, e - P(1.0), e);
    const P s = (m - P(1.0)) / (m + P(1.0)), q = s * s;
    P series(1.0 / 21);
    for (const double c : {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3}) {
        series = fma(series, q, P(c));
    }
    const P log_m = fma(P(2.0) * s * q, series, P(2.0) * s);
    constexpr double high = 0x1.62e42fefa3800p-1, low = 0x1.ef35793c76730p-45;  // log 2
    return fma(e, P(high), fma(e, P(low), log_m));
}

// x = k log 2 + r with |r| <= log(2) / 2:  exp x = 2^k exp r. x is taken within -700 and 700.
inline Pack<double, 4> exp(Pack<double, 4> x) {
    using P = Pack<double, 4>;
    using Bits = P::Bits;
    using Vector = P::Vector;
    x = min(max(x, P(-700.0)), P(700.0));
    constexpr double rounder = 0x1.8p52;
    const P shifted = fma(x, P(1.4426950408889634074), P(rounder)), k = shifted - P(rounder);
    constexpr double high = 0x1.62e42fefa3800p-1, low = 0x1.ef35793c76730p-45;
    const P r = fnma(k, P(low), fnma(k, P(high), x));
    P series(1.0 / 6227020800.0);
    for (const double c : {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
                           1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0}) {
        series = fma(series, r, P(c));
    }
    const Bits exponent = ((Bits)shifted.v - (Bits)P(rounder).v + 1023) << 52;
    return series * P((Vector)exponent);
}

inline double log(double x) {
    return std::log(x);
}
inline double exp(double x) {
    return std::exp(x);
}

}  // namespace pliant::simd
