#include "pliant/geometry/skin_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/geometry/mesh_edges.h"
#include "pliant/geometry/triangle_tree.h"

namespace pliant {
namespace {

using Links = std::span<const std::array<std::uint32_t, 2>>;

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

// How much further than the nearest point one may lie and still carry weight, in spacings: a vertex beside a point
// feels those before and behind it, and not the ones after.
constexpr Real reach = 1.5;

void check(const TriangleMesh& bind, std::span<const Vec3> points, Links links, Real spacing) {
    if (points.empty()) throw InputError("skin: there are no points to hang vertices on");
    if (!(spacing > 0 && std::isfinite(spacing))) {
        throw InputError(fmt::format("skin: the spacing of points is {}; it must be above 0", spacing));
    }
    for (std::size_t p = 0; p < points.size(); ++p) {
        if (!points[p].allFinite()) throw InputError(fmt::format("skin: point {} is not at a finite place", p));
    }
    for (std::size_t v = 0; v < bind.vertices.size(); ++v) {
        if (!bind.vertices[v].allFinite()) throw InputError(fmt::format("skin: vertex {} is not at a finite place", v));
    }
    for (const auto& [a, b] : links) {
        if (std::max(a, b) < points.size()) continue;
        throw InputError(fmt::format("skin: a link of {} and {}, but there are only {} points", a, b, points.size()));
    }
}

// Rows of neighbours: those of i are to[begin[i]] up to to[begin[i + 1]].
struct Rows {
    std::vector<std::uint32_t> begin, to;

    Rows(std::size_t count, Links pairs) : begin(count + 1), to(2 * pairs.size()) {
        for (const auto& [a, b] : pairs) {
            ++begin[a];
            ++begin[b];
        }
        std::uint32_t sum = 0;
        for (std::uint32_t& b : begin) b = sum += b;
        for (const auto& [a, b] : pairs) {  // from the end of each row down to its beginning
            to[--begin[a]] = b;
            to[--begin[b]] = a;
        }
    }
    std::span<const std::uint32_t> operator[](std::size_t i) const {
        return {to.data() + begin[i], to.data() + begin[i + 1]};
    }
};

Rows vertex_rows(const TriangleMesh& mesh) {
    std::vector<std::array<std::uint32_t, 2>> edges;
    for_each_edge(edge_uses(mesh), [&](const EdgeUse* use, int) {
        edges.push_back({std::uint32_t(use->low), std::uint32_t(use->high)});
    });
    return {mesh.vertices.size(), edges};
}

struct Near {
    Real distance = std::numeric_limits<Real>::infinity();
    std::uint32_t point = none;

    friend bool operator<(const Near& a, const Near& b) {
        return std::tie(a.distance, a.point) < std::tie(b.distance, b.point);
    }
};

// The `Count` nearest points of each vertex, nearest first, spread from seeds along the edges of the mesh. A point that
// is not among the nearest of a vertex is not so behind it either: no more than Count a vertex need be followed.
template <int Count>
class NearestPoints {
public:
    explicit NearestPoints(const TriangleMesh& mesh) : mesh_(mesh), nearest_(mesh.vertices.size()) {}

    const std::array<Near, Count>& operator[](std::size_t vertex) const { return nearest_[vertex]; }

    void add_seed(std::uint32_t vertex, const Near& near) {
        if (insert(vertex, near)) front_.push({near, vertex});
    }
    void spread(const Rows& edges) {
        while (!front_.empty()) {
            const auto [near, vertex] = front_.top();
            front_.pop();
            if (!is_current(vertex, near)) continue;
            for (const std::uint32_t next : edges[vertex]) {
                const Real length = (mesh_.vertices[next] - mesh_.vertices[vertex]).norm();
                add_seed(next, {near.distance + length, near.point});
            }
        }
    }

private:
    struct Arrival {
        Near near;
        std::uint32_t vertex;

        friend bool operator<(const Arrival& a, const Arrival& b) {  // the nearest comes out of the queue first
            return std::tie(b.near, b.vertex) < std::tie(a.near, a.vertex);
        }
    };

