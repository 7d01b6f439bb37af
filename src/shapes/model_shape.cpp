#include "pliant/shapes/model_shape.h"

#include "pliant/geometry/grid_shape.h"
#include "pliant/shapes/models/models.h"
#include "pliant/shapes/require.h"

namespace pliant {
namespace {

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const ModelInfo& model : model_list()) names.push_back(model.name);
    return names;
}

}  // namespace

const FieldTable& ModelShape::fields() {
    static const FieldTable table = {
        field("model", &ModelShape::name, "", "name of the model").one_of(model_names()).required(),
        field("height", &ModelShape::height, "m",
              "height along y; of the rope and the sheet, which lie down, the longest side")
            .above(0),
    };
    return table;
}

// A model is a formula of many parts: its distance is read off once, onto a grid.
ShapePtr ModelShape::build(const ShapeContext& context) const {
    require_positive(kind, "height", height);
    Placement placement;
    placement.scale = height;
    const ShapePtr shape = placed(make_model(name), placement);
    return baked(shape, context.voxel_for(shape->bounds()));
}

}  // namespace pliant
