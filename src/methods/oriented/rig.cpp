#include "pliant/methods/oriented/rig.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace pliant {
namespace {

constexpr Real unit_tolerance = 1e-6;    // of a quaternion's length
constexpr Real weight_tolerance = 1e-4;  // of the sum of a vertex's weights, which are floats

using Sentences = std::vector<std::string>;

bool is_fraction(Real x) {
    return x >= 0 && x <= 1;
}

bool is_positive(Real x) {
    return x > 0 && std::isfinite(x);
}

void check_lengths(const Rig& rig, Sentences& wrong) {
    const auto check = [&](const char* name, std::size_t size) {
        if (size != rig.size())
            wrong.push_back(fmt::format("there are {} of {}, but {} particles", size, name, rig.size()));
    };
    check("orientation", rig.orientation.size());
    check("radii", rig.radii.size());
    check("volume", rig.volume.size());
    check("stiffness", rig.stiffness.size());
    if (rig.size() == 0) wrong.emplace_back("there are no particles");
}

void check_particle(const Rig& rig, std::size_t p, Sentences& wrong) {
    const auto complain = [&](const std::string& what) { wrong.push_back(fmt::format("particle {}: {}", p, what)); };
    const Vec3& radii = rig.radii[p];
    if (!rig.position[p].allFinite()) complain("its position is not finite");
    if (!(std::abs(rig.orientation[p].norm() - 1) <= unit_tolerance))
        complain(fmt::format("its orientation has length {:g}, not 1", rig.orientation[p].norm()));
    if (!is_positive(radii.x()) || !is_positive(radii.y()) || !is_positive(radii.z()))
        complain(fmt::format("its radii must be above 0, but are {:g}, {:g}, {:g}", radii.x(), radii.y(), radii.z()));
    if (!is_positive(rig.volume[p])) complain(fmt::format("its volume must be above 0, but is {:g}", rig.volume[p]));
    if (!is_fraction(rig.stiffness[p]))
        complain(fmt::format("its stiffness must be from 0 to 1, but is {:g}", rig.stiffness[p]));
}

void check_edge(const Rig& rig, std::size_t e, Sentences& wrong) {
    const RigEdge& edge = rig.edges[e];
    const auto complain = [&](const std::string& what) {
        wrong.push_back(fmt::format("edge {}, between {} and {}: {}", e, edge.a, edge.b, what));
    };
    if (edge.a >= rig.size() || edge.b >= rig.size()) complain(fmt::format("there are only {} particles", rig.size()));
    if (edge.a >= edge.b) complain("the lower particle must come first");
    if (e > 0) {
        const auto key = [](const RigEdge& x) { return std::tie(x.a, x.b); };
        const RigEdge& last = rig.edges[e - 1];
        if (key(edge) == key(last)) complain("it is there twice");
        if (key(edge) < key(last)) complain("edges must be sorted by their particles");
    }
    if (!is_fraction(edge.torsion)) complain(fmt::format("its torsion must be from 0 to 1, but is {:g}", edge.torsion));
    if (!is_fraction(edge.stretch)) complain(fmt::format("its stretch must be from 0 to 1, but is {:g}", edge.stretch));
}

void check_group(const Rig& rig, std::size_t g, Sentences& wrong) {
    const RigGroup& group = rig.groups[g];
    const auto complain = [&](const std::string& what) {
        wrong.push_back(fmt::format("group {} ('{}'): {}", g, group.name, what));
    };
    if (group.particles.empty()) complain("it has no particles");
    std::vector<std::uint32_t> sorted = group.particles;
    std::sort(sorted.begin(), sorted.end());
    if (!sorted.empty() && sorted.back() >= rig.size())
        complain(fmt::format("it names particle {}, but there are only {}", sorted.back(), rig.size()));
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) complain(fmt::format("it names particle {} twice", *twice));
    if (!is_fraction(group.stiffness))
        complain(fmt::format("its stiffness must be from 0 to 1, but is {:g}", group.stiffness));
    if (!(group.dent_speed >= 0 && std::isfinite(group.dent_speed)))
        complain(fmt::format("its dent_speed must be at least 0 m/s, but is {:g}", group.dent_speed));
}

void check_skin(const TriangleMesh& skin, Sentences& wrong) {
    for (std::size_t v = 0; v < skin.vertices.size(); ++v) {
        if (!skin.vertices[v].allFinite()) wrong.push_back(fmt::format("vertex {} of the skin is not finite", v));
    }
    for (std::size_t t = 0; t < skin.triangles.size(); ++t) {
        for (const int corner : skin.triangles[t]) {
            if (corner >= 0 && std::size_t(corner) < skin.vertices.size()) continue;
            wrong.push_back(fmt::format("triangle {} of the skin names vertex {}, but there are {}", t, corner,
                                        skin.vertices.size()));
        }
    }
}

void check_vertex_weights(const Rig& rig, std::size_t v, Sentences& wrong) {
    const auto complain = [&](const std::string& what) {
        wrong.push_back(fmt::format("vertex {} of the skin: {}", v, what));
    };
    const auto& weights = rig.weights.weight[v];
    for (const std::uint32_t frame : rig.weights.frame[v]) {
        if (frame >= rig.size())
            complain(fmt::format("it hangs on particle {}, but there are only {}", frame, rig.size()));
    }
    if (std::any_of(weights.begin(), weights.end(), [](float w) { return !is_fraction(w); }))
        return complain("its weights must be from 0 to 1");
    if (!std::is_sorted(weights.rbegin(), weights.rend())) complain("its largest weight must come first");
    const Real sum = std::accumulate(weights.begin(), weights.end(), Real(0));
    if (std::abs(sum - 1) > weight_tolerance) complain(fmt::format("its weights sum to {:g}, not 1", sum));
}

void check_weights(const Rig& rig, Sentences& wrong) {
    const std::size_t frames = rig.weights.frame.size(), weights = rig.weights.weight.size();
    if (frames == 0 && weights == 0) return;
    if (frames != rig.skin.vertices.size() || weights != frames) {
        wrong.push_back(fmt::format("the skin has {} vertices, but {} have frames and {} have weights",
                                    rig.skin.vertices.size(), frames, weights));
        return;
    }
    for (std::size_t v = 0; v < frames; ++v) check_vertex_weights(rig, v, wrong);
}

}  // namespace

std::vector<std::string> problems(const Rig& rig) {
    Sentences wrong;
    check_lengths(rig, wrong);
    if (!wrong.empty()) return wrong;
    for (std::size_t p = 0; p < rig.size(); ++p) check_particle(rig, p, wrong);
    for (std::size_t e = 0; e < rig.edges.size(); ++e) check_edge(rig, e, wrong);
    for (std::size_t g = 0; g < rig.groups.size(); ++g) check_group(rig, g, wrong);
    check_skin(rig.skin, wrong);
    check_weights(rig, wrong);
    return wrong;
}

}  // namespace pliant