    bool is_current(std::uint32_t vertex, const Near& near) const {
        return std::any_of(nearest_[vertex].begin(), nearest_[vertex].end(), [&](const Near& other) {
            return other.point == near.point && other.distance == near.distance;
        });
    }
    // Whether it is news to the vertex.
    bool insert(std::uint32_t vertex, const Near& near) {
        auto& row = nearest_[vertex];
        if (!(near < row.back())) return false;
        auto place = std::find_if(row.begin(), row.end(), [&](const Near& n) { return n.point == near.point; });
        if (place == row.end()) --place;
        if (!(near < *place)) return false;
        for (; place != row.begin() && near < place[-1]; --place) *place = place[-1];
        *place = near;
        return true;
    }

    const TriangleMesh& mesh_;
    std::vector<std::array<Near, Count>> nearest_;
    std::priority_queue<Arrival> front_;
};

// A number a point: the same for those that are linked, directly or not.
std::vector<std::uint32_t> chains_of(const Rows& linked, std::size_t count) {
    std::vector<std::uint32_t> chain(count, none), open;
    std::uint32_t number = 0;
    for (std::uint32_t start = 0; start < count; ++start) {
        if (chain[start] != none) continue;
        open.push_back(start);
        chain[start] = number;
        while (!open.empty()) {
            const std::uint32_t p = open.back();
            open.pop_back();
            for (const std::uint32_t next : linked[p]) {
                if (chain[next] != none) continue;
                chain[next] = number;
                open.push_back(next);
            }
        }
        ++number;
    }
    return chain;
}

// Points that may carry vertices of each piece of the mesh: those linked to one that is nearest to this piece, for the
// way from a point within a piece to any other piece leads through its surface. So wheels hang on no point of the car
// above them. A piece to which no point is nearest may hang on all.
class Carriers {
public:
    Carriers(const TriangleMesh& mesh, std::span<const Vec3> points, const Rows& linked)
        : piece_(mesh.vertices.size(), -1), chain_(chains_of(linked, points.size())) {
        const Pieces pieces = pieces_of(mesh);
        for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
            for (const int v : mesh.triangles[t]) piece_[v] = pieces.of_triangle[t];
        }
        const TriangleTree tree(mesh);
        chains_at_.resize(pieces.count);
        for (std::size_t p = 0; p < points.size(); ++p) {
            const int triangle = tree.nearest(points[p]).triangle;
            if (triangle >= 0) chains_at_[pieces.of_triangle[triangle]].insert(chain_[p]);
        }
    }

