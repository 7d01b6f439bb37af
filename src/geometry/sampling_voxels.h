// The parts of dart throwing in one block of space: points in reach, voxels still open. Lengths are in
// units of the least distance between points, from the block's corner.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "pliant/base/random.h"
#include "pliant/math/simd.h"

namespace pliant {

using Place = std::array<float, 3>;

// Whether a point is nearer than 1 to all of the cube around `centre`: by the corner that is farthest from it.
inline bool covers(const Place& point, const Place& centre, float half_edge) {
    float squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float far = std::abs(point[axis] - centre[axis]) + half_edge;
        squared += far * far;
    }
    return squared < 1;
}

// Points in and around a block, tested eight at a time.
class NearPoints {
public:
    static constexpr std::size_t capacity = 512;  // the densest packing has 305 in reach of a block of edge 3

    NearPoints() {
        for (auto& axis : coordinates_) axis.fill(1e9f);
    }
    void add(const Place& p) {
        assert(count_ < capacity);
        for (int axis = 0; axis < 3; ++axis) coordinates_[axis][count_] = p[axis];
        ++count_;
    }

    bool cover(const Place& centre, float half_edge) const { return any_nearer_than_one(centre, half_edge); }
    bool has_within_one(const Place& place) const { return any_nearer_than_one(place, 0); }

private:
    // Whether sum over axes of (|d| + extra)^2 < 1 for one of the points.
    bool any_nearer_than_one(const Place& place, float extra) const {
        const Float8 x = place[0], y = place[1], z = place[2];
        for (std::size_t k = 0; k < count_; k += 8) {
            const Float8 dx = simd::abs(simd::load<Float8>(&coordinates_[0][k]) - x) + extra;
            const Float8 dy = simd::abs(simd::load<Float8>(&coordinates_[1][k]) - y) + extra;
            const Float8 dz = simd::abs(simd::load<Float8>(&coordinates_[2][k]) - z) + extra;
            if (simd::any(simd::fma(dx, dx, simd::fma(dy, dy, dz * dz)) < Float8(1))) return true;
        }
        return false;
    }

    std::size_t count_ = 0;
    std::array<std::array<float, capacity>, 3> coordinates_;
};

// Cubes of one size that a new point may still lie in.
class VoxelList {
public:
    VoxelList(int along_edge, Real edge) : edge_(float(edge)) {
        for (int z = 0; z < along_edge; ++z) {
            for (int y = 0; y < along_edge; ++y) {
                for (int x = 0; x < along_edge; ++x) {
                    voxels_.push_back({std::uint16_t(x), std::uint16_t(y), std::uint16_t(z)});
                }
            }
        }
    }

    bool empty() const { return voxels_.empty(); }
    std::size_t size() const { return voxels_.size(); }
    float edge() const { return edge_; }

    Place random_place(Random& random) const {
        const Voxel& v = voxels_[random.below(voxels_.size())];
        Place place;
        for (int axis = 0; axis < 3; ++axis) place[axis] = (float(v[axis]) + random.fraction()) * edge_;
        return place;
    }

    // Keeps the order of the rest.
    template <class Condition>
    void drop_if(Condition&& is_done) {
        std::erase_if(voxels_, [&](const Voxel& v) {
            return is_done(Place{(v[0] + 0.5f) * edge_, (v[1] + 0.5f) * edge_, (v[2] + 0.5f) * edge_});
        });
    }

    void halve() {
        std::vector<Voxel> halves;
        halves.reserve(8 * voxels_.size());
        for (const Voxel& v : voxels_) {
            for (int k = 0; k < 8; ++k) {
                halves.push_back({std::uint16_t(2 * v[0] + (k & 1)), std::uint16_t(2 * v[1] + (k >> 1 & 1)),
                                  std::uint16_t(2 * v[2] + (k >> 2))});
            }
        }
        voxels_ = std::move(halves);
        edge_ /= 2;
    }

private:
    using Voxel = std::array<std::uint16_t, 3>;
    std::vector<Voxel> voxels_;
    float edge_;
};

}  // namespace pliant
