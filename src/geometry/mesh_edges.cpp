#include "pliant/geometry/mesh_edges.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace pliant {

std::vector<EdgeUse> edge_uses(const TriangleMesh& mesh) {
    std::vector<EdgeUse> uses;
    uses.reserve(3 * mesh.triangles.size());
    for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
        for (int side = 0; side < 3; ++side) {
            const int from = mesh.triangles[t][side], to = mesh.triangles[t][(side + 1) % 3];
            uses.push_back({std::min(from, to), std::max(from, to), t, from < to});
        }
    }
    std::sort(uses.begin(), uses.end(), [](const EdgeUse& s, const EdgeUse& t) {
        return std::tie(s.low, s.high, s.triangle) < std::tie(t.low, t.high, t.triangle);
    });
    return uses;
}

Pieces pieces_of(const TriangleMesh& mesh) {
    std::vector<int> parent(mesh.vertices.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int v) {
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        return v;
    };
    for (const auto& [a, b, c] : mesh.triangles) {
        parent[root(b)] = root(a);
        parent[root(c)] = root(a);
    }
    Pieces pieces;
    std::vector<int> number(mesh.vertices.size(), -1);
    for (const auto& triangle : mesh.triangles) {
        int& piece = number[root(triangle[0])];
        if (piece < 0) piece = pieces.count++;
        pieces.of_triangle.push_back(piece);
    }
    return pieces;
}

}  // namespace pliant