    bool may_carry(std::uint32_t point, std::size_t vertex) const {
        if (piece_[vertex] < 0) return true;
        const std::set<std::uint32_t>& chains = chains_at_[piece_[vertex]];
        return chains.empty() || chains.contains(chain_[point]);
    }

private:
    std::vector<int> piece_;                          // by vertex; -1: of no triangle
    std::vector<std::uint32_t> chain_;                // by point
    std::vector<std::set<std::uint32_t>> chains_at_;  // by piece
};

// Straight through the air.
std::vector<Near> straight_nearest(const TriangleMesh& mesh, std::span<const Vec3> points, const Carriers& carriers) {
    std::vector<Near> nearest(mesh.vertices.size());
    parallel_for(nearest.size(), [&](std::size_t v) {
        for (std::uint32_t p = 0; p < points.size(); ++p) {
            const Near near{(points[p] - mesh.vertices[v]).squaredNorm(), p};
            if (near < nearest[v] && carriers.may_carry(p, v)) nearest[v] = near;
        }
        nearest[v].distance = std::sqrt(nearest[v].distance);
    });
    return nearest;
}

// Connected vertices that have the same nearest point.
struct Region {
    Near near;             // that point, and how far it is from
    std::uint32_t vertex;  // the vertex closest to it
};
struct Regions {
    std::vector<Region> list;
    std::vector<std::uint32_t> of_vertex;
};
Regions find_regions(const std::vector<Near>& nearest, const Rows& edges) {
    Regions regions{{}, std::vector<std::uint32_t>(nearest.size(), none)};
    std::vector<std::uint32_t> open;
    for (std::uint32_t start = 0; start < nearest.size(); ++start) {
        if (regions.of_vertex[start] != none) continue;
        const auto number = std::uint32_t(regions.list.size());
        Region region{nearest[start], start};
        open.push_back(start);
        regions.of_vertex[start] = number;
        while (!open.empty()) {
            const std::uint32_t v = open.back();
            open.pop_back();
            if (nearest[v] < region.near) region = {nearest[v], v};
            for (const std::uint32_t next : edges[v]) {
                if (regions.of_vertex[next] != none || nearest[next].point != region.near.point) continue;
                regions.of_vertex[next] = number;
                open.push_back(next);
            }
        }
        regions.list.push_back(region);
    }
    return regions;
}

// A point holds the region closest to it, and others that have it on their inner side, as the two faces of a plate
// have. It does not hold a region that faces it from across a gap.
std::vector<bool> held_regions(const Regions& regions, const TriangleMesh& mesh, std::span<const Vec3> points) {
    std::vector<Near> closest(points.size());  // region by point
    for (std::uint32_t r = 0; r < regions.list.size(); ++r) {
        Near& best = closest[regions.list[r].near.point];
        best = std::min(best, {regions.list[r].near.distance, r});
    }
    const std::vector<Vec3> normals = mesh.vertex_normals();
    std::vector<bool> is_held;
    for (std::uint32_t r = 0; r < regions.list.size(); ++r) {
        const auto& [near, vertex] = regions.list[r];
        const bool is_behind = normals[vertex].dot(points[near.point] - mesh.vertices[vertex]) <= 0;
        is_held.push_back(is_behind || closest[near.point].point == r);
    }
    return is_held;
}

// The point that each vertex belongs to: the nearest if that holds it, else that of the nearest vertices that are
// held. Where a whole piece of the mesh is held by no point, the nearest after all.
std::vector<std::uint32_t> find_owners(const TriangleMesh& mesh, std::span<const Vec3> points, const Rows& edges,
                                       const Carriers& carriers) {
    const std::vector<Near> nearest = straight_nearest(mesh, points, carriers);
    const Regions regions = find_regions(nearest, edges);
    const std::vector<bool> is_held = held_regions(regions, mesh, points);
    NearestPoints<1> along_mesh(mesh);
    for (std::uint32_t v = 0; v < nearest.size(); ++v) {
        if (is_held[regions.of_vertex[v]]) along_mesh.add_seed(v, nearest[v]);
    }
    along_mesh.spread(edges);
    std::vector<std::uint32_t> owners(nearest.size());
    for (std::size_t v = 0; v < nearest.size(); ++v) {
        const bool is_reached = along_mesh[v][0].point != none;
        const bool keeps_nearest = is_held[regions.of_vertex[v]] || !is_reached;
        owners[v] = keeps_nearest ? nearest[v].point : along_mesh[v][0].point;
    }
    return owners;
}

// w = (r - d)^2, scaled to a sum of one. r is where weights end: at the distance of the fifth point, so that nothing
// jumps when that and the fourth change places, or `reach` beyond the first.
void add_weights(const std::array<Near, 5>& nearest, Real spacing, SkinWeights& weights) {
    const Real r = std::min(nearest[4].distance, nearest[0].distance + reach * spacing);
    std::array<Real, 4> w;
    Real sum = 0;
    for (int k = 0; k < 4; ++k) sum += w[k] = square(std::max(r - nearest[k].distance, 0.0));
    if (!(sum > 0)) {  // all five are equally far
        w = {1, 1, 1, 1};
        sum = 4;
    }
    auto& frame = weights.frame.emplace_back();
    auto& weight = weights.weight.emplace_back();
    for (int k = 0; k < 4; ++k) {
        frame[k] = w[k] > 0 ? nearest[k].point : nearest[0].point;
        weight[k] = static_cast<float>(w[k] / sum);
    }
}

}  // namespace

SkinWeights geodesic_weights(const TriangleMesh& bind, std::span<const Vec3> points, Links links, Real spacing) {
    check(bind, points, links, spacing);
    const Rows edges = vertex_rows(bind), linked(points.size(), links);
    const std::vector<std::uint32_t> owners = find_owners(bind, points, edges, Carriers(bind, points, linked));
    NearestPoints<5> nearest(bind);
    for (std::uint32_t v = 0; v < owners.size(); ++v) {
        const auto add = [&](std::uint32_t p) { nearest.add_seed(v, {(points[p] - bind.vertices[v]).norm(), p}); };
        add(owners[v]);
        for (const std::uint32_t p : linked[owners[v]]) add(p);
    }
    nearest.spread(edges);
    SkinWeights weights;
    for (std::uint32_t v = 0; v < owners.size(); ++v) add_weights(nearest[v], spacing, weights);
    return weights;
}

}  // namespace pliant
