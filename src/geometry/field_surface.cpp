#include "pliant/geometry/field_surface.h"

#include <fmt/core.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"

namespace pliant {
namespace {

using Leaf = openvdb::FloatTree::LeafNodeType;
constexpr int leaf_dim = Leaf::DIM;

// Voxel (i, j, k) stands at origin + voxel (i, j, k); blocks of 8^3 voxels.
struct Blocks {
    Vec3 origin;
    Real voxel;
    std::array<std::size_t, 3> count;

    std::size_t total() const { return count[0] * count[1] * count[2]; }
    openvdb::Coord first_voxel(std::size_t block) const {
        const std::size_t i = block % count[0], j = block / count[0] % count[1], k = block / count[0] / count[1];
        return openvdb::Coord(int(i) * leaf_dim, int(j) * leaf_dim, int(k) * leaf_dim);
    }
    Vec3 place(const openvdb::Coord& at) const { return origin + voxel * Vec3(at.x(), at.y(), at.z()); }
};

// At least one voxel of outside all around.
Blocks blocks_around(const Box& bounds, Real voxel) {
    if (!(voxel > 0) || bounds.isEmpty() || !bounds.sizes().allFinite()) {
        throw InputError(fmt::format("a surface needs finite bounds and a resolution above 0, not {} m", voxel));
    }
    const Vec3 voxels = (bounds.sizes() / voxel).array().ceil() + 4;
    if (!(voxels.maxCoeff() < 16000)) {
        throw InputError(
            fmt::format("a surface of something {:.3g} m across cannot have a resolution of {:.3g} m; use {:.2g} m "
                        "or coarser",
                        bounds.sizes().maxCoeff(), voxel, bounds.sizes().maxCoeff() / 15000));
    }
    Blocks blocks{bounds.center() - voxel / 2 * (voxels - Vec3::Ones()), voxel, {}};
    for (int axis = 0; axis < 3; ++axis) blocks.count[axis] = (std::size_t(voxels[axis]) + leaf_dim - 1) / leaf_dim;
    return blocks;
}

// Blocks that the zero may pass through: the field at the middle is no larger than its change to the farthest voxel.
std::vector<std::size_t> blocks_near_zero(FunctionRef<Real(const Vec3&)> field, const Blocks& blocks, Real steepness) {
    const Real reach = blocks.voxel * (leaf_dim + 1) / 2 * std::sqrt(Real(3)) * steepness;
    std::vector<char> is_near(blocks.total());
    parallel_for(
        is_near.size(),
        [&](std::size_t b) {
            const Vec3 middle = blocks.place(blocks.first_voxel(b)) + Vec3::Constant(blocks.voxel * (leaf_dim - 1) / 2);
            is_near[b] = !(std::abs(field(middle)) > reach);
        },
        64);
    std::vector<std::size_t> near;
    for (std::size_t b = 0; b < is_near.size(); ++b) {
        if (is_near[b]) near.push_back(b);
    }
    return near;
}

// Fills a cube of voxels of a leaf: with the value at its middle where the zero cannot be near, else in eighths.
class LeafFiller {
public:
    LeafFiller(FunctionRef<Real(const Vec3&)> field, const Blocks& blocks, Real steepness, float outside)
        : field_(field), blocks_(blocks), steepness_(steepness), outside_(outside) {}

    void fill(Leaf& leaf, const openvdb::Coord& first, int size) const {
        const Vec3 middle = blocks_.place(first) + Vec3::Constant(blocks_.voxel * (size - 1) / 2);
        const float value = static_cast<float>(field_(middle));
        const Real reach = blocks_.voxel * (size + 1) / 2 * std::sqrt(Real(3)) * steepness_;
        if (size == 1 || std::abs(value) > reach) {
            set(leaf, first, size, std::isfinite(value) ? value : outside_);
            return;
        }
        const int half = size / 2;
        for (int child = 0; child < 8; ++child) {
            fill(leaf, first.offsetBy(child & 1 ? half : 0, child & 2 ? half : 0, child & 4 ? half : 0), half);
        }
    }

private:
    static void set(Leaf& leaf, const openvdb::Coord& first, int size, float value) {
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j < size; ++j) {
                for (int k = 0; k < size; ++k) leaf.setValueOnly(first.offsetBy(i, j, k), value);
            }
        }
    }

