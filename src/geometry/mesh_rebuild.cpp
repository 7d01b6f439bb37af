#include "pliant/geometry/mesh_rebuild.h"

#include <algorithm>
#include <cmath>

#include "pliant/geometry/distance_grid.h"
#include "pliant/geometry/field_surface.h"
#include "pliant/geometry/mesh_edges.h"
#include "pliant/geometry/triangle_tree.h"

namespace pliant {
namespace {

// Drops closed pieces that hold less than a few voxels: crumbs of rounding.
TriangleMesh without_crumbs(const TriangleMesh& mesh, Real voxel) {
    const Pieces pieces = pieces_of(mesh);
    std::vector<Real> volume(pieces.count, 0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        volume[pieces.of_triangle[t]] += mesh.vertices[a].dot(mesh.vertices[b].cross(mesh.vertices[c])) / 6;
    }
    TriangleMesh result;
    std::vector<int> kept(mesh.vertices.size(), -1);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (std::abs(volume[pieces.of_triangle[t]]) < 4 * cube(voxel)) continue;
        std::array<int, 3> triangle = mesh.triangles[t];
        for (int& v : triangle) {
            if (kept[v] < 0) {
                kept[v] = static_cast<int>(result.vertices.size());
                result.vertices.push_back(mesh.vertices[v]);
            }
            v = kept[v];
        }
        result.triangles.push_back(triangle);
    }
    return result;
}

// Which nodes can be reached from the grid's edge over nodes farther than `gap` from the mesh?
std::vector<char> flooded(const GridLayout& layout, const std::vector<float>& distance, Real gap) {
    std::vector<char> is_reached(distance.size(), 0);
    std::vector<std::array<int, 3>> front;
    const auto reach = [&](int i, int j, int k) {
        const std::size_t n = layout.index(i, j, k);
        if (is_reached[n] || !(distance[n] > gap)) return;
        is_reached[n] = 1;
        front.push_back({i, j, k});
    };
    reach(0, 0, 0);
    while (!front.empty()) {
        const auto [i, j, k] = front.back();
        front.pop_back();
        if (i > 0) reach(i - 1, j, k);
        if (j > 0) reach(i, j - 1, k);
        if (k > 0) reach(i, j, k - 1);
        if (i + 1 < layout.size[0]) reach(i + 1, j, k);
        if (j + 1 < layout.size[1]) reach(i, j + 1, k);
        if (k + 1 < layout.size[2]) reach(i, j, k + 1);
    }
    return is_reached;
}

std::vector<float> unsigned_distance(const TriangleTree& tree, const GridLayout& layout) {
    std::vector<float> distance(layout.node_count());
    parallel_for(
        std::size_t(layout.size[2]) * layout.size[1],
        [&](std::size_t row) {
            const int j = static_cast<int>(row % layout.size[1]), k = static_cast<int>(row / layout.size[1]);
            int guess = -1;
            for (int i = 0; i < layout.size[0]; ++i) {
                const TriangleTree::Nearest nearest = tree.nearest(layout.node(i, j, k), guess);
                guess = nearest.triangle;
                distance[layout.index(i, j, k)] = static_cast<float>(nearest.distance);
            }
        },
        4);
    return distance;
}

// The surface of a field of steepness 2 is looked for wherever the field is small. But away from holes f is a distance
// and its steepness 1: there it may grow faster from a few voxels on, so that fewer are looked at. The factor is the
// largest for which a block of 8 voxels that the surface passes through is still found.
constexpr Real whole = 0.05;  // beside a hole, w is farther than this from 0 and 1
Real hurried(Real f, Real from) {
    constexpr Real factor = 2.6;
    return std::abs(f) > from ? std::copysign(from + factor * (std::abs(f) - from), f) : f;
}

}  // namespace

// f = 2 d (1/2 - w), but no farther from zero than d. Near a whole surface w is 0 or 1 and f the signed distance; at a
// round hole of radius R, w = 1/2 - z / (2 R) and d = R, so that f is the distance z from the sheet that closes it.
TriangleMesh rebuilt_by_winding(const TriangleMesh& mesh, Real voxel) {
    const TriangleTree tree(mesh);
    const auto field = [&](const Vec3& x) {
        const Real d = tree.nearest(x).distance, w = tree.winding_number(x);
        const Real f = std::clamp(2 * d * (0.5 - w), -d, d);
        // Within what overlaps, walls have no distance either; they must not look like a surface.
        const Real apart = w > 0.5 ? std::min(f, -1e-4 * voxel) : std::max(f, 1e-4 * voxel);
        return std::abs(w - std::round(w)) < whole ? hurried(apart, 2 * voxel) : apart;
    };
    FieldSurfaceSettings settings;
    settings.voxel = voxel;
    settings.steepness = 2;
    settings.snap = false;
    return without_crumbs(field_surface(field, mesh.bounds(), settings), voxel);
}

// The mean of the winding numbers on both sides is 1/2 on an outer wall, 3/2 and so on further in, and -1/2 on a wall
// that faces the wrong way. A few thousand triangles tell.
Real share_facing_out(const TriangleMesh& mesh) {
    const TriangleTree tree(mesh);
    const std::size_t stride = mesh.triangles.size() / 4000 + 1;
    struct Areas {
        Real out = 0, all = 0;
        Areas operator+(const Areas& other) const { return {out + other.out, all + other.all}; }
    };
    const Real off = 1e-6 * mesh.bounds().diagonal().norm();
    const Areas areas = parallel_sum(block_count(mesh.triangles.size(), stride), Areas{}, [&](std::size_t n) {
        const Triangle& t = tree.triangle(static_cast<int>(n * stride));
        const Vec3 area_vector = t.area_vector();
        const Real area = area_vector.norm();
        if (!(area > 0)) return Areas{};
        const Vec3 shift = off / area * area_vector;
        const Real mean = (tree.winding_number(t.middle() + shift) + tree.winding_number(t.middle() - shift)) / 2;
        return Areas{mean > 0.25 ? area : 0, area};
    });
    return areas.all > 0 ? areas.out / areas.all : 0;
}

// Grow by the gap, flood from outside, shrink by the gap.
TriangleMesh rebuilt_by_flooding(const TriangleMesh& mesh, Real voxel, Real gap) {
    const int margin = static_cast<int>(std::ceil(gap / voxel)) + 2;
    const GridLayout layout = GridLayout::around(mesh.bounds(), voxel, margin);
    std::vector<float> values = unsigned_distance(TriangleTree(mesh), layout);
    const std::vector<char> is_reached = flooded(layout, values, gap);
    bool holds_something = false;
    for (std::size_t n = 0; n < values.size(); ++n) {
        holds_something = holds_something || (!is_reached[n] && values[n] > gap);
        const Real grown =
            is_reached[n] ? values[n] - gap : std::min(values[n] > gap ? -gap : values[n] - gap, -1e-3 * voxel);
        values[n] = static_cast<float>(grown);
    }
    if (!holds_something) return {};
    FieldSurfaceSettings settings;
    settings.voxel = voxel;
    settings.steepness = 2;
    settings.snap = false;
    const DistanceGrid grown(layout, std::move(values));
    const TriangleMesh skin = field_surface([&](const Vec3& x) { return grown.distance(x); }, layout.box(), settings);
    if (skin.triangles.empty()) return {};
    const DistanceGrid from_skin = distance_grid(skin, layout);
    return without_crumbs(
        field_surface([&](const Vec3& x) { return from_skin.distance(x) + gap; }, layout.box(), settings), voxel);
}

}  // namespace pliant
