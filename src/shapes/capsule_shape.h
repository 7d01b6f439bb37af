// { capsule = 0.05, height = 0.3 }: all points within the radius of a piece of the y axis.
#pragma once

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct CapsuleShape {
    Real radius = 0.05;  // [m]
    Real height = 0.3;   // [m] in total, round ends included

    static constexpr const char* kind = "capsule";
    static constexpr const char* help = "cylinder along y with round ends, around the origin";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
