// { mesh = "file.obj", height = 0.3 }: the solid within a triangle mesh, repaired where it is not closed.
#pragma once

#include <optional>
#include <string>

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct MeshShape {
    std::string file;
    std::optional<Real> height;  // [m] along y after turning; instead of scale
    std::optional<Real> scale;   // metres a unit of the file
    bool centre = true;          // move the middle of the bounding box to the origin
    std::string up = "y";        // the file's upward axis, turned to y

    static constexpr const char* kind = "mesh";
    static constexpr const char* help = "solid within a triangle mesh from a file";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
