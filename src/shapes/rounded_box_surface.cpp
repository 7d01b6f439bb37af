#include "pliant/shapes/rounded_box_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "pliant/shapes/pieces.h"

namespace pliant {
namespace {

// The corners of the surface stand on a lattice wrapped around a cube. A lattice coordinate along one axis stands for
// a direction between -45 and +45 degrees, and for the side of the inner box that its point belongs to. Where the
// inner box has an extent, the middle direction occurs twice, once for either side.
struct Coordinate {
    Real tangent;  // of the angle
    Real side;     // -1 or 1
};

std::vector<Coordinate> coordinates(Real inner, int steps) {
    std::vector<Coordinate> list;
    for (int i = -steps; i <= steps; ++i) {
        const Real tangent = i == -steps ? -1 : i == steps ? 1 : std::tan(pi / 4 * i / steps);
        if (i == 0 && inner > 0) list.push_back({0, -1});
        list.push_back({tangent, i < 0 ? -1.0 : 1.0});
    }
    return list;
}

class LatticeSurface {
public:
    LatticeSurface(const Vec3& inner, Real radius, int steps) : inner_(inner), radius_(radius) {
        for (int axis = 0; axis < 3; ++axis) {
            axes_[axis] = steps > 0 ? coordinates(inner[axis], steps) : std::vector<Coordinate>{{-1, -1}, {1, 1}};
        }
        for (int axis = 0; axis < 3; ++axis) {
            add_face(axis, 0);
            add_face(axis, last(axis));
        }
    }
    TriangleMesh take() { return std::move(mesh_); }

private:
    int last(int axis) const { return static_cast<int>(axes_[axis].size()) - 1; }

    int vertex(const std::array<int, 3>& at) {
        const auto [found, is_new] = indices_.try_emplace(at, static_cast<int>(mesh_.vertices.size()));
        if (is_new) {
            Vec3 direction, side;
            for (int axis = 0; axis < 3; ++axis) {
                direction[axis] = axes_[axis][at[axis]].tangent;
                side[axis] = axes_[axis][at[axis]].side;
            }
            mesh_.vertices.push_back(inner_.cwiseProduct(side) + radius_ * direction.normalized());
        }
        return found->second;
    }

    void add_face(int axis, int level) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int i = 0; i < last(u); ++i) {
            for (int j = 0; j < last(v); ++j) {
                std::array<int, 4> quad;
                const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
                for (int corner = 0; corner < 4; ++corner) {
                    std::array<int, 3> at;
                    at[axis] = level;
                    at[u] = i + around[corner][0];
                    at[v] = j + around[corner][1];
                    quad[corner] = vertex(at);
                }
                if (level == 0) std::swap(quad[1], quad[3]);
                add_quad(quad);
            }
        }
    }

    // Cut along the shorter diagonal.
    void add_quad(const std::array<int, 4>& quad) {
        const auto& x = mesh_.vertices;
        const Real diagonal_02 = (x[quad[0]] - x[quad[2]]).squaredNorm();
        const Real diagonal_13 = (x[quad[1]] - x[quad[3]]).squaredNorm();
        const int first = diagonal_13 < diagonal_02 ? 1 : 0;
        mesh_.triangles.push_back({quad[first], quad[first + 1], quad[first + 2]});
        mesh_.triangles.push_back({quad[first], quad[first + 2], quad[(first + 3) % 4]});
    }

    Vec3 inner_;
    Real radius_;
    std::array<std::vector<Coordinate>, 3> axes_;
    std::map<std::array<int, 3>, int> indices_;
    TriangleMesh mesh_;
};

}  // namespace

TriangleMesh rounded_box_surface(const Vec3& inner, Real radius, Real resolution) {
    const int steps_in_45_degrees = radius > 0 ? pieces(radius * pi / 4, resolution, 4, 256) : 0;
    return LatticeSurface(inner, radius, steps_in_45_degrees).take();
}

}  // namespace pliant
