// Candidates, many more than needed, are thrown at the triangles of the surface and moved inward. Of these a set is
// picked in random order, edges first, none too near to another; its points then push each other apart along the
// surface, and what is still bare at the end is filled from the candidates.
#include "pliant/geometry/surface_sampling.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/cell_order.h"
#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/sampling_voxels.h"

namespace pliant {
namespace {

constexpr Real candidates_per_point = 16;
constexpr Real first_distance = 0.77;  // in spacings, between points as picked
constexpr Real least_distance = 0.71;  // that pushing leaves between two
constexpr Real bare = 0.87;            // a candidate farther than this from all points becomes one
constexpr Real on_edge = 1.1;          // depths: what moved farther was near an edge and came to lie below it
constexpr Real reach = 1.5;            // of the push
constexpr Real push = 0.25;
constexpr int rounds = 20;
constexpr int most_inward_steps = 32;

// From the surface to `depth` below it, along the normals on the way. Where that overshoots the middle of something
// thin the steps become shorter, and the deepest place is kept.
Vec3 moved_inward(const Shape& shape, Vec3 x, Real depth) {
    if (depth == 0) return x;
    const Real tolerance = 1e-7 * depth;
    Vec3 best = x;
    Real error = shape.distance(x) + depth, least = std::abs(error), longest = depth;
    for (int step = 0; step < most_inward_steps && std::abs(error) > tolerance; ++step) {
        const Real length = std::clamp(error, -longest, longest), before = std::abs(error);
        x -= length * shape.normal(x);
        error = shape.distance(x) + depth;
        if (!std::isfinite(error)) break;
        if (std::abs(error) < least) {
            least = std::abs(error);
            best = x;
        }
        if (std::abs(error) > 0.95 * before) longest = std::abs(length) / 2;
    }
    return best;
}

// Evenly over all triangles, in proportion to their area: a sequence that fills the unit square evenly, folded.
std::vector<Vec3> candidates_on(const TriangleMesh& mesh, Real area_of_one) {
    std::vector<Real> sum(mesh.triangles.size() + 1, 0);
    const auto corners = [&](std::size_t t) {
        const auto& [a, b, c] = mesh.triangles[t];
        return std::array<Vec3, 3>{mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]};
    };
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto [a, b, c] = corners(t);
        sum[t + 1] = sum[t] + (b - a).cross(c - a).norm() / 2 / area_of_one;
    }
    std::vector<Vec3> points;
    points.reserve(static_cast<std::size_t>(sum.back()) + 1);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto [a, b, c] = corners(t);
        while (Real(points.size()) + 0.5 < sum[t + 1]) {
            Real u = std::fmod(0.7548776662466927 * Real(points.size() + 1), 1.0);
            Real v = std::fmod(0.5698402909980532 * Real(points.size() + 1), 1.0);
            if (u + v > 1) u = 1 - u, v = 1 - v;
            points.push_back(a + u * (b - a) + v * (c - a));
        }
    }
    if (points.empty() && !mesh.triangles.empty()) points.push_back(corners(0)[0]);
    return points;
}

// Points that were taken, by cells two radii wide: is any nearer than the radius?
class TakenPoints {
public:
    TakenPoints(Real radius, std::size_t expected) : radius_(radius) { cells_.reserve(expected); }

    bool has_near(const Vec3& x) const {
        const Eigen::Vector3i lowest = cell_of(x - Vec3::Constant(radius_));
        for (int k = 0; k < 8; ++k) {
            const auto found = cells_.find(key(lowest + Eigen::Vector3i(k & 1, k >> 1 & 1, k >> 2)));
            if (found == cells_.end()) continue;
            for (std::int64_t i = found->second; i >= 0; i = next_[std::size_t(i)]) {
                if ((points[std::size_t(i)] - x).squaredNorm() < square(radius_)) return true;
            }
        }
        return false;
    }

    void add(const Vec3& x) {
        auto& first = cells_.try_emplace(key(cell_of(x)), -1).first->second;
        next_.push_back(first);
        first = static_cast<std::int64_t>(points.size());
        points.push_back(x);
    }

    std::vector<Vec3> points;

private:
    Eigen::Vector3i cell_of(const Vec3& x) const { return (x / (2 * radius_)).array().floor().cast<int>(); }
    static std::uint64_t key(const Eigen::Vector3i& c) {
        const auto bits = [](int i) { return std::uint64_t(i) & 0x1FFFFF; };
        return bits(c.x()) | bits(c.y()) << 21 | bits(c.z()) << 42;
    }

