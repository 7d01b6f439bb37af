// { cylinder = 0.1, height = 0.2 }: an upright cylinder with flat ends.
#pragma once

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct CylinderShape {
    Real radius = 0.1;  // [m]
    Real height = 0.2;  // [m]

    static constexpr const char* kind = "cylinder";
    static constexpr const char* help = "cylinder along y, around the origin";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
