// Space cut into cubic cells without a box around it: the cell of a position is floor(position / size), and the frame
// knows the lowest cell that is in use and how many bits an axis needs. Nothing is stored for empty cells, so that
// particles may lie as far apart as they like, up to 10^12 cells from the origin.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "pliant/geometry/raw_vector.h"
#include "pliant/math/types.h"

namespace pliant {

using CellIndex = std::array<std::int64_t, 3>;

struct CellFrame {
    Real inverse_size = 1;         // 1 / edge of a cell
    CellIndex lowest = {0, 0, 0};  // lowest cell in use, axis by axis
    CellIndex extent = {1, 1, 1};  // cells from the lowest to the highest in use
    Real largest = 0;              // largest |position| / size

    Vec3 scaled(const Vec3& position) const { return position * inverse_size; }
    CellIndex relative_cell(const Vec3& scaled) const {
        return {std::int64_t(std::floor(scaled.x())) - lowest[0], std::int64_t(std::floor(scaled.y())) - lowest[1],
                std::int64_t(std::floor(scaled.z())) - lowest[2]};
    }
};

// Finds the frame of positions; keeps its memory between calls.
class CellFrameFinder {
public:
    static constexpr Real farthest = 1099511627776.0;  // 2^40 cells: keys of three axes fit in 128 bits with room

    // Raises SimulationError, naming the first particle concerned, if a position is not finite or lies farther than
    // 10^12 cells from the origin; InputError if the size is not a positive number between 1e-150 and 1e150 or there
    // are more than 2^32 - 1 positions.
    CellFrame find(std::span<const Vec3> positions, Real cell_size);

private:
    struct Extent {
        Vec3 lowest, highest;
        std::size_t bad;  // first particle that is not within reach, or none
    };
    RawVector<Extent> partial_;
};

}  // namespace pliant
