// { box = [0.2, 0.2, 0.2] }: a box along the axes, with sharp or rounded edges.
#pragma once

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct BoxShape {
    Vec3 size = Vec3(0.2, 0.2, 0.2);  // [m] full edge lengths
    Real round = 0;                   // [m] radius of the edges, within the size

    static constexpr const char* kind = "box";
    static constexpr const char* help = "box with its middle at the origin; edges may be rounded";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
