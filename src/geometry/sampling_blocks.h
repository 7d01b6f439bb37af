// The cubes of a regular grid that reach into a shape, found from large to small: whatever lies outside or inside as a
// whole is settled by one distance.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pliant/geometry/shape.h"

namespace pliant {

// Distances read off a grid may be steeper than 1 by some percent.
constexpr Real distance_steepness = 1.06;

struct BlockGrid {
    Vec3 origin = Vec3::Zero();
    Real size = 1;  // edge of a block
    std::array<std::int64_t, 3> count = {0, 0, 0};

    Vec3 corner(const std::array<std::int64_t, 3>& index) const {
        return origin + size * Vec3(Real(index[0]), Real(index[1]), Real(index[2]));
    }
};

struct ShapeBlock {
    std::array<std::int64_t, 3> index;
    bool is_inside;  // all of it is deep enough
};

// The blocks that may hold points at least `depth` below the surface, along a Morton curve.
std::vector<ShapeBlock> blocks_within(const Shape& shape, const BlockGrid& grid, Real depth);

}  // namespace pliant
