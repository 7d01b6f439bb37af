// Two quads side by side in a pack, each a vector with a number behind: sums over neighbours take two at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "pliant/math/simd.h"

namespace pliant {

namespace quad_detail {
typedef float Quarter __attribute__((vector_size(16), aligned(16), may_alias));

inline Float8 join(Quarter low, Quarter high) {
    return Float8(__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
}
}  // namespace quad_detail

// Quads number j and k.
[[gnu::always_inline]] inline Float8 load_quads(const float* from, std::size_t j, std::size_t k) {
    using quad_detail::Quarter;
    return quad_detail::join(*reinterpret_cast<const Quarter*>(from + 4 * j),
                             *reinterpret_cast<const Quarter*>(from + 4 * k));
}

// One quad in both places.
[[gnu::always_inline]] inline Float8 repeat_quad(const float* from) {
    return load_quads(from, 0, 0);
}

// A word for each quad, in all its lanes: the number that it is, and the number that its upper half counts.
[[gnu::always_inline]] inline Float8 spread_words(const std::uint32_t* from) {
    // Written out, because a list of eight numbers may be put together in memory.
#if defined(__AVX2__)
    long long both;
    std::memcpy(&both, from, sizeof(both));
    const __m256 pairs = _mm256_castsi256_ps(_mm256_set1_epi64x(both));
    return Float8((Float8::Vector)_mm256_permutevar_ps(pairs, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)));
#else
    const float a = std::bit_cast<float>(from[0]), b = std::bit_cast<float>(from[1]);
    return Float8(Float8::Vector{a, a, a, a, b, b, b, b});
#endif
}
[[gnu::always_inline]] inline Float8 spread_upper(const std::uint32_t* from) {
#if defined(__AVX2__)
    const __m256i words = _mm256_castps_si256((__m256)spread_words(from).v);
    return Float8((Float8::Vector)_mm256_cvtepi32_ps(_mm256_srli_epi32(words, 16)));
#else
    const float a = float(from[0] >> 16), b = float(from[1] >> 16);
    return Float8(Float8::Vector{a, a, a, a, b, b, b, b});
#endif
}

// Lane c of each quad in all four lanes; of a Double4, which is one quad, too.
template <int c, class P>
[[gnu::always_inline]] inline P spread_lane(P q) {
    if constexpr (P::width == 4) {
        return P(__builtin_shufflevector(q.v, q.v, c, c, c, c));
    } else {
        return P(__builtin_shufflevector(q.v, q.v, c, c, c, c, 4 + c, 4 + c, 4 + c, 4 + c));
    }
}

// The sum of the quads, in both places.
[[gnu::always_inline]] inline Float8 sum_quads(Float8 q) {
    return Float8(q.v + __builtin_shufflevector(q.v, q.v, 4, 5, 6, 7, 0, 1, 2, 3));
}

}  // namespace pliant
