// A body of liquid, as a scene file says it.
#pragma once

#include <optional>
#include <string>

#include "pliant/base/fields.h"
#include "pliant/materials/liquid.h"
#include "pliant/shapes/shapes.h"

namespace pliant {

struct FluidSettings {
    std::string name;
    std::optional<ShapeSettings> shape;  // what is full of it at the start; none: empty until an emitter pours it
    Real density = Liquid().density;
    Real viscosity = Liquid().viscosity;
    Real surface_tension = Liquid().surface_tension;
    Real spacing = 0.01;
    std::string sampling = "cubic";
    int seed = 0;
    Vec3 position = Vec3::Zero();
    Vec3 rotation = Vec3::Zero();
    Vec3 velocity = Vec3::Zero();
    std::string colour;
    bool clear = false;

    static const FieldTable& fields();
    Liquid liquid() const { return {density, viscosity, surface_tension}; }
};

}  // namespace pliant
