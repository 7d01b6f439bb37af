#include "pliant/shapes/cone_shape.h"

#include "pliant/shapes/require.h"
#include "pliant/shapes/revolution.h"

namespace pliant {

const FieldTable& ConeShape::fields() {
    static const FieldTable table = {
        field("cone", &ConeShape::radius, "m", "radius of the base").above(0).required(),
        field("height", &ConeShape::height, "m", "height along y").above(0),
    };
    return table;
}

ShapePtr ConeShape::build(const ShapeContext&) const {
    require_positive(kind, "radius", radius);
    require_positive(kind, "height", height);
    return revolved_solid({{0, -height / 2}, {radius, -height / 2}, {0, height / 2}});
}

}  // namespace pliant
