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


struct Marked {
    std::uint32_t count = 0;
    bool unsure = false;
};
template <int P>
inline void mark_near(const CandidateTile& tile, std::size_t count, const float* x, const float* y, const float* z, Reach reach,
                      std::uint8_t* mask, std::size_t stride, Marked* marked) {
    __m256 px[P], py[P], pz[P], unsure[P];
    std::uint64_t near_count[P];
    for (int p = 0; p < P; ++p) {
        px[p] = _mm256_set1_ps(x[p]);
        py[p] = _mm256_set1_ps(y[p]);
        pz[p] = _mm256_set1_ps(z[p]);
        unsure[p] = _mm256_setzero_ps();
        near_count[p] = 0;
    }
    const __m256 lower = _mm256_set1_ps(reach.lower), upper = _mm256_set1_ps(reach.upper);
    for (std::size_t k = 0; k < count; k += 8) {
        const __m256 cx = _mm256_load_ps(tile.x + k), cy = _mm256_load_ps(tile.y + k), cz = _mm256_load_ps(tile.z + k);
        for (int p = 0; p < P; ++p) {
            const __m256 dx = _mm256_sub_ps(cx, px[p]);
            const __m256 dy = _mm256_sub_ps(cy, py[p]);
            const __m256 dz = _mm256_sub_ps(cz, pz[p]);
            const __m256 d2 = _mm256_fmadd_ps(dx, dx, _mm256_fmadd_ps(dy, dy, _mm256_mul_ps(dz, dz)));
            const __m256 is_near = _mm256_cmp_ps(d2, upper, _CMP_LE_OQ);
            unsure[p] = _mm256_or_ps(unsure[p], _mm256_andnot_ps(_mm256_cmp_ps(d2, lower, _CMP_LT_OQ), is_near));
            const auto bits = unsigned(_mm256_movemask_ps(is_near));
            mask[p * stride + k / 8] = std::uint8_t(bits);
            near_count[p] += std::popcount(bits);
        }
    }
    for (int p = 0; p < P; ++p) marked[p] = {std::uint32_t(near_count[p]), _mm256_movemask_ps(unsure[p]) != 0};
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
