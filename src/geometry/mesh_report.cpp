#include "pliant/geometry/mesh_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh_edges.h"
#include "pliant/geometry/triangle_tree.h"

namespace pliant {
namespace {

Triangle corners(const TriangleMesh& mesh, const std::array<int, 3>& triangle) {
    return {mesh.vertices[triangle[0]], mesh.vertices[triangle[1]], mesh.vertices[triangle[2]]};
}

// Moves the corners that both have to the front of each and counts them.
int share(std::array<int, 3>& s, std::array<int, 3>& t) {
    int shared = 0;
    for (int i = 0; i < 3; ++i) {
        const auto found = std::find(t.begin() + shared, t.end(), s[i]);
        if (found == t.end()) continue;
        std::swap(*found, t[shared]);
        std::swap(s[i], s[shared]);
        ++shared;
    }
    return shared;
}

struct Crossings {
    std::int64_t found = 0, looked_at = 0;
    Crossings operator+(const Crossings& other) const { return {found + other.found, looked_at + other.looked_at}; }
};

Crossings crossings_of(const TriangleMesh& mesh, const TriangleTree& tree, int index) {
    constexpr int most_looked_at = 2000;  // in a heap of triangles all upon one another
    Crossings crossings;
    Box box;
    for (const int v : mesh.triangles[index]) box.extend(mesh.vertices[v]);
    tree.for_each_meeting(box, [&](int other) {
        if (other <= index) return true;
        auto s = mesh.triangles[index], t = mesh.triangles[other];
        const int shared = share(s, t);
        if (cross(corners(mesh, s), corners(mesh, t), shared)) ++crossings.found;
        return ++crossings.looked_at < most_looked_at;
    });
    return crossings;
}

// Stops when enough are found or enough time is spent; after whole batches, so that the count does not depend on who
// finishes first.
int count_crossings(const TriangleMesh& mesh) {
    constexpr std::size_t batch = 1024;
    constexpr std::int64_t most_looked_at = 100'000'000;  // some ten seconds
    const TriangleTree tree(mesh);
    Crossings crossings;
    for (std::size_t begin = 0; begin < mesh.triangles.size(); begin += batch) {
        const std::size_t count = std::min(batch, mesh.triangles.size() - begin);
        const auto of = [&](std::size_t n) { return crossings_of(mesh, tree, static_cast<int>(begin + n)); };
        crossings = crossings + parallel_sum(count, Crossings{}, of, 16);
        if (crossings.found >= MeshReport::crossings_counted_to) return MeshReport::crossings_counted_to;
        if (crossings.looked_at > most_looked_at) break;
    }
    return static_cast<int>(crossings.found);
}

int count_degenerate(const TriangleMesh& mesh) {
    int count = 0;
    for (const auto& triangle : mesh.triangles) {
        const Triangle t = corners(mesh, triangle);
        const Real longest =
            std::max({(t.b - t.a).squaredNorm(), (t.c - t.b).squaredNorm(), (t.a - t.c).squaredNorm()});
        if (!(t.area_vector().norm() > 1e-12 * longest)) ++count;
    }
    return count;
}

int count_duplicates(const TriangleMesh& mesh) {
    std::vector<std::array<int, 3>> sorted = mesh.triangles;
    for (auto& triangle : sorted) std::sort(triangle.begin(), triangle.end());
    std::sort(sorted.begin(), sorted.end());
    return static_cast<int>(sorted.end() - std::unique(sorted.begin(), sorted.end()));
}

void count_edges(const TriangleMesh& mesh, MeshReport& report) {
    for_each_edge(edge_uses(mesh), [&](const EdgeUse* uses, int count) {
        const int forward =
            static_cast<int>(std::count_if(uses, uses + count, [](const EdgeUse& u) { return u.is_forward; }));
        if (count == 1) ++report.boundary_edges;
        if (count > 2) ++report.non_manifold_edges;
        if (count > 1 && 2 * forward != count) ++report.misoriented_edges;
    });
}

std::string plural(int count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

bool MeshReport::looks_like_millimetres() const {
    return !bounds.isEmpty() && bounds.diagonal().norm() > 50;
}

bool MeshReport::is_solid() const {
    return triangles > 0 && is_closed() && misoriented_edges == 0 && volume > 0 && crossing_triangles == 0;
}

std::vector<std::string> MeshReport::sentences() const {
    if (triangles == 0) return {"The mesh is empty."};
    std::vector<std::string> list;
    const Vec3 size = bounds.sizes();
    list.push_back(fmt::format("{}, {}, {}, {:.3g} x {:.3g} x {:.3g} m.", plural(triangles, "triangle", "triangles"),
                               plural(vertices, "corner", "corners"), plural(components, "piece", "pieces"), size.x(),
                               size.y(), size.z()));
    const auto tell = [&](int count, const char* one, const char* many, const char* rest) {
        if (count > 0) list.push_back(fmt::format("{} {}", plural(count, one, many), rest));
    };
    if (looks_like_millimetres()) list.push_back("It looks like millimetres: set scale = 0.001.");
    tell(boundary_edges, "edge has", "edges have", "a triangle on one side only: the mesh is open.");
    tell(non_manifold_edges, "edge has", "edges have", "more than two triangles.");
    tell(misoriented_edges, "edge joins", "edges join", "triangles that disagree about which side is outside.");
    if (is_inside_out()) list.push_back("It is inside out.");
    const bool stopped = crossing_triangles >= crossings_counted_to;
    tell(crossing_triangles, "pair of triangles cuts", "pairs of triangles cut",
         stopped ? "through each other; there may be more." : "through each other.");
    tell(degenerate_triangles, "triangle has", "triangles have", "no area.");
    tell(duplicate_triangles, "triangle repeats", "triangles repeat", "another one.");
    return list;
}

MeshReport inspect(const TriangleMesh& mesh) {
    MeshReport report;
    report.vertices = static_cast<int>(mesh.vertices.size());
    report.triangles = static_cast<int>(mesh.triangles.size());
    report.components = pieces_of(mesh).count;
    count_edges(mesh, report);
    report.degenerate_triangles = count_degenerate(mesh);
    report.duplicate_triangles = count_duplicates(mesh);
    report.crossing_triangles = count_crossings(mesh);
    report.volume = mesh.volume();
    report.area = mesh.area();
    report.bounds = mesh.bounds();
    return report;
}

}  // namespace pliant
