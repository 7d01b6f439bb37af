#include "pliant/geometry/neighbour_kernel.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pliant/math/simd.h"

namespace pliant {

namespace {

typedef std::uint32_t Integers __attribute__((vector_size(32)));

Integers load_integers(const std::uint32_t* from) {
    Integers v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

void store_integers(std::uint32_t* to, Integers v) {
    std::memcpy(to, &v, sizeof v);
}

Float8 offsets(const FixedPoint* from, FixedPoint origin) {
    const Integers difference = load_integers(from) - origin;
    return Float8(__builtin_convertvector((Float8::Bits)difference, Float8::Vector));
}

// Bit k is lane k.
unsigned lane_bits(Float8::Lanes lanes) {
#ifdef __AVX2__
    return unsigned(_mm256_movemask_ps((__m256)lanes.v));
#else
    unsigned bits = 0;
    for (int lane = 0; lane < 8; ++lane) bits |= unsigned(lanes[lane]) << lane;
    return bits;
#endif
}

#ifdef __AVX2__
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
alignas(64) constexpr auto chosen_lanes = make_chosen_lanes();

Integers chosen_first(Integers v, unsigned mask) {
    const auto* lanes = reinterpret_cast<const __m128i*>(chosen_lanes[mask].data());
    return (Integers)_mm256_permutevar8x32_epi32((__m256i)v, _mm256_cvtepu8_epi32(_mm_loadl_epi64(lanes)));
}
#endif

}  // namespace

void gather_offsets(const FixedPositions& positions, std::size_t first, std::size_t count, std::size_t origin,
                    CandidateTile& tile, std::size_t at) {
    const FixedPoint *x = positions.x, *y = positions.y, *z = positions.z;
    const FixedPoint x0 = x[origin], y0 = y[origin], z0 = z[origin];
    for (std::size_t k = 0; k < count; k += 8) {
        simd::store(tile.x + at + k, offsets(x + first + k, x0));
        simd::store(tile.y + at + k, offsets(y + first + k, y0));
        simd::store(tile.z + at + k, offsets(z + first + k, z0));
    }
}

void pad_tile(CandidateTile& tile, std::size_t count) {
    for (std::size_t k = count; k % 8 != 0; ++k) tile.x[k] = tile.y[k] = tile.z[k] = 1e18f;
}

float squared_distance(const CandidateTile& tile, std::size_t k, const std::array<float, 3>& centre) {
    const float dx = tile.x[k] - centre[0], dy = tile.y[k] - centre[1], dz = tile.z[k] - centre[2];
    return dx * dx + dy * dy + dz * dz;
}

Marked mark_near(const CandidateTile& tile, std::size_t bytes, const std::array<float, 3>& centre, Reach reach,
                 std::uint8_t* mask) {
    const Float8 x = centre[0], y = centre[1], z = centre[2], upper = reach.upper;
    Float8 farthest = 0;  // squared distance of the farthest that is marked, lane by lane
    std::uint64_t count = 0;
    for (std::size_t b = 0; b < bytes; ++b) {
        const Float8 dx = simd::load_aligned<Float8>(tile.x + 8 * b) - x;
        const Float8 dy = simd::load_aligned<Float8>(tile.y + 8 * b) - y;
        const Float8 dz = simd::load_aligned<Float8>(tile.z + 8 * b) - z;
        const Float8 squared = simd::fma(dx, dx, simd::fma(dy, dy, dz * dz));
        const Float8::Lanes is_near = squared <= upper;
        farthest = simd::max(farthest, simd::keep(is_near, squared));
        const unsigned bits = lane_bits(is_near);
        mask[b] = std::uint8_t(bits);
        count += std::uint64_t(std::popcount(bits));
    }
    return {std::uint32_t(count), simd::any(farthest >= Float8(reach.lower))};
}

std::size_t choose_marked(const std::uint8_t* mask, std::size_t bytes, const std::uint32_t* indices,
                          std::uint32_t* row) {
    std::uint32_t* next = row;
    for (std::size_t b = 0; b < bytes; ++b) {
        unsigned bits = mask[b];
#ifdef __AVX2__
        store_integers(next, chosen_first(load_integers(indices + 8 * b), bits));
        next += std::popcount(bits);
#else
        for (; bits != 0; bits &= bits - 1) *next++ = indices[8 * b + std::size_t(std::countr_zero(bits))];
#endif
    }
    return std::size_t(next - row);
}

void copy_loosely(const std::uint32_t* from, std::size_t count, std::uint32_t* to) {
    for (std::size_t k = 0; k < count; k += 8) store_integers(to + k, load_integers(from + k));
}

void copy_exactly(const std::uint32_t* from, std::size_t count, std::uint32_t* to) {
    if (count < 8) {
        std::copy(from, from + count, to);
        return;
    }
    const std::size_t last = count - 8;  // the last vector overlaps the one before
    for (std::size_t k = 0; k < last; k += 8) store_integers(to + k, load_integers(from + k));
    store_integers(to + last, load_integers(from + last));
}

}  // namespace pliant
