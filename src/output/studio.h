// The light of the pictures: a photographer's studio with a large soft key lamp, a bright ceiling, and a pale backdrop
// into which the floor fades.
#pragma once

#include <Eigen/Core>

#include "pliant/output/camera.h"
#include "pliant/output/colour.h"

namespace pliant {

struct Studio {
    explicit Studio(const CameraAxes& camera, const Eigen::Vector3f& vertical);

    Eigen::Vector3f up;
    Eigen::Vector3f key_direction;  // towards the middle of the lamp
    float key_spread = 0.16f;       // radius of the lamp at distance 1
    Colour key_light;

    Colour sky(const Eigen::Vector3f& direction) const;       // what the ceiling and the walls shine from there
    Colour backdrop(const Eigen::Vector3f& direction) const;  // what the camera sees behind everything
    float key_gloss(const Eigen::Vector3f& mirrored) const;   // how much of the lamp is mirrored from there
    float haze(const Eigen::Vector3f& point) const;           // 0 near the scene, 1 where the floor has faded away
};

}  // namespace pliant
