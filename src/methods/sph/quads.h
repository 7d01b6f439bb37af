// Packs as quads side by side, each a vector with a number behind: one in a Double4, two in a Float8. Sums over
// neighbours take as many neighbours at a time.
#pragma once

#include <cstdint>

#include "pliant/math/simd.h"

namespace pliant {

template <class P>
inline constexpr int quads_in = P::width / 4;

namespace quad_detail {
typedef float Quarter __attribute__((vector_size(16), aligned(16), may_alias));

inline Float8 join(Quarter low, Quarter high) {
    return Float8(__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
}
}  // namespace quad_detail

// The quads at from + stride a, and b.
template <class P>
[[gnu::always_inline]] inline P load_quads(const typename P::Scalar* from, std::size_t stride, std::uint32_t a,
                                           [[maybe_unused]] std::uint32_t b) {
    if constexpr (P::width == 4) {
        return simd::load_aligned<P>(from + stride * a);
    } else {
        using quad_detail::Quarter;
        return quad_detail::join(*reinterpret_cast<const Quarter*>(from + stride * a),
                                 *reinterpret_cast<const Quarter*>(from + stride * b));
    }
}
template <class P>
[[gnu::always_inline]] inline P load_quads(const typename P::Scalar* from, std::size_t stride,
                                           const std::uint32_t* index) {
    return load_quads<P>(from, stride, index[0], index[quads_in<P> - 1]);
}

// Four numbers with their indices, as many at a time as there are quads: use(numbers spread over quads, index of the
// first quad, of the second, whether it is every other time).
template <class P, class Use>
[[gnu::always_inline]] inline void each_of_four(const float* number, const std::uint32_t* index, Use&& use) {
    if constexpr (P::width == 4) {
        for (int k = 0; k < 4; ++k) use(P(static_cast<typename P::Scalar>(number[k])), index[k], index[k], k % 2 == 1);
    } else {
#if defined(__AVX2__)
        const Float8 twice((Float8::Vector)_mm256_broadcast_ps(reinterpret_cast<const __m128*>(number)));
#else
        const float a = number[0], b = number[1], c = number[2], d = number[3];
        const Float8 twice(Float8::Vector{a, b, c, d, a, b, c, d});
#endif
        use(Float8(__builtin_shufflevector(twice.v, twice.v, 0, 0, 0, 0, 6, 6, 6, 6)), index[0], index[2], false);
        use(Float8(__builtin_shufflevector(twice.v, twice.v, 1, 1, 1, 1, 7, 7, 7, 7)), index[1], index[3], true);
    }
}

// One quad in all places.
template <class P>
[[gnu::always_inline]] inline P repeat_quad(const typename P::Scalar* from) {
    const std::uint32_t same[2] = {0, 0};
    return load_quads<P>(from, 0, same);
}

// Numbers of the quads: each in all four lanes.
template <class P>
[[gnu::always_inline]] inline P spread_numbers(const float* from) {
    if constexpr (P::width == 4) {
        return P(static_cast<typename P::Scalar>(from[0]));
    } else {
        // Written out, because a list of eight numbers may be put together in memory.
#if defined(__AVX2__)
        return P((Float8::Vector)_mm256_set_m128(_mm_broadcast_ss(from + 1), _mm_broadcast_ss(from)));
#else
        const float a = from[0], b = from[1];
        return P(Float8::Vector{a, a, a, a, b, b, b, b});
#endif
    }
}

// Lane c of each quad in all four lanes.
template <int c, class P>
[[gnu::always_inline]] inline P spread_lane(P q) {
    if constexpr (P::width == 4) {
        return P(__builtin_shufflevector(q.v, q.v, c, c, c, c));
    } else {
        return P(__builtin_shufflevector(q.v, q.v, c, c, c, c, 4 + c, 4 + c, 4 + c, 4 + c));
    }
}

// The sum of the quads, in the first four numbers.
template <class P>
[[gnu::always_inline]] inline P sum_quads(P q) {
    if constexpr (P::width == 4) {
        return q;
    } else {
        return P(q.v + __builtin_shufflevector(q.v, q.v, 4, 5, 6, 7, 0, 1, 2, 3));
    }
}

// From the sums of P::width particles, each quads to be added up, to packs over the particles: out[c] is component c.
template <class P>
[[gnu::always_inline]] inline void transpose_sums(const P* sum, P (&out)[4]) {
    if constexpr (P::width == 4) {
        const auto a = __builtin_shufflevector(sum[0].v, sum[1].v, 0, 4, 2, 6);
        const auto b = __builtin_shufflevector(sum[0].v, sum[1].v, 1, 5, 3, 7);
        const auto c = __builtin_shufflevector(sum[2].v, sum[3].v, 0, 4, 2, 6);
        const auto d = __builtin_shufflevector(sum[2].v, sum[3].v, 1, 5, 3, 7);
        out[0] = P(__builtin_shufflevector(a, c, 0, 1, 4, 5));
        out[1] = P(__builtin_shufflevector(b, d, 0, 1, 4, 5));
        out[2] = P(__builtin_shufflevector(a, c, 2, 3, 6, 7));
        out[3] = P(__builtin_shufflevector(b, d, 2, 3, 6, 7));
    } else {
        typename P::Vector row[4];
        for (int l = 0; l < 4; ++l) {
            const auto low = __builtin_shufflevector(sum[l].v, sum[l + 4].v, 0, 1, 2, 3, 8, 9, 10, 11);
            const auto high = __builtin_shufflevector(sum[l].v, sum[l + 4].v, 4, 5, 6, 7, 12, 13, 14, 15);
            row[l] = low + high;
        }
        const auto a = __builtin_shufflevector(row[0], row[1], 0, 8, 1, 9, 4, 12, 5, 13);
        const auto b = __builtin_shufflevector(row[2], row[3], 0, 8, 1, 9, 4, 12, 5, 13);
        const auto c = __builtin_shufflevector(row[0], row[1], 2, 10, 3, 11, 6, 14, 7, 15);
        const auto d = __builtin_shufflevector(row[2], row[3], 2, 10, 3, 11, 6, 14, 7, 15);
        out[0] = P(__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13));
        out[1] = P(__builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15));
        out[2] = P(__builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13));
        out[3] = P(__builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15));
    }
}

