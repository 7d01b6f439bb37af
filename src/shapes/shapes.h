// All shapes that a scene can ask for. A new one is one file and one line here.
#pragma once

#include <variant>

#include "pliant/shapes/box_shape.h"
#include "pliant/shapes/capsule_shape.h"
#include "pliant/shapes/cone_shape.h"
#include "pliant/shapes/cylinder_shape.h"
#include "pliant/shapes/mesh_shape.h"
#include "pliant/shapes/model_shape.h"
#include "pliant/shapes/plane_shape.h"
#include "pliant/shapes/sphere_shape.h"
#include "pliant/shapes/torus_shape.h"

namespace pliant {

using ShapeSettings = std::variant<  //
    BoxShape,                        //
    SphereShape,                     //
    CapsuleShape,                    //
    CylinderShape,                   //
    ConeShape,                       //
    TorusShape,                      //
    PlaneShape,                      //
    MeshShape,                       //
    ModelShape>;

inline ShapePtr build_shape(const ShapeSettings& settings, const ShapeContext& context) {
    return std::visit([&](const auto& shape) { return shape.build(context); }, settings);
}

}  // namespace pliant
