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

    // Beyond the grid, with c the nearest point of its box and m the least distance of the solid from the box's sides,
    //   d(x) = sqrt(d(c)^2 + sum over axes of (o^2 + 2 |o| m)),   o = x - c
    // which never exceeds the true distance, for all of the solid lies within; next to a box it is exact.
    Real distance(const Vec3& x) const;

    // The derivative of distance(x); where that has several, one of them. Not of unit length.
    Vec3 gradient(const Vec3& x) const;

    // Of what is inside [m^3], to about the accuracy of the grid. Parts thinner than a voxel are lost, and show here.
    Real volume() const;

    const GridLayout& layout() const { return layout_; }
    const std::vector<float>& values() const { return values_; }

private:
    void measure_margins();

    GridLayout layout_;
    std::vector<float> values_;
    Vec3 margin_below_ = Vec3::Zero(), margin_above_ = Vec3::Zero();  // [m] from the solid to the sides of the box
};

// The distance to the surface of a closed, outward mesh; where pieces of it overlap, their union is the solid. Exact at
// the nodes within 6 voxels of the surface, up to rounding; within 5 % beyond, where it is interpolated from fewer
// nodes.
DistanceGrid distance_grid(const TriangleMesh& mesh, const GridLayout& layout);

// The distance of a shape, read off at the nodes.
DistanceGrid distance_grid(const Shape& shape, const GridLayout& layout);

}  // namespace pliant
