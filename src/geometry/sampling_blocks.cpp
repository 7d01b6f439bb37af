#include "pliant/geometry/sampling_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {

namespace {

enum class Place : std::uint8_t { outside, across, inside };

// Where a cube lies, from the distance at its centre. What is not a number counts as outside.
Place place_of(const Shape& shape, const Vec3& corner, Real edge, Real depth) {
    const Real reach = distance_steepness * std::sqrt(3.0) / 2 * edge;
    const Real beyond = shape.distance(corner + Vec3::Constant(edge / 2)) + depth;
    if (beyond < -reach) return Place::inside;
    return beyond <= reach ? Place::across : Place::outside;
}

// Cubes of 2^level blocks.
std::vector<ShapeBlock> children(const std::vector<ShapeBlock>& parents, const BlockGrid& grid, int level) {
    std::vector<ShapeBlock> result;
    for (const ShapeBlock& parent : parents) {
        for (int child = 0; child < 8; ++child) {
            ShapeBlock block = parent;
            bool is_in_grid = true;
            for (int axis = 0; axis < 3; ++axis) {
                block.index[axis] = 2 * parent.index[axis] + (child >> axis & 1);
                is_in_grid = is_in_grid && block.index[axis] << level < grid.count[axis];
            }
            if (is_in_grid) result.push_back(block);
        }
    }
    return result;
}

void settle(std::vector<ShapeBlock>& blocks, const Shape& shape, const BlockGrid& grid, int level, Real depth) {
    const Real edge = std::ldexp(grid.size, level);
    std::vector<Place> places(blocks.size(), Place::inside);
    parallel_for(
        blocks.size(),
        [&](std::size_t b) {
            if (blocks[b].is_inside) return;
            const auto& i = blocks[b].index;
            const Vec3 corner = grid.corner({i[0] << level, i[1] << level, i[2] << level});
            places[b] = place_of(shape, corner, edge, depth);
        },
        64);
    std::size_t kept = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (places[b] != Place::outside) blocks[kept++] = {blocks[b].index, places[b] == Place::inside};
    }
    blocks.resize(kept);
}

}  // namespace

std::vector<ShapeBlock> blocks_within(const Shape& shape, const BlockGrid& grid, Real depth) {
    const std::int64_t longest = *std::max_element(grid.count.begin(), grid.count.end());
    if (*std::min_element(grid.count.begin(), grid.count.end()) <= 0) return {};
    int level = std::bit_width(std::uint64_t(longest - 1));
    std::vector<ShapeBlock> blocks = {{{0, 0, 0}, false}};
    settle(blocks, shape, grid, level, depth);
    while (level > 0) {
        --level;
        blocks = children(blocks, grid, level);
        settle(blocks, shape, grid, level, depth);
    }
    return blocks;
}

}  // namespace pliant
