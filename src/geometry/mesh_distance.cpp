// Distance from a mesh on the nodes of a grid, from coarse to fine: first every 2^L-th node along each axis, then those
// between, and so on. Far from the surface, a node between others takes their mean; near it, the tree is asked.
//
// This is both closer to the truth and faster than OpenVDB's meshToVolume with wide bands, and hollows stay hollow.
#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/geometry/distance_grid.h"
#include "pliant/geometry/triangle_tree.h"

namespace pliant {
namespace {

constexpr int coarsest = 16;    // the first step, in voxels
constexpr Real far_enough = 3;  // parents farther from the surface than this many times their step may be averaged,
constexpr Real alike = 0.8;     // if the cosine between their directions to it is above this

class MeshDistance {
public:
    MeshDistance(const TriangleMesh& mesh, const GridLayout& layout)
        : tree_(mesh), layout_(layout), values_(layout.node_count()), triangle_(layout.node_count(), -1) {}

    std::vector<float> fill() {
        for (int step = coarsest; step >= 1; step /= 2) fill_level(step);
        return std::move(values_);
    }

private:
    struct Parents {
        std::size_t node[8];
        int count = 0;
        bool all_exist = true;
    };

    void fill_level(int step) {
        const auto along = [&](int axis) { return std::size_t((layout_.size[axis] - 1) / step + 1); };
        const std::size_t rows = along(1) * along(2);
        parallel_for(
            rows,
            [&](std::size_t row) {
                const int j = int(row % along(1)) * step, k = int(row / along(1)) * step;
                for (int i = 0; i < layout_.size[0]; i += step) fill_node({i, j, k}, step);
            },
            4);
    }

    // Nodes of the level above stay as they are.
    void fill_node(const std::array<int, 3>& at, int step) {
        const bool is_first_level = step == coarsest;
        const auto is_between = [&](int axis) { return at[axis] % (2 * step) != 0; };
        if (!is_first_level && !is_between(0) && !is_between(1) && !is_between(2)) return;
        const std::size_t node = layout_.index(at[0], at[1], at[2]);
        const Parents parents = is_first_level ? Parents{} : parents_of(at, step);
        if (parents.count > 0 && parents.all_exist && are_far(parents, step) && see_the_same(parents)) {
            Real sum = 0;
            for (int p = 0; p < parents.count; ++p) sum += values_[parents.node[p]];
            values_[node] = static_cast<float>(sum / parents.count);
            triangle_[node] = triangle_[parents.node[0]];
        } else {
            measure(node, layout_.node(at[0], at[1], at[2]), parents, step);
        }
    }

    // The nodes of the level above around this one: the ends of an edge, the corners of a face or of a cell.
    Parents parents_of(const std::array<int, 3>& at, int step) const {
        Parents parents;
        std::array<int, 3> spread;
        for (int axis = 0; axis < 3; ++axis) spread[axis] = at[axis] % (2 * step) != 0 ? step : 0;
        for (int corner = 0; corner < 8; ++corner) {
            std::array<int, 3> parent;
            bool exists = true, repeats = false;
            for (int axis = 0; axis < 3; ++axis) {
                const bool ahead = corner >> axis & 1;
                repeats = repeats || (ahead && spread[axis] == 0);
                parent[axis] = at[axis] + (ahead ? spread[axis] : -spread[axis]);
                exists = exists && parent[axis] < layout_.size[axis];
            }
            if (repeats) continue;
            if (exists) parents.node[parents.count++] = layout_.index(parent[0], parent[1], parent[2]);
            parents.all_exist = parents.all_exist && exists;
        }
        return parents;
    }

    bool are_far(const Parents& parents, int step) const {
        for (int p = 0; p < parents.count; ++p) {
            if (!(std::abs(values_[parents.node[p]]) > far_enough * 2 * step * layout_.voxel)) return false;
        }
        return true;
    }

    // Where parents look at different parts of the surface, the distance has a crease that a mean would smooth away.
    bool see_the_same(const Parents& parents) const {
        const Vec3 first = to_surface(parents.node[0]);
        for (int p = 1; p < parents.count; ++p) {
            if (!(to_surface(parents.node[p]).dot(first) > alike)) return false;
        }
        return true;
    }

    Vec3 to_surface(std::size_t node) const {
        const std::size_t row = node / layout_.size[0];
        const Vec3 x = layout_.node(static_cast<int>(node % layout_.size[0]), static_cast<int>(row % layout_.size[1]),
                                    static_cast<int>(row / layout_.size[1]));
        return (tree_.triangle(triangle_[node]).nearest(x) - x).normalized();
    }

    // A parent that is farther from the surface than from here is on the same side as here.
    void measure(std::size_t node, const Vec3& x, const Parents& parents, int step) {
        const TriangleTree::Nearest nearest = tree_.nearest(x, parents.count > 0 ? triangle_[parents.node[0]] : -1);
        const Real to_parent = 1.001 * std::sqrt(Real(3)) * step * layout_.voxel;
        Real side = 0;
        for (int p = 0; p < parents.count; ++p) {
            const Real there = values_[parents.node[p]];
            if (std::max(std::abs(there), nearest.distance) > to_parent) side = there;
        }
        const bool is_inside = side != 0 ? side < 0 : tree_.winding_number(x) > 0.5;
        values_[node] = static_cast<float>(is_inside ? -nearest.distance : nearest.distance);
        triangle_[node] = nearest.triangle;
    }

    TriangleTree tree_;
    GridLayout layout_;
    std::vector<float> values_;
    std::vector<int> triangle_;  // the nearest of each node, a guess for its children
};

}  // namespace

DistanceGrid distance_grid(const TriangleMesh& mesh, const GridLayout& layout) {
    return DistanceGrid(layout, MeshDistance(mesh, layout).fill());
}

}  // namespace pliant
