#include "pliant/methods/oriented/rig_groups.h"

#include <fmt/core.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/nearest_name.h"
#include "pliant/contact/motion.h"

namespace pliant {
namespace {

constexpr std::uint32_t no_group = ~std::uint32_t(0);
constexpr Real joint_size = 0.5;  // of the mean radius

RigGroup& group_called(Rig& rig, const std::string& name, const std::string& who) {
    std::vector<std::string> names;
    for (RigGroup& group : rig.groups) {
        if (group.name == name) return group;
        names.push_back(group.name);
    }
    throw InputError(fmt::format("group.{}: joined_to: there is no group '{}'{}", who, name, suggestion(name, names)));
}

// As heavy as others, so that both sides feel it, and small, so that it touches nothing.
void add_joint(Rig& rig, const Vec3& at, RigGroup& one, RigGroup& other) {
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
    one.particles.push_back(number);
    other.particles.push_back(number);
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
        field("joined_to", &S::joined_to, "", "another group, by one joint or two"),
        field("joint", &S::joint, "m", "a point that both groups share, in the body's own space: a ball joint"),
        field("second_joint", &S::second_joint, "m", "another one, which makes it a hinge about the line of both"),
    };
    return table;
}

void add_groups(Rig& rig, std::span<const RigGroupSettings> groups, const ShapeContext& context) {
    std::vector<std::uint32_t> group_of(rig.size(), no_group);
    for (const RigGroupSettings& settings : groups) {
        const ShapePtr shape = build_shape(settings.shape, context);
        const Placement place{settings.position, rotation_from_degrees(settings.rotation)};
        RigGroup group{settings.name, {}, settings.stiffness, settings.dent_speed};
        for (std::uint32_t i = 0; i < rig.size(); ++i) {
            if (group_of[i] != no_group || shape->distance(place.to_local(rig.position[i])) > 0) continue;
            group_of[i] = static_cast<std::uint32_t>(rig.groups.size());
            group.particles.push_back(i);
        }
        if (group.particles.empty()) {
            throw InputError(fmt::format("group.{}: holds no particle: move its region or make it larger", group.name));
        }
        rig.groups.push_back(std::move(group));
    }
    std::erase_if(rig.edges, [&](const RigEdge& edge) {
        const std::uint32_t a = group_of[edge.a], b = group_of[edge.b];
        return a != b && a != no_group && b != no_group;
    });
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const RigGroupSettings& settings = groups[g];
        if (settings.joined_to.empty()) continue;
        RigGroup& other = group_called(rig, settings.joined_to, settings.name);
        for (const auto& joint : {settings.joint, settings.second_joint}) {
            if (joint) add_joint(rig, *joint, rig.groups[rig.groups.size() - groups.size() + g], other);
        }
    }
}

}  // namespace pliant
