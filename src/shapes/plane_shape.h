// { plane = [0, 1, 0], offset = 0 }: everything below a plane, n.x < offset with n of unit length.
#pragma once

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct PlaneShape {
    Vec3 direction = Vec3(0, 1, 0);  // outward, of any length
    Real offset = 0;                 // [m] from the origin along the direction

    static constexpr const char* kind = "plane";
    static constexpr const char* help = "half-space below a plane; a collider such as a floor or wall";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
