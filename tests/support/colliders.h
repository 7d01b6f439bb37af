// Obstacles that several tests of methods set up.
#pragma once

#include <string>
#include <vector>

#include "pliant/contact/collider.h"

namespace pliant {

// Everything below a plane through the origin.
inline ColliderSettings floor_settings(Real friction, const Vec3& normal = Vec3::UnitY()) {
    ColliderSettings settings;
    settings.shape = PlaneShape{normal};
    settings.friction = friction;
    return settings;
}

// A flat box whose upper side begins at y = 0, and which moves by keyframes.
inline ColliderSettings plate_settings(Real wide, const std::string& interpolation, const std::vector<Keyframe>& keys,
                                       Real friction) {
    const Real thick = 0.1;
    ColliderSettings settings;
    settings.shape = BoxShape{Vec3(wide, thick, wide)};
    settings.position = {0, -thick / 2, 0};
    settings.friction = friction;
    settings.motion = MotionSettings{interpolation, false, keys};
    return settings;
}

}  // namespace pliant
