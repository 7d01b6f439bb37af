// { model = "gummy-bear", height = 0.2 }: a shape of the built-in collection.
#pragma once

#include <string>

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/shapes/shape_context.h"

namespace pliant {

struct ModelShape {
    std::string name = "gummy-bear";
    Real height = 0.2;  // [m]

    static constexpr const char* kind = "model";
    static constexpr const char* help = "one of the built-in models";
    static const FieldTable& fields();

    ShapePtr build(const ShapeContext& context) const;
};

}  // namespace pliant
