// { cone = 0.1, height = 0.2 }: an upright cone with a flat base.
#pragma once

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct ConeShape {
    Real radius = 0.1;  // [m] of the base
    Real height = 0.2;  // [m]

    static constexpr const char* kind = "cone";
    static constexpr const char* help = "cone along y with its tip up; half the height lies below the origin";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
