#include "pliant/geometry/mesh_subdivide.h"

#include <fmt/core.h>

#include <array>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/geometry/mesh_edges.h"

namespace pliant {
namespace {

// The corner in the middle of each side of each triangle, where that side is to be cut; -1 elsewhere.
using Middles = std::vector<std::array<int, 3>>;

int side_of(const std::array<int, 3>& triangle, const EdgeUse& use) {
    const int from = use.is_forward ? use.low : use.high;
    for (int side = 0; side < 2; ++side) {
        if (triangle[side] == from) return side;
    }
    return 2;
}

bool cut_edges(TriangleMesh& mesh, Real longest, Middles& middles) {
    middles.assign(mesh.triangles.size(), {-1, -1, -1});
    bool cut_any = false;
    for_each_edge(edge_uses(mesh), [&](const EdgeUse* uses, int count) {
        const Vec3 low = mesh.vertices[uses->low], high = mesh.vertices[uses->high];
        if (!((high - low).norm() > longest)) return;
        for (int i = 0; i < count; ++i) {
            const int t = uses[i].triangle;
            middles[t][side_of(mesh.triangles[t], uses[i])] = static_cast<int>(mesh.vertices.size());
        }
        mesh.vertices.push_back((low + high) / 2);
        cut_any = true;
    });
    return cut_any;
}

// One, two or three sides are cut; `first` turns the triangle so that the cases are few.
void cut_triangle(const TriangleMesh& mesh, int t, const std::array<int, 3>& middle,
                  std::vector<std::array<int, 3>>& out) {
    const int cuts = (middle[0] >= 0) + (middle[1] >= 0) + (middle[2] >= 0);
    int first = 0;  // one cut: the side that has it; two cuts: the side after the one that has none
    while (cuts == 1 && middle[first] < 0) ++first;
    while (cuts == 2 && middle[(first + 2) % 3] >= 0) ++first;
    const int a = mesh.triangles[t][first], b = mesh.triangles[t][(first + 1) % 3],
              c = mesh.triangles[t][(first + 2) % 3];
    const int ab = middle[first], bc = middle[(first + 1) % 3], ca = middle[(first + 2) % 3];
    if (cuts == 0) {
        out.push_back({a, b, c});
    } else if (cuts == 1) {
        out.insert(out.end(), {{a, ab, c}, {ab, b, c}});
    } else if (cuts == 3) {
        out.insert(out.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    } else {
        const auto& x = mesh.vertices;
        out.push_back({ab, b, bc});
        if ((x[a] - x[bc]).squaredNorm() < (x[ab] - x[c]).squaredNorm()) {
            out.insert(out.end(), {{a, ab, bc}, {a, bc, c}});
        } else {
            out.insert(out.end(), {{a, ab, c}, {ab, bc, c}});
        }
    }
}

Real length_of_edges(const TriangleMesh& mesh) {
    Real sum = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
        const auto& x = mesh.vertices;
        sum += (x[a] - x[b]).norm() + (x[b] - x[c]).norm() + (x[c] - x[a]).norm();
    }
    return sum;
}

}  // namespace

TriangleMesh subdivided(const TriangleMesh& mesh, Real longest_edge) {
    constexpr Real most_triangles = 2e7;
    const Real expected = longest_edge > 0
                              ? 2 * mesh.area() / square(longest_edge) + length_of_edges(mesh) / longest_edge
                              : std::numeric_limits<Real>::infinity();
    if (!(expected < most_triangles)) {
        throw InputError(
            fmt::format("cutting a mesh of {:.3g} m2 into edges of {:.3g} m takes too many triangles; use longer edges",
                        mesh.area(), longest_edge));
    }
    TriangleMesh result = mesh;
    Middles middles;
    while (cut_edges(result, longest_edge, middles)) {
        std::vector<std::array<int, 3>> finer;
        for (int t = 0; t < static_cast<int>(result.triangles.size()); ++t) cut_triangle(result, t, middles[t], finer);
        result.triangles = std::move(finer);
    }
    return result;
}

}  // namespace pliant
