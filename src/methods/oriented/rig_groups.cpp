#include "pliant/methods/oriented/rig_groups.h"

#include <fmt/core.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/nearest_name.h"
#include "pliant/contact/motion.h"

namespace pliant {
namespace {

constexpr std::uint32_t no_group = ~std::uint32_t(0);
constexpr Real joint_size = 0.5;        // of the mean radius
constexpr std::size_t joint_links = 4;  // to each group

RigGroup& group_called(Rig& rig, const std::string& name, const std::string& who) {
    std::vector<std::string> names;
    for (RigGroup& group : rig.groups) {
        if (group.name == name) return group;
        names.push_back(group.name);
    }
    throw InputError(fmt::format("group.{}: joined_to: there is no group '{}'{}", who, name, suggestion(name, names)));
}

// So that a joint stays with a group that is soft for a while.
void link_to_nearest(Rig& rig, std::uint32_t joint, const RigGroup& group, std::size_t first_joint) {
    std::vector<std::pair<Real, std::uint32_t>> others;
    for (const std::uint32_t i : group.particles) {
        if (i < first_joint) others.emplace_back((rig.position[i] - rig.position[joint]).norm(), i);
    }
    std::sort(others.begin(), others.end());
    for (std::size_t k = 0; k < std::min(joint_links, others.size()); ++k) {
        rig.edges.push_back({others[k].second, joint, 0, 0});
    }
}

// As heavy as others, so that both sides feel it, and small, so that it touches nothing.
void add_joint(Rig& rig, const Vec3& at, RigGroup& one, RigGroup& other, std::size_t first_joint) {
    Vec3 radii = Vec3::Zero();
    Real volume = 0;
    for (std::size_t i = 0; i < rig.size(); ++i) {
        radii += rig.radii[i] / Real(rig.size());
        volume += rig.volume[i] / Real(rig.size());
    }
    const auto number = static_cast<std::uint32_t>(rig.size());
    rig.position.push_back(at);
    rig.orientation.push_back(Quat::Identity());
    rig.radii.push_back(Vec3::Constant(joint_size * radii.mean()));
    rig.volume.push_back(volume);
    rig.stiffness.push_back(1);
    for (RigGroup* group : {&one, &other}) {
        link_to_nearest(rig, number, *group, first_joint);
        group->particles.push_back(number);
    }
}

}  // namespace

const FieldTable& RigGroupSettings::fields() {
    using S = RigGroupSettings;
    static const FieldTable table = {
        field("name", &S::name, "", "what other groups and messages call it").required(),
        field("position", &S::position, "m", "of the region, in the body's own space"),
        field("rotation", &S::rotation, "degree", "of the region: about x, then y, then z"),
        field("stiffness", &S::stiffness, "", "1: rigid; less: gives way").above(0).at_most(1),
        field("dent_speed", &S::dent_speed, "m/s", "of a hit that leaves a dent; 0: none does")
            .at_least(0)
            .at_most(1e4),
        field("soft_rim", &S::soft_rim, "m",
              "around the region: particles in it are linked to the group and to no other")
            .at_least(0)
            .at_most(1e3),
        field("joined_to", &S::joined_to, "", "another group, by one joint or two"),
        field("joint", &S::joint, "m", "a point that both groups share, in the body's own space: a ball joint"),
        field("second_joint", &S::second_joint, "m", "another one, which makes it a hinge about the line of both"),
    };
    return table;
}

void add_groups(Rig& rig, std::span<const RigGroupSettings> groups, const ShapeContext& context) {
    std::vector<std::uint32_t> part_of(rig.size(), no_group);
    const auto take = [&](std::size_t g, Real rim, auto&& accept) {
        const RigGroupSettings& settings = groups[g];
        const ShapePtr shape = build_shape(settings.shape, context);
        const Placement place{settings.position, rotation_from_degrees(settings.rotation)};
        for (std::uint32_t i = 0; i < rig.size(); ++i) {
            if (part_of[i] != no_group || shape->distance(place.to_local(rig.position[i])) > rim) continue;
            part_of[i] = static_cast<std::uint32_t>(g);
            accept(i);
        }
    };
    const std::size_t before = rig.groups.size();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        RigGroup group{groups[g].name, {}, groups[g].stiffness, groups[g].dent_speed};
        take(g, 0, [&](std::uint32_t i) { group.particles.push_back(i); });
        if (group.particles.empty()) {
            throw InputError(fmt::format("group.{}: holds no particle: move its region or make it larger", group.name));
        }
        rig.groups.push_back(std::move(group));
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].soft_rim > 0) take(g, groups[g].soft_rim, [](std::uint32_t) {});
    }
    std::erase_if(rig.edges, [&](const RigEdge& edge) {
        const std::uint32_t a = part_of[edge.a], b = part_of[edge.b];
        return a != b && a != no_group && b != no_group;
    });
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].joined_to.empty()) continue;
        RigGroup& other = group_called(rig, groups[g].joined_to, groups[g].name);
        for (const auto& joint : {groups[g].joint, groups[g].second_joint}) {
            if (joint) add_joint(rig, *joint, rig.groups[before + g], other, part_of.size());
        }
    }
    const auto order = [](const RigEdge& a, const RigEdge& b) { return std::pair(a.a, a.b) < std::pair(b.a, b.b); };
    std::sort(rig.edges.begin(), rig.edges.end(), order);
}

}  // namespace pliant
