#include "pliant/methods/oriented/rest_pose.h"

#include <algorithm>

#include "pliant/base/error.h"

namespace pliant {
namespace {

void add_body(RestPose& rest, const Rig& rig, std::uint32_t first) {
    for (std::size_t k = 0; k < rig.size(); ++k) {
        rest.position.push_back(rig.position[k]);
        rest.orientation.push_back(rig.orientation[k].normalized());
        rest.radii.push_back(rig.radii[k]);
        rest.stiffness.push_back(rig.stiffness[k]);
    }
    for (const RigEdge& edge : rig.edges) {
        rest.links.push_back({first + edge.a, first + edge.b, float(edge.torsion), float(edge.stretch)});
    }
    for (const RigGroup& group : rig.groups) {
        RigidGroup& own = rest.groups.emplace_back();
        for (const std::uint32_t k : group.particles) own.particles.push_back(first + k);
        own.stiffness = float(group.stiffness);
        own.dent_speed = group.dent_speed;
    }
}

void find_neighbours(RestPose& rest) {
    rest.row.assign(rest.size() + 1, 0);
    for (const Link& link : rest.links) {
        ++rest.row[link.a + 1];
        ++rest.row[link.b + 1];
    }
    for (std::size_t i = 0; i < rest.size(); ++i) rest.row[i + 1] += rest.row[i];
    rest.neighbour.resize(rest.row.back());
    std::vector<std::uint32_t> at(rest.row.begin(), rest.row.end() - 1);
    for (const Link& link : rest.links) {
        rest.neighbour[at[link.a]++] = link.b;
        rest.neighbour[at[link.b]++] = link.a;
    }
}

}  // namespace

RestPose make_rest_pose(const ParticleState& state, const Model& model) {
    RestPose rest;
    rest.bodies = body_ranges(state, model.bodies.size());
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const auto& rig = model.bodies[b].rig;
        if (!rig || rig->size() != rest.bodies[b].size() || rest.size() != rest.bodies[b].first) {
            throw InputError("body." + model.bodies[b].name + ": its particles are not those of its rig");
        }
        add_body(rest, *rig, static_cast<std::uint32_t>(rest.bodies[b].first));
    }
    rest.mass = state.mass;
    std::vector<int> groups(rest.size(), 0);
    for (const RigidGroup& group : rest.groups) {
        for (const std::uint32_t i : group.particles) ++groups[i];
    }
    rest.is_joint.resize(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) rest.is_joint[i] = groups[i] > 1;
    find_neighbours(rest);
    return rest;
}

void RestPose::save(Snapshot& snapshot) const {
    snapshot.put("oriented.rest_position", position);
    snapshot.put("oriented.rest_orientation", orientation);
}

void RestPose::restore(const Snapshot& snapshot) {
    std::vector<Vec3> places;
    std::vector<Quat> turns;
    snapshot.get("oriented.rest_position", places);
    snapshot.get("oriented.rest_orientation", turns);
    const auto is_unit = [](const Quat& q) { return std::abs(q.norm() - 1) < 1e-6; };
    if (places.size() != size() || turns.size() != size() || !std::all_of(turns.begin(), turns.end(), is_unit)) {
        throw InputError("the checkpoint's rest state of the method oriented does not fit its particles");
    }
    position = std::move(places);
    orientation = std::move(turns);
}

}  // namespace pliant