// The other way: lane l of in[c] becomes number c of the quad at to + stride l.
template <class P>
[[gnu::always_inline]] inline void store_quads(typename P::Scalar* to, std::size_t stride, const P (&in)[4]) {
    if constexpr (P::width == 4) {
        P out[4];
        transpose_sums<P>(in, out);
        for (int l = 0; l < 4; ++l) simd::store(to + stride * std::size_t(l), out[l]);
    } else {
        using quad_detail::Quarter;
        const auto a = __builtin_shufflevector(in[0].v, in[1].v, 0, 8, 1, 9, 4, 12, 5, 13);
        const auto b = __builtin_shufflevector(in[2].v, in[3].v, 0, 8, 1, 9, 4, 12, 5, 13);
        const auto c = __builtin_shufflevector(in[0].v, in[1].v, 2, 10, 3, 11, 6, 14, 7, 15);
        const auto d = __builtin_shufflevector(in[2].v, in[3].v, 2, 10, 3, 11, 6, 14, 7, 15);
        const typename P::Vector row[4] = {__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                                           __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15),
                                           __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13),
                                           __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15)};
        for (std::size_t l = 0; l < 4; ++l) {
            const auto place = [&](std::size_t k) { return reinterpret_cast<Quarter*>(to + stride * k); };
            *place(l) = __builtin_shufflevector(row[l], row[l], 0, 1, 2, 3);
            *place(l + 4) = __builtin_shufflevector(row[l], row[l], 4, 5, 6, 7);
        }
    }
}

}  // namespace pliant
