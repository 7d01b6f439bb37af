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

// The unit axes of a camera's picture. Defined also when it looks along `up`.
struct CameraAxes {
    Vec3 right, up, forward;
};
CameraAxes camera_axes(const Camera& camera);

// The union of the boxes that are finite and not empty; without any, one metre around the origin. Never flat.
Box framed_box(std::span<const Box> boxes);

// Looks at the box from three quarters, slightly from above, near enough to fill most of the picture.
Camera framing_camera(const Box& box, Real aspect, Real field_of_view = 30, const Vec3& up = Vec3::UnitY());

}  // namespace pliant