    Real radius_;
    std::unordered_map<std::uint64_t, std::int64_t> cells_;
    std::vector<std::int64_t> next_;
};

void shuffle(std::vector<Vec3>& points) {
    Random random(0, points.size());
    for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random.below(i)]);
}

// Points push each other along the surface; none comes nearer to another than the least distance.
void spread(const Shape& shape, Real spacing, Real depth, std::vector<Vec3>& points) {
    NeighbourSearch search;
    NeighbourLists near;
    std::vector<Vec3> moved(points.size());
    const Real R = reach * spacing;
    for (int round = 0; round < rounds; ++round) {
        search.find(points, R, near);
        parallel_for(points.size(), [&](std::size_t i) {
            Vec3 move = Vec3::Zero();
            Real nearest = R;
            for (const std::uint32_t j : near[i]) {
                const Vec3 d = points[i] - points[j];
                const Real r = d.norm();
                nearest = std::min(nearest, r);
                if (r > 0) move += push * spacing * square(1 - r / R) / r * d;
            }
            const Real longest = std::max(Real(0), (nearest - least_distance * spacing) / 2);
            if (move.norm() > longest) move *= longest / move.norm();
            moved[i] = moved_inward(shape, points[i] + move, depth);
            if (!((moved[i] - points[i]).norm() <= longest)) moved[i] = points[i];
        });
        std::swap(points, moved);
    }
}

std::vector<Vec3> spread_points(const Shape& shape, const TriangleMesh& mesh, Real spacing, Real depth) {
    std::vector<Vec3> candidates = candidates_on(mesh, square(spacing) / candidates_per_point);
    shuffle(candidates);
    std::vector<char> is_on_edge(candidates.size());
    parallel_for(candidates.size(), [&](std::size_t i) {
        const Vec3 x = moved_inward(shape, candidates[i], depth);
        is_on_edge[i] = (x - candidates[i]).norm() > on_edge * depth;
        candidates[i] = x;
    });
    std::vector<Vec3> ordered;
    for (const bool edge : {true, false}) {
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (bool(is_on_edge[i]) == edge) ordered.push_back(candidates[i]);
        }
    }
    candidates.swap(ordered);

    const auto picked = [&](Real distance, const std::vector<Vec3>& from, std::vector<Vec3> points) {
        TakenPoints taken(distance * spacing, std::size_t(mesh.area() / square(spacing)) + 1);
        for (const Vec3& x : points) taken.add(x);
        for (const Vec3& x : from) {
            if (!taken.has_near(x)) taken.add(x);
        }
        return std::move(taken.points);
    };
    std::vector<Vec3> points = picked(first_distance, candidates, {});
    spread(shape, spacing, depth, points);
    return picked(bare, candidates, std::move(points));
}

}  // namespace

std::vector<Vec3> sample_surface(const Shape& shape, Real spacing, Real depth, std::size_t most_points) {
    if (!(spacing > 0) || !std::isfinite(spacing) || !(depth >= 0) || !std::isfinite(depth)) {
        throw InputError(fmt::format("points on a surface cannot be {:g} m apart and {:g} m deep", spacing, depth));
    }
    if (!shape.is_bounded()) throw InputError("a shape without end cannot be covered with points; cut it with a box");
    const Box bounds = shape.bounds();
    if (bounds.isEmpty() || !bounds.sizes().allFinite() || bounds.sizes().maxCoeff() > 1e6 * spacing) {
        throw InputError(
            fmt::format("a shape that is empty, or more than a million spacings of {:g} m long, cannot be "
                        "covered with points",
                        spacing));
    }
    const TriangleMesh mesh = shape.surface(spacing / 2);
    if (mesh.triangles.empty()) throw InputError("a shape without a surface cannot be covered with points");
    const Real expected = mesh.area() / square(spacing);
    if (!(expected <= Real(most_points))) {
        throw InputError(fmt::format(
            "a surface of {:.3g} m^2 would take {:.2g} points, more than the {:.2g} allowed; a spacing above {:.2g} m "
            "would do",
            mesh.area(), expected, Real(most_points), 1.02 * std::sqrt(mesh.area() / Real(most_points))));
    }
    std::vector<Vec3> points = shape.surface_rows(spacing, depth);
    if (points.empty()) points = spread_points(shape, mesh, spacing, depth);
    const auto order = cell_order(points, 2 * spacing);
    std::vector<Vec3> sorted(points.size());
    for (std::size_t k = 0; k < order.size(); ++k) sorted[k] = points[order[k]];
    return sorted;
}

}  // namespace pliant
