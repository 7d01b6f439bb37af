// Signed distance on a dense grid of nodes, interpolated linearly between them.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "pliant/geometry/shape.h"
#include "pliant/math/types.h"

namespace pliant {

// Where the nodes stand: node (i, j, k) at origin + voxel (i, j, k). At least two nodes along each axis.
struct GridLayout {
    Vec3 origin = Vec3::Zero();
    Real voxel = 1;
    std::array<int, 3> size = {2, 2, 2};

    std::size_t node_count() const { return std::size_t(size[0]) * std::size_t(size[1]) * std::size_t(size[2]); }
    std::size_t index(int i, int j, int k) const {
        return std::size_t(i) + std::size_t(size[0]) * (std::size_t(j) + std::size_t(size[1]) * std::size_t(k));
    }
    Vec3 node(int i, int j, int k) const { return origin + voxel * Vec3(i, j, k); }
    Box box() const { return Box(origin, node(size[0] - 1, size[1] - 1, size[2] - 1)); }

    // Nodes around `bounds` with `margin` voxels on every side. InputError when they need more than `memory` bytes as
    // floats: the message tells both numbers and the voxel that would do.
    static GridLayout around(const Box& bounds, Real voxel, int margin = 2, std::size_t memory = default_memory);

    static constexpr std::size_t default_memory = std::size_t(1) << 30;
};

class DistanceGrid {
public:
    DistanceGrid(const GridLayout& layout, std::vector<float> values);  // in the order of GridLayout::index

    // Beyond the grid: sqrt(d(c)^2 + |x - c|^2) with c the nearest point of the grid's box, which never exceeds the
    // true distance, for all of the solid lies in the box.
    Real distance(const Vec3& x) const;

    // The derivative of distance(x); where that has several, one of them. Not of unit length.
    Vec3 gradient(const Vec3& x) const;

    const GridLayout& layout() const { return layout_; }
    const std::vector<float>& values() const { return values_; }

private:
    GridLayout layout_;
    std::vector<float> values_;
};

// The distance to the surface of a closed, outward mesh. Exact at the nodes up to rounding; where pieces of the mesh
// overlap, their union is the solid.
DistanceGrid distance_grid(const TriangleMesh& mesh, const GridLayout& layout);

// The distance of a shape, read off at the nodes.
DistanceGrid distance_grid(const Shape& shape, const GridLayout& layout);

}  // namespace pliant
