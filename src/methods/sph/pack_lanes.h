// Brings the chosen ones of eight numbers to the front, and back to where they were.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "pliant/math/simd.h"

namespace pliant {

// For each choice of lanes the numbers of those chosen, a byte each.
inline constexpr std::array<std::uint64_t, 256> pack_orders = [] {
    std::array<std::uint64_t, 256> orders{};
    for (std::uint64_t chosen = 0; chosen < 256; ++chosen) {
        int at = 0;
        for (std::uint64_t lane = 0; lane < 8; ++lane) {
            if (chosen >> lane & 1) orders[chosen] |= lane << 8 * at++;
        }
    }
    return orders;
}();

// For each choice of lanes how many of the same kind, chosen or not, are before each lane, a byte each.
inline constexpr std::array<std::uint64_t, 256> ranks_in_kind = [] {
    std::array<std::uint64_t, 256> ranks{};
    for (std::uint64_t chosen = 0; chosen < 256; ++chosen) {
        std::uint64_t of_kind[2] = {0, 0};
        for (std::uint64_t lane = 0; lane < 8; ++lane) ranks[chosen] |= of_kind[chosen >> lane & 1]++ << 8 * lane;
    }
    return ranks;
}();

class PackedLanes {
public:
    explicit PackedLanes(std::uint32_t chosen) : chosen_(chosen) {}

    int count() const { return std::popcount(chosen_); }
    std::uint32_t chosen() const { return chosen_; }  // a bit a lane

    // Writes those chosen and nothing else.
    template <class From>
    [[gnu::always_inline]] void store(auto* to, const From& from) const {
#if defined(__AVX2__)
        const __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32(count()), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        const __m256i order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(pack_orders[chosen_])));
        _mm256_maskstore_ps(reinterpret_cast<float*>(to), lanes, _mm256_permutevar8x32_ps(lanes_of(from), order));
#else
        for (int l = 0; l < 8; ++l) {
            if (chosen_ >> l & 1) *to++ = from[l];
        }
#endif
    }

private:
#if defined(__AVX2__)
    static __m256 lanes_of(const Float8& from) {
        return from.v;
    }
    static __m256 lanes_of(const std::uint32_t* from) {
        return _mm256_loadu_ps(reinterpret_cast<const float*>(from));
    }
#endif
    std::uint32_t chosen_;
};

[[gnu::always_inline]] inline PackedLanes pack_lanes(Float8::Lanes chosen) {
#if defined(__AVX2__)
    return PackedLanes(static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)chosen.v)));
#else
    std::uint32_t bits = 0;
    for (int l = 0; l < 8; ++l) bits |= std::uint32_t(chosen[l]) << l;
    return PackedLanes(bits);
#endif
}

// Numbers that were parted by marks, a bit each, in their former order: to[k] is the next of `chosen` where bit k is
// set and else the next of `others`. Reads and writes up to the next multiple of eight.
[[gnu::always_inline]] inline void restore_order(const std::uint32_t* chosen, const std::uint32_t* others,
                                                 const std::uint8_t* marks, std::size_t count, std::uint32_t* to) {
    for (std::size_t first = 0; first < count; first += 8) {
        const std::uint32_t mark = marks[first / 8];
#if defined(__AVX2__)
        const auto load = [](const std::uint32_t* from) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        };
        const __m256i rank = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(ranks_in_kind[mark])));
        const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        const __m256i is_chosen = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(int(mark)), bit), bit);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + first),
                            _mm256_blendv_epi8(_mm256_permutevar8x32_epi32(load(others), rank),
                                               _mm256_permutevar8x32_epi32(load(chosen), rank), is_chosen));
#else
        for (std::size_t l = 0; l < 8; ++l) {
            const std::uint64_t rank = ranks_in_kind[mark] >> 8 * l & 0xff;
            to[first + l] = (mark >> l & 1 ? chosen : others)[rank];
        }
#endif
        chosen += std::popcount(mark);
        others += 8 - std::popcount(mark);
    }
}

}  // namespace pliant