    FunctionRef<Real(const Vec3&)> field_;
    const Blocks& blocks_;
    Real steepness_;
    float outside_;
};

openvdb::FloatGrid::Ptr sampled(FunctionRef<Real(const Vec3&)> field, const Blocks& blocks, Real steepness,
                                const std::vector<std::size_t>& near) {
    const float outside = static_cast<float>(4 * leaf_dim * blocks.voxel);
    auto grid = openvdb::FloatGrid::create(outside);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    std::vector<Leaf*> leaves;
    for (const std::size_t b : near) {
        leaves.push_back(new Leaf(blocks.first_voxel(b), outside, true));
        grid->tree().addLeaf(leaves.back());  // the tree owns it
    }
    const LeafFiller filler(field, blocks, steepness, outside);
    parallel_for(
        leaves.size(), [&](std::size_t n) { filler.fill(*leaves[n], leaves[n]->origin(), leaf_dim); }, 1);
    openvdb::tools::signedFloodFill(grid->tree());
    return grid;
}

// OpenVDB walks around its polygons clockwise as seen from outside. Quads are cut along the shorter diagonal.
TriangleMesh extracted(const openvdb::FloatGrid& grid, const Blocks& blocks) {
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0.0, 0.0);
    TriangleMesh mesh;
    mesh.vertices.reserve(points.size());
    for (const auto& p : points) mesh.vertices.push_back(blocks.origin + blocks.voxel * Vec3(p.x(), p.y(), p.z()));
    mesh.triangles.reserve(triangles.size() + 2 * quads.size());
    for (const auto& t : triangles) mesh.triangles.push_back({int(t[2]), int(t[1]), int(t[0])});
    for (const auto& q : quads) {
        const std::array corner{int(q[3]), int(q[2]), int(q[1]), int(q[0])};
        const auto& x = mesh.vertices;
        const bool swap = (x[corner[1]] - x[corner[3]]).squaredNorm() < (x[corner[0]] - x[corner[2]]).squaredNorm();
        const int a = swap ? 1 : 0;
        mesh.triangles.push_back({corner[a], corner[a + 1], corner[a + 2]});
        mesh.triangles.push_back({corner[a], corner[a + 2], corner[(a + 3) % 4]});
    }
    return mesh;
}

// Newton steps x -= f grad f / |grad f|^2, no farther than half a voxel from where the grid put the corner.
void snap_to_zero(FunctionRef<Real(const Vec3&)> field, Real voxel, TriangleMesh& mesh) {
    parallel_for(mesh.vertices.size(), [&](std::size_t v) {
        const Vec3 start = mesh.vertices[v];
        Vec3 x = start;
        for (int pass = 0; pass < 3; ++pass) {
            const Real step = voxel * 1e-3, value = field(x);
            Vec3 gradient;
            for (int axis = 0; axis < 3; ++axis) {
                const Vec3 shift = step * Vec3::Unit(axis);
                gradient[axis] = (field(x + shift) - field(x - shift)) / (2 * step);
            }
            const Vec3 next = x - value / std::max(gradient.squaredNorm(), Real(0.25)) * gradient;
            if (!next.allFinite() || (next - start).norm() > voxel / 2) break;
            x = next;
        }
        mesh.vertices[v] = x;
    });
}

}  // namespace

TriangleMesh field_surface(FunctionRef<Real(const Vec3&)> field, const Box& bounds,
                           const FieldSurfaceSettings& settings) {
    const Blocks blocks = blocks_around(bounds, settings.voxel);
    const std::vector<std::size_t> near = blocks_near_zero(field, blocks, settings.steepness);
    const Real bytes = Real(near.size()) * Leaf::SIZE * sizeof(float);
    if (bytes > Real(settings.memory)) {
        throw InputError(
            fmt::format("a surface with a resolution of {:.3g} m takes {:.0f} MB, but {:.0f} MB are allowed; use "
                        "about {:.2g} m or coarser",
                        settings.voxel, bytes / 1e6, Real(settings.memory) / 1e6,
                        1.1 * settings.voxel * std::sqrt(bytes / Real(settings.memory))));
    }
    TriangleMesh mesh = extracted(*sampled(field, blocks, settings.steepness, near), blocks);
    if (settings.snap) snap_to_zero(field, settings.voxel, mesh);
    return mesh;
}

}  // namespace pliant
