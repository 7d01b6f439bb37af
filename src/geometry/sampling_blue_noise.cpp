// Darts are thrown at voxels that are not yet covered; when they are used up, the voxels are cut in eight, and those
// that a point covers or that lie outside are dropped. Blocks of space are filled side by side, in eight colours, so
// that no two at work at a time touch each other.   [Ebeida12] throw at one list of voxels in the same manner.
#include "pliant/geometry/sampling_blue_noise.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/geometry/sampling_blocks.h"
#include "pliant/geometry/sampling_voxels.h"

namespace pliant {

namespace {

using Index = std::array<std::int64_t, 3>;

constexpr int block_edge = 3;    // in units of the distance between points
constexpr int first_voxels = 6;  // along the edge of a block
constexpr int levels = 7;        // of voxels, the smallest 1/128 of the distance
constexpr std::size_t darts_per_voxel = 1;

// Blocks and the points within them, found by place.
struct Blocks {
    BlockGrid grid;
    std::vector<ShapeBlock> list;
    std::vector<std::vector<Vec3>> points;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> numbers;  // by key, ascending

    static std::uint64_t key(const Index& i) {
        return std::uint64_t(i[0]) | std::uint64_t(i[1]) << 21 | std::uint64_t(i[2]) << 42;
    }

    Blocks(const Shape& shape, Real distance, Real depth) {
        const Box bounds = shape.bounds();
        grid.size = block_edge * distance;
        grid.origin = bounds.min();
        for (int axis = 0; axis < 3; ++axis) {
            grid.count[axis] = std::int64_t(bounds.sizes()[axis] / grid.size) + 1;
        }
        list = blocks_within(shape, grid, depth);
        points.resize(list.size());
        for (std::uint32_t b = 0; b < list.size(); ++b) numbers.emplace_back(key(list[b].index), b);
        std::sort(numbers.begin(), numbers.end());
    }

    const std::vector<Vec3>* points_at(const Index& index) const {
        for (const std::int64_t i : index) {
            if (i < 0) return nullptr;
        }
        const auto found = std::lower_bound(numbers.begin(), numbers.end(), std::pair(key(index), std::uint32_t(0)));
        return found != numbers.end() && found->first == key(index) ? &points[found->second] : nullptr;
    }
};

// One block, with lengths in units of the distance between points, from its corner.
class BlockFiller {
public:
    BlockFiller(const Shape& shape, const Blocks& blocks, std::size_t number, Real distance, Real depth)
        : shape_(shape),
          is_inside_(blocks.list[number].is_inside),
          corner_(blocks.grid.corner(blocks.list[number].index)),
          distance_(distance),
          depth_(depth) {
        const Index& index = blocks.list[number].index;
        for (int k = 0; k < 27; ++k) {
            const auto* points =
                blocks.points_at({index[0] + k % 3 - 1, index[1] + k / 3 % 3 - 1, index[2] + k / 9 - 1});
            if (!points) continue;
            for (const Vec3& x : *points) add_if_near(x);
        }
    }

    std::vector<Vec3> fill(Random random) {
        VoxelList voxels(first_voxels, Real(block_edge) / first_voxels);
        for (int level = 0; level < levels && !voxels.empty(); ++level) {
            if (level > 0) voxels.halve();
            voxels.drop_if([&](const Place& centre) {
                return near_.cover(centre, voxels.edge() / 2) || is_outside(centre, voxels.edge());
            });
            throw_darts(voxels, random);
        }
        return std::move(points_);
    }

private:
    void add_if_near(const Vec3& x) {
        const Vec3 p = (x - corner_) / distance_;
        if ((p.array() > -1).all() && (p.array() < block_edge + 1).all())
            near_.add({float(p.x()), float(p.y()), float(p.z())});
    }

    Vec3 world(const Place& p) const { return corner_ + distance_ * Vec3(p[0], p[1], p[2]); }

    bool is_outside(const Place& centre, float edge) const {
        const Real reach = distance_steepness * std::sqrt(3.0) / 2 * edge * distance_;
        return !is_inside_ && !(shape_.distance(world(centre)) + depth_ <= reach);
    }

    void throw_darts(VoxelList& voxels, Random& random) {
        for (std::size_t left = darts_per_voxel * voxels.size(); left > 0 && !voxels.empty(); --left) {
            const Place dart = voxels.random_place(random);
            if (near_.has_within_one(dart)) continue;
            if (!is_inside_ && !(shape_.distance(world(dart)) <= -depth_)) continue;
            near_.add(dart);
            points_.push_back(world(dart));
            voxels.drop_if([&](const Place& centre) { return covers(dart, centre, voxels.edge() / 2); });
        }
    }

    const Shape& shape_;
    const bool is_inside_;
    const Vec3 corner_;
    const Real distance_, depth_;
    NearPoints near_;
    std::vector<Vec3> points_;
};

}  // namespace

std::vector<Vec3> poisson_disk_points(const Shape& shape, Real distance, Real depth, std::uint64_t seed) {
    Blocks blocks(shape, distance, depth);
    for (int colour = 0; colour < 8; ++colour) {
        std::vector<std::size_t> numbers;
        for (std::size_t b = 0; b < blocks.list.size(); ++b) {
            const Index& i = blocks.list[b].index;
            if (((i[0] & 1) | (i[1] & 1) << 1 | (i[2] & 1) << 2) == colour) numbers.push_back(b);
        }
        parallel_for(
            numbers.size(),
            [&](std::size_t k) {
                const Random random(seed, Blocks::key(blocks.list[numbers[k]].index));
                blocks.points[numbers[k]] = BlockFiller(shape, blocks, numbers[k], distance, depth).fill(random);
            },
            4);
    }
    std::vector<Vec3> points;
    for (const auto& more : blocks.points) points.insert(points.end(), more.begin(), more.end());
    return points;
}

}  // namespace pliant
