// The innermost loops of the neighbour search, eight candidates at a time: which of them are within reach of a
// particle, and the list of those that are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#include <array>
#endif

namespace pliant {

// Candidates around a cell: offsets from one of its particles, in units of the fixed-point positions.
struct CandidateTile {
    static constexpr std::size_t capacity = 1024;
    alignas(32) float x[capacity + 8], y[capacity + 8], z[capacity + 8];
};

struct Reach {
    float lower, upper;  // squared distance: below lower a neighbour, above upper none, between them unsure
};

// Squared distance of candidate k; every build and every thread gets the same bits, for there is no sum of three
// products that a compiler may contract in two ways.
inline float squared_distance(const CandidateTile& tile, std::size_t k, float x, float y, float z) {
    const float dx = tile.x[k] - x, dy = tile.y[k] - y, dz = tile.z[k] - z;
    return __builtin_fmaf(dx, dx, __builtin_fmaf(dy, dy, dz * dz));
}

// Sets bit k of the mask where candidate k is nearer than reach.upper; `count` is a multiple of eight. Returns whether
// any lies between the two bounds.
inline bool mark_near(const CandidateTile& tile, std::size_t count, float x, float y, float z, Reach reach,
                      std::uint8_t* mask) {
#ifdef __AVX2__
    const __m256 px = _mm256_set1_ps(x), py = _mm256_set1_ps(y), pz = _mm256_set1_ps(z);
    const __m256 lower = _mm256_set1_ps(reach.lower), upper = _mm256_set1_ps(reach.upper);
    __m256 unsure = _mm256_setzero_ps();
    for (std::size_t k = 0; k < count; k += 8) {
        const __m256 dx = _mm256_sub_ps(_mm256_load_ps(tile.x + k), px);
        const __m256 dy = _mm256_sub_ps(_mm256_load_ps(tile.y + k), py);
        const __m256 dz = _mm256_sub_ps(_mm256_load_ps(tile.z + k), pz);
        const __m256 d2 = _mm256_fmadd_ps(dx, dx, _mm256_fmadd_ps(dy, dy, _mm256_mul_ps(dz, dz)));
        const __m256 is_near = _mm256_cmp_ps(d2, upper, _CMP_LE_OQ);
        unsure = _mm256_or_ps(unsure, _mm256_andnot_ps(_mm256_cmp_ps(d2, lower, _CMP_LT_OQ), is_near));
        mask[k / 8] = std::uint8_t(_mm256_movemask_ps(is_near));
    }
    return _mm256_movemask_ps(unsure) != 0;
#else
    bool unsure = false;
    for (std::size_t k = 0; k < count; k += 8) {
        unsigned bits = 0;
        for (std::size_t lane = 0; lane < 8; ++lane) {
            const float d2 = squared_distance(tile, k + lane, x, y, z);
            bits |= unsigned(d2 <= reach.upper) << lane;
            unsure |= d2 <= reach.upper && d2 >= reach.lower;
        }
        mask[k / 8] = std::uint8_t(bits);
    }
    return unsure;
#endif
}

#ifdef __AVX2__
namespace neighbour_kernel_detail {

// For each mask, the lanes that it chooses, moved to the front.
constexpr auto make_chosen_lanes() {
    std::array<std::array<std::uint8_t, 8>, 256> table{};
    for (unsigned mask = 0; mask < 256; ++mask) {
        int next = 0;
        for (std::uint8_t lane = 0; lane < 8; ++lane) {
            if (mask >> lane & 1) table[mask][next++] = lane;
        }
    }
    return table;
}
alignas(64) inline constexpr auto chosen_lanes = make_chosen_lanes();

}  // namespace neighbour_kernel_detail
#endif

// Appends the indices whose bits are set to `row` and returns their number. Writes up to eight entries beyond them.
inline std::size_t choose_marked(const std::uint8_t* mask, std::size_t bytes, const std::uint32_t* indices,
                                 std::uint32_t* row) {
    std::uint32_t* next = row;
    for (std::size_t b = 0; b < bytes; ++b) {
#ifdef __AVX2__
        const auto* lanes = neighbour_kernel_detail::chosen_lanes[mask[b]].data();
        const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(lanes)));
        const __m256i eight = _mm256_load_si256(reinterpret_cast<const __m256i*>(indices + 8 * b));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(next), _mm256_permutevar8x32_epi32(eight, order));
        next += std::popcount(mask[b]);
#else
        for (unsigned bits = mask[b]; bits != 0; bits &= bits - 1) *next++ = indices[8 * b + std::countr_zero(bits)];
#endif
    }
    return std::size_t(next - row);
}

}  // namespace pliant
