#include "pliant/geometry/surfacing.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh_fairing.h"
#include "pliant/geometry/particle_blend.h"

namespace pliant {

namespace {

constexpr int side = ParticleBlend::leaf_side;
constexpr int leaf_size = side * side * side;
constexpr float outside = 10;  // voxels: phi where no particle is near

using LeafValues = std::array<float, leaf_size>;

// Sums over the particles near a voxel: of the weights, and of weights times offsets and radii.
struct LeafSums {
    std::array<float, leaf_size> weight{}, x{}, y{}, z{}, radius{};
};

// The range of a leaf's voxels, along one axis, whose centres lie within `reach` of x.
struct VoxelRange {
    int begin, end;
    VoxelRange(float x, float reach, int first_voxel)
        : begin(std::max(0, int(std::ceil(x - reach)) - first_voxel)),
          end(std::min(side, int(std::floor(x + reach)) - first_voxel + 1)) {}
};

void add_particle(const ParticleBlend::Particle& particle, float reach, const Eigen::Vector3i& first, LeafSums& sums) {
    const Eigen::Vector3f& c = particle.position;
    const VoxelRange xs(c.x(), reach, first.x()), ys(c.y(), reach, first.y()), zs(c.z(), reach, first.z());
    const float scale = 1 / (reach * reach);
    for (int i = xs.begin; i < xs.end; ++i) {
        for (int j = ys.begin; j < ys.end; ++j) {
            const float dx = c.x() - float(first.x() + i), dy = c.y() - float(first.y() + j);
            for (int k = zs.begin; k < zs.end; ++k) {
                const std::size_t v = std::size_t((i * side + j) * side + k);
                const float dz = c.z() - float(first.z() + k);
                const float w = blend_weight(scale * (dx * dx + dy * dy + dz * dz));
                sums.weight[v] += w;
                sums.x[v] += w * dx;
                sums.y[v] += w * dy;
                sums.z[v] += w * dz;
                sums.radius[v] += w * particle.radius;
            }
        }
    }
}

// At a flat face, a radius above the outermost layer of a lattice, the mean of the particles lies deeper than one
// radius below: by `depth` radii, where the weights add up to `weight`. Layers lie at z = 1, 3, 5 ... radii, and the
// weights of a layer add up to pi R^2 / 16 (1 - z^2 / R^2)^4.
struct FlatFace {
    float depth = 1, weight = 1;
    explicit FlatFace(Real reach) {
        Real layers = 0, depths = 0;
        for (Real z = 1; z < reach; z += 2) {
            const Real layer = square(square(1 - square(z / reach)));
            layers += layer;
            depths += z * layer;
        }
        if (layers == 0) return;
        depth = float(depths / layers);
        weight = float(pi * square(reach) / 16 * layers);
    }
    // What to take for the radius, in radii: 1 for a lone particle, `depth` for a body.
    float radius(float w) const {
        return 1 + (depth - 1) * std::clamp((w - 1) / std::max(weight - 1, 1e-3f), 0.0f, 1.0f);
    }
};

// phi at the voxels of a leaf, z running fastest as in OpenVDB's leaves.
LeafValues leaf_values(const ParticleBlend& blend, const Eigen::Vector3i& leaf) {
    LeafSums sums;
    blend.for_each_near(leaf, [&](const ParticleBlend::Particle& particle) {
        add_particle(particle, blend.weight_radius(particle), side * leaf, sums);
    });
    const FlatFace face(blend.reach());
    LeafValues values;
    for (std::size_t v = 0; v < leaf_size; ++v) {
        const float w = sums.weight[v];
        const float offset = std::sqrt(sums.x[v] * sums.x[v] + sums.y[v] * sums.y[v] + sums.z[v] * sums.z[v]);
        values[v] = w > 1e-12f ? (offset - face.radius(w) * sums.radius[v]) / w : outside;
    }
    return values;
}

openvdb::FloatGrid::Ptr level_set(const ParticleBlend& blend) {
    const std::vector<Eigen::Vector3i> leaves = blend.leaves();
    std::vector<LeafValues> values(leaves.size());
    parallel_for(
        leaves.size(), [&](std::size_t i) { values[i] = leaf_values(blend, leaves[i]); }, 8);
    auto grid = openvdb::FloatGrid::create(outside);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);  // negative inside
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const Eigen::Vector3i first = side * leaves[i];
        auto* leaf = grid->tree().touchLeaf(openvdb::Coord(first.x(), first.y(), first.z()));
        std::copy(values[i].begin(), values[i].end(), leaf->buffer().data());
        leaf->setValuesOn();
    }
    return grid;
}

TriangleMesh zero_level(const openvdb::FloatGrid& grid, const ParticleBlend& blend, Real adaptivity) {
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0, adaptivity);

    TriangleMesh mesh;
    for (const auto& x : points) mesh.vertices.push_back(blend.origin() + blend.voxel() * Vec3(x.x(), x.y(), x.z()));
    const auto add = [&](unsigned a, unsigned b, unsigned c) {  // OpenVDB's corners run clockwise
        mesh.triangles.push_back({int(a), int(c), int(b)});
    };
    for (const auto& t : triangles) add(t[0], t[1], t[2]);
    for (const auto& q : quads) {
        const auto diagonal = [&](int i, int j) { return (points[q[i]] - points[q[j]]).lengthSqr(); };
        const int first = diagonal(0, 2) <= diagonal(1, 3) ? 0 : 1;  // cut along the shorter one
        add(q[first], q[first + 1], q[first + 2]);
        add(q[first + 2], q[(first + 3) % 4], q[first]);
    }
    return mesh;
}

}  // namespace

TriangleMesh particle_surface(std::span<const Eigen::Vector3f> positions, std::span<const float> radii,
                              const SurfacingSettings& settings) {
    const ParticleBlend blend(positions, radii, settings.voxel, settings.reach);
    if (blend.is_empty()) return {};
    TriangleMesh mesh = zero_level(*level_set(blend), blend, std::clamp<Real>(settings.adaptivity, 0, 1));
    fair(mesh, settings.smoothing);
    return mesh;
}

std::vector<Eigen::Vector3f> blend_particle_values(std::span<const Vec3> points,
                                                   std::span<const Eigen::Vector3f> positions,
                                                   std::span<const float> radii,
                                                   std::span<const Eigen::Vector3f> values,
                                                   const SurfacingSettings& settings) {
    const ParticleBlend blend(positions, radii, settings.voxel, settings.reach);
    std::vector<Eigen::Vector3f> result(points.size(), Eigen::Vector3f::Zero());
    if (blend.is_empty()) return result;
    parallel_for(points.size(), [&](std::size_t i) {
        const Eigen::Vector3f x = ((points[i] - blend.origin()) / blend.voxel()).cast<float>();
        float total = 0;
        blend.for_each_near(ParticleBlend::leaf_of(x), [&](const ParticleBlend::Particle& particle) {
            const float reach = blend.weight_radius(particle);
            const float w = blend_weight((particle.position - x).squaredNorm() / (reach * reach));
            total += w;
            result[i] += w * values[particle.index];
        });
        if (total > 0) result[i] /= total;
    });
    return result;
}

}  // namespace pliant
