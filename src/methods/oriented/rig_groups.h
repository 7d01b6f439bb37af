// Rigid parts of a body, given by regions of space: the particles in a region are a group of the rig.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "pliant/methods/oriented/rig.h"
#include "pliant/shapes/shapes.h"

namespace pliant {

struct RigGroupSettings {
    std::string name;
    ShapeSettings shape;
    Vec3 position = Vec3::Zero();
    Vec3 rotation = Vec3::Zero();
    Real stiffness = 1;
    Real dent_speed = 0;
    Real soft_rim = 0;
    std::string joined_to;
    std::optional<Vec3> joint, second_joint;

    static const FieldTable& fields();
};

// A particle belongs to the first group whose region holds it, or else softly to the first whose rim does. Joints are
// new particles, each part of the group and of the one that it is joined to: one is a ball joint, two are a hinge.
// Links between two groups are cut. InputError, with the group's name, for a region without particles or a group joined
// to none.
void add_groups(Rig& rig, std::span<const RigGroupSettings> groups, const ShapeContext& context);

}  // namespace pliant
