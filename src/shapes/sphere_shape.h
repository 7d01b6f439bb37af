// { sphere = 0.1 }: a ball.
#pragma once

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct SphereShape {
    Real radius = 0.1;  // [m]

    static constexpr const char* kind = "sphere";
    static constexpr const char* help = "ball around the origin";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
