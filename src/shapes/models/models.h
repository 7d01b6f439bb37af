// The models made by formula: closed at any resolution, and ours. Front towards +z, up +y.
#pragma once

#include <string>
#include <vector>

#include "pliant/geometry/shape.h"

namespace pliant {

struct ModelInfo {
    std::string name;
    std::string help;  // one line
};

const std::vector<ModelInfo>& model_list();

// The model with its bounding box centred at the origin and its height (extent along y) 1; the rope and the sheet,
// which lie down, have 1 as their largest extent. An unknown name is an InputError that names the nearest one.
ShapePtr make_model(const std::string& name);

}  // namespace pliant
