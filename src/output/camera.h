// A pinhole camera, and the one that frames a scene by itself.
#pragma once

#include <span>

#include "pliant/math/types.h"

namespace pliant {

struct Camera {
    Vec3 position = Vec3(0, 0, 1);
    Vec3 target = Vec3::Zero();
    Vec3 up = Vec3::UnitY();
    Real field_of_view = 30;  // vertical, degrees
};

// Looks at the union of the boxes from three quarters, slightly from above, near enough to fill the picture.
// Boxes that are empty or not finite are left out; without any, a box of one metre at the origin is framed.
Camera framing_camera(std::span<const Box> boxes, Real aspect, Real field_of_view = 30);

}  // namespace pliant
