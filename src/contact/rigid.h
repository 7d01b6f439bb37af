// A rigid body that moves by itself: falls, is pushed and pushes back.
#pragma once

#include <string>

#include "pliant/base/fields.h"
#include "pliant/contact/motion.h"
#include "pliant/shapes/shapes.h"

namespace pliant {

struct RigidSettings {
    std::string name;
    ShapeSettings shape;
    Real density = 1000;
    Vec3 position = Vec3::Zero();
    Vec3 rotation = Vec3::Zero();
    Vec3 velocity = Vec3::Zero();
    Vec3 angular_velocity = Vec3::Zero();
    Real friction = 0.5;
    Real restitution = 0;
    std::string colour;

    static const FieldTable& fields();
};

// The constant half of a rigid body, and how it begins. Positions are of the shape's origin, not of the centre of mass.
struct RigidModel {
    RigidModel(const RigidSettings& settings, const ShapeContext& context);

    std::string name;
    ShapePtr shape;
    Real density;           // kg/m^3
    Placement place;        // at the start
    Vec3 velocity;          // of the centre of mass [m/s]
    Vec3 angular_velocity;  // rad/s
    Real friction, restitution;
};

}  // namespace pliant
