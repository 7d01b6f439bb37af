#include "pliant/geometry/mesh_join.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace pliant {
namespace {

// Both return, for each vertex, the lowest index at its place.
std::vector<int> same_numbers(const std::vector<Vec3>& vertices) {
    std::vector<int> order(vertices.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](int v) { return std::tuple(vertices[v].x(), vertices[v].y(), vertices[v].z()); };
    std::sort(order.begin(), order.end(), [&](int v, int w) { return key(v) < key(w) || (key(v) == key(w) && v < w); });
    std::vector<int> first(vertices.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool repeats = i > 0 && vertices[order[i]] == vertices[order[i - 1]];
        first[order[i]] = repeats ? first[order[i - 1]] : order[i];
    }
    return first;
}

struct Cell {
    std::int64_t x, y, z;
    bool operator==(const Cell&) const = default;
};
struct CellHash {
    std::size_t operator()(const Cell& c) const {
        return std::size_t(c.x * 73856093) ^ std::size_t(c.y * 19349663) ^ std::size_t(c.z * 83492791);
    }
};

// Cells as wide as the tolerance: whatever is near enough lies in the same cell or one beside it.
std::vector<int> near_places(const std::vector<Vec3>& vertices, const Vec3& origin, Real tolerance) {
    std::unordered_map<Cell, std::vector<int>, CellHash> cells;
    std::vector<int> first(vertices.size());
    for (int v = 0; v < static_cast<int>(vertices.size()); ++v) {
        const Vec3 at = ((vertices[v] - origin) / tolerance).array().floor();
        const Cell own{std::int64_t(at.x()), std::int64_t(at.y()), std::int64_t(at.z())};
        first[v] = v;
        for (std::int64_t n = 0; n < 27; ++n) {
            const auto found = cells.find({own.x + n % 3 - 1, own.y + n / 3 % 3 - 1, own.z + n / 9 - 1});
            if (found == cells.end()) continue;
            for (const int other : found->second) {
                if ((vertices[other] - vertices[v]).norm() <= tolerance) first[v] = std::min(first[v], other);
            }
        }
        if (first[v] == v) cells[own].push_back(v);
    }
    return first;
}

}  // namespace

TriangleMesh joined(const TriangleMesh& mesh, Real tolerance) {
    const Box box = mesh.bounds();
    const Real finest = mesh.vertices.empty() ? 0 : 1e-15 * box.diagonal().norm();  // cells must be countable
    const std::vector<int> first =
        tolerance > finest ? near_places(mesh.vertices, box.min(), tolerance) : same_numbers(mesh.vertices);
    TriangleMesh result;
    std::vector<int> kept(mesh.vertices.size(), -1);
    for (const auto& triangle : mesh.triangles) {
        const auto [a, b, c] = std::array{first[triangle[0]], first[triangle[1]], first[triangle[2]]};
        if (a == b || b == c || c == a) continue;
        for (const int v : {a, b, c}) {
            if (kept[v] >= 0) continue;
            kept[v] = static_cast<int>(result.vertices.size());
            result.vertices.push_back(mesh.vertices[v]);
        }
        result.triangles.push_back({kept[a], kept[b], kept[c]});
    }
    return result;
}

}  // namespace pliant
