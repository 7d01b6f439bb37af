// { torus = 0.1, tube = 0.03 }: a ring that lies flat.
#pragma once

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct TorusShape {
    Real ring = 0.1;   // [m] radius of the tube's middle line
    Real tube = 0.03;  // [m] radius of the tube

    static constexpr const char* kind = "torus";
    static constexpr const char* help = "ring around the y axis";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
