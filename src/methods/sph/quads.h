// Two quads side by side in a pack, each a vector with a number behind: sums over neighbours take two at a time.
#pragma once

#include <cstdint>

#include "pliant/math/simd.h"

namespace pliant {

namespace quad_detail {
typedef float Quarter __attribute__((vector_size(16), aligned(16), may_alias));

inline Float8 join(Quarter low, Quarter high) {
    return Float8(__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7));
}
}  // namespace quad_detail

// The quads at from + stride index[0] and index[1].
[[gnu::always_inline]] inline Float8 load_quads(const float* from, std::size_t stride, const std::uint32_t* index) {
    using quad_detail::Quarter;
    return quad_detail::join(*reinterpret_cast<const Quarter*>(from + stride * index[0]),
                             *reinterpret_cast<const Quarter*>(from + stride * index[1]));
}

// One quad in both places.
[[gnu::always_inline]] inline Float8 repeat_quad(const float* from) {
    const std::uint32_t same[2] = {0, 0};
    return load_quads(from, 0, same);
}

// A number for each quad, in all its lanes.
[[gnu::always_inline]] inline Float8 spread_numbers(const float* from) {
    // Written out, because a list of eight numbers may be put together in memory.
#if defined(__AVX2__)
    return Float8((Float8::Vector)_mm256_set_m128(_mm_broadcast_ss(from + 1), _mm_broadcast_ss(from)));
#else
    const float a = from[0], b = from[1];
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
