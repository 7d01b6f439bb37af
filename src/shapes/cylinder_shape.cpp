#include "pliant/shapes/cylinder_shape.h"

#include "pliant/shapes/require.h"
#include "pliant/shapes/revolution.h"

namespace pliant {

const FieldTable& CylinderShape::fields() {
    static const FieldTable table = {
        field("cylinder", &CylinderShape::radius, "m", "radius").above(0).required(),
        field("height", &CylinderShape::height, "m", "height along y").above(0),
    };
    return table;
}

ShapePtr CylinderShape::build(const ShapeContext&) const {
    require_positive(kind, "radius", radius);
    require_positive(kind, "height", height);
    return revolved_solid({{0, -height / 2}, {radius, -height / 2}, {radius, height / 2}, {0, height / 2}});
}

}  // namespace pliant
