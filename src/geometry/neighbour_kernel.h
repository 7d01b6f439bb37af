// The innermost loops of the neighbour search, eight candidates at a time: where they are as seen from a particle,
// which of them are within reach, and the list of those that are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pliant {

// Positions as whole multiples of cell / 2^26, modulo 2^32: the difference of two particles within 32 cells of each
// other is exact in wrapping arithmetic, wherever in space they are.
constexpr int fixed_point_bits = 26;
using FixedPoint = std::uint32_t;

struct FixedPositions {
    const FixedPoint *x, *y, *z;
};

// How far b is from a, rounded to float.
inline float offset(FixedPoint a, FixedPoint b) {
    return float(std::int32_t(b - a));
}

// Candidates as offsets from one particle, in fixed-point units.
struct CandidateTile {
    static constexpr std::size_t capacity = 1024;
    alignas(32) float x[capacity + 8], y[capacity + 8], z[capacity + 8];
};

// Writes the offsets of `count` particles from place `first` on, as seen from place `origin`, to the tile from `at`
// on. Reads and writes up to seven entries too many.
void gather_offsets(const FixedPositions& positions, std::size_t first, std::size_t count, std::size_t origin,
                    CandidateTile& tile, std::size_t at);

// Fills the tile up to the next multiple of eight with candidates that are out of reach.
void pad_tile(CandidateTile& tile, std::size_t count);

// Bounds on the squared distance: below `lower` a neighbour, above `upper` none, between them unsure.
struct Reach {
    float lower, upper;
};

struct Marked {
    std::uint32_t count;  // bits set
    bool has_unsure;      // whether one of them lies between the bounds
};

float squared_distance(const CandidateTile& tile, std::size_t k, const std::array<float, 3>& centre);

// Sets bit k of the mask where candidate k is nearer to the centre than reach.upper, for 8 * bytes candidates.
Marked mark_near(const CandidateTile& tile, std::size_t bytes, const std::array<float, 3>& centre, Reach reach,
                 std::uint8_t* mask);

// Appends the indices whose bits are set to `row` and returns their number. Writes up to eight entries beyond them.
std::size_t choose_marked(const std::uint8_t* mask, std::size_t bytes, const std::uint32_t* indices,
                          std::uint32_t* row);

// Copies whole vectors: reads and writes up to seven entries too many.
void copy_loosely(const std::uint32_t* from, std::size_t count, std::uint32_t* to);

// Copies and writes nothing beyond `count`.
void copy_exactly(const std::uint32_t* from, std::size_t count, std::uint32_t* to);

}  // namespace pliant
