#include "pliant/methods/oriented/rig_builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "pliant/base/error.h"
#include "pliant/geometry/mesh_subdivide.h"
#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/sampling_measure.h"
#include "pliant/geometry/skin_weights.h"
#include "pliant/methods/oriented/body_cells.h"
#include "pliant/methods/oriented/body_samples.h"
#include "pliant/methods/oriented/rig_edges.h"
#include "pliant/methods/oriented/rig_ellipsoids.h"

namespace pliant {
namespace {

constexpr Real samples_a_spacing = 4;
constexpr Real most_particles = 1e5;

// In spacings. Points that cover the body from this far stand about a spacing apart.
constexpr Real cover_reach = 0.85;
// After relaxing, cells of thin parts may be short (then two become one) or long (then another comes between).
constexpr Real merge_distance = 0.7, hole_reach = 0.95;

constexpr int links_of_a_joint = 3;  // between two pieces, so that they do not turn against each other

void require_usable(const Shape& shape, const TriangleMesh& surface) {
    if (!shape.is_bounded()) throw InputError("a shape without end cannot become a model of particles");
    if (surface.triangles.empty()) throw InputError("the mesh has no triangles: there is nothing to put particles on");
    for (const Vec3& x : surface.vertices) {
        if (!x.allFinite()) throw InputError("the mesh has a vertex that is not finite: repair the file");
    }
}

// Roughly, from above.
Real expected_count(const TriangleMesh& surface, Real spacing) {
    const Vec3 size = surface.bounds().sizes() / spacing + Vec3::Ones();
    return std::min(size.prod(), surface.area() / square(spacing) * std::max(Real(1), size.minCoeff() / 2));
}

void require_few(const TriangleMesh& surface, Real spacing) {
    if (!(spacing > 0) || expected_count(surface, spacing) > most_particles) {
        throw InputError(fmt::format(
            "a spacing of {:g} m would make about {:.3g} particles, more than this method is for; use a larger one",
            spacing, expected_count(surface, spacing)));
    }
}

BodyCells spread(const BodySamples& samples, const RigSettings& settings) {
    BodyCells cells(samples, settings.spacing);
    cells.cover(cover_reach * settings.spacing, std::uint64_t(settings.seed));
    for (int round = 0; round < 3; ++round) {
        cells.relax(4);
        cells.merge_closer_than(merge_distance * settings.spacing);
        cells.cover(hole_reach * settings.spacing);
    }
    cells.relax(3);
    return cells;
}

BodySamples samples_for(const Shape& shape, const TriangleMesh& surface, Real spacing) {
    return sample_body(shape, surface, spacing / samples_a_spacing);
}

// Matter nearest to each particle. Where the body is too thin for samples of matter it is half of surface times depth,
// which is right for a rod and in between for a sheet and a ball.
std::vector<Real> volumes_of(const Shape& shape, const BodySamples& samples, const BodyCells& cells, Real spacing) {
    const std::size_t count = cells.points().size();
    std::vector<Real> volume(count, 0), area(count, 0);
    for (std::size_t s = 0; s < samples.size(); ++s) {
        volume[cells.owner(s)] += samples.volume[s];
        area[cells.owner(s)] += samples.area[s];
    }
    for (std::size_t p = 0; p < count; ++p) {
        const Real depth = std::max(-shape.distance(cells.points()[p]), Real(0));
        volume[p] = std::max({volume[p], area[p] * depth / 2, 1e-3 * cube(spacing)});
    }
    const Real total = std::accumulate(volume.begin(), volume.end(), Real(0));
    const Real measured = measure_volume(shape);
    if (measured > 0) {
        for (Real& v : volume) v *= measured / total;
    }
    return volume;
}

std::size_t count_particles(const Shape& shape, const TriangleMesh& surface, Real spacing) {
    require_few(surface, spacing);
    RigSettings settings;
    settings.spacing = spacing;
    return spread(samples_for(shape, surface, spacing), settings).points().size();
}

}  // namespace

Rig build_rig(const Shape& shape, const TriangleMesh& surface, const RigSettings& settings) {
    require_usable(shape, surface);
    require_few(surface, settings.spacing);
    const BodySamples samples = samples_for(shape, surface, settings.spacing);
    const BodyCells cells = spread(samples, settings);

    Rig rig;
    rig.position = cells.points();
    for (const FittedEllipsoid& e : fit_ellipsoids(samples, cells, settings.spacing, settings.aspect_limit)) {
        rig.orientation.push_back(e.orientation);
        rig.radii.push_back(e.radii);
    }
    rig.volume = volumes_of(shape, samples, cells, settings.spacing);
    rig.stiffness.assign(rig.size(), 1);
    rig.edges = edges_between(cells, settings.edge_reach * settings.spacing);
    rig.skin = surface;
    hang_skin(rig, settings.spacing);
    return rig;
}

void hang_skin(Rig& rig, Real spacing) {
    std::vector<int> groups_at(rig.size(), 0);
    for (const RigGroup& group : rig.groups) {
        for (const std::uint32_t p : group.particles) ++groups_at[p];
    }
    std::vector<std::uint32_t> carriers, number_of(rig.size());
    std::vector<Vec3> points;
    for (std::uint32_t p = 0; p < rig.size(); ++p) {
        if (groups_at[p] > 1) continue;
        number_of[p] = std::uint32_t(carriers.size());
        carriers.push_back(p);
        points.push_back(rig.position[p]);
    }
    std::vector<std::array<std::uint32_t, 2>> links;
    for (const RigEdge& edge : rig.edges) {
        if (std::max(groups_at[edge.a], groups_at[edge.b]) <= 1)
            links.push_back({number_of[edge.a], number_of[edge.b]});
    }
    rig.weights = geodesic_weights(rig.skin, points, links, spacing);
    for (auto& frames : rig.weights.frame) {
        for (std::uint32_t& frame : frames) frame = carriers[frame];
    }
}

void change_skin(Rig& rig, const Shape& shape, Real resolution, Real spacing) {
    rig.skin = subdivided(shape.surface(resolution), 2 * resolution);
    hang_skin(rig, spacing);
}

// Counts go about as spacing^-k, with k between 2 (a shell) and 3 (a block); k is learnt from the last two trials.
Real spacing_for(const Shape& shape, const TriangleMesh& surface, std::size_t particles) {
    require_usable(shape, surface);
    const Real wanted = Real(std::max<std::size_t>(particles, 1));
    Real spacing = std::sqrt(surface.area() / 2 / wanted), power = 2.4;
    Real best = spacing, best_error = std::numeric_limits<Real>::infinity();
    Real last_spacing = 0, last_count = 0;
    for (int trial = 0; trial < 8 && best_error > 0.04; ++trial) {
        const Real count = Real(count_particles(shape, surface, spacing));
        const Real error = std::abs(count / wanted - 1);
        if (error < best_error) best = spacing, best_error = error;
        if (last_count > 0 && count != last_count)
            power = std::clamp(std::log(count / last_count) / std::log(last_spacing / spacing), Real(1.5), Real(3.5));
        last_spacing = spacing, last_count = count;
        spacing *= std::pow(count / wanted, 1 / power);
    }
    return best;
}

namespace {

// A number a particle: the same for all that edges hold together.
std::vector<std::uint32_t> piece_of_each(const Rig& rig) {
    std::vector<std::uint32_t> piece(rig.size());
    std::iota(piece.begin(), piece.end(), 0u);
    const auto root = [&](std::uint32_t p) {
        while (piece[p] != p) p = piece[p] = piece[piece[p]];
        return p;
    };
    for (const RigEdge& edge : rig.edges) piece[root(edge.a)] = root(edge.b);
    for (std::uint32_t p = 0; p < rig.size(); ++p) piece[p] = root(p);
    return piece;
}

}  // namespace

std::size_t count_pieces(const Rig& rig) {
    const std::vector<std::uint32_t> piece = piece_of_each(rig);
    return std::set<std::uint32_t>(piece.begin(), piece.end()).size();
}

void join_pieces(Rig& rig, Real reach) {
    const std::vector<std::uint32_t> piece = piece_of_each(rig);
    NeighbourLists near;
    NeighbourSearch().find(rig.position, reach, near);
    std::vector<std::tuple<Real, std::uint32_t, std::uint32_t>> gaps;
    for (std::uint32_t i = 0; i < rig.size(); ++i) {
        for (const std::uint32_t j : near[i]) {
            if (i < j && piece[i] != piece[j]) gaps.emplace_back((rig.position[j] - rig.position[i]).norm(), i, j);
        }
    }
    std::sort(gaps.begin(), gaps.end());
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> links;
    for (const auto& [distance, i, j] : gaps) {
        if (links[std::minmax(piece[i], piece[j])]++ < links_of_a_joint) rig.edges.push_back({i, j});
    }
    std::sort(rig.edges.begin(), rig.edges.end(),
              [](const RigEdge& l, const RigEdge& r) { return std::tie(l.a, l.b) < std::tie(r.a, r.b); });
}

}  // namespace pliant
