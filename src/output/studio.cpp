#include "pliant/output/studio.h"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

float smooth(float low, float high, float x) {
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

Colour mix(const Colour& a, const Colour& b, float part) {
    return (1 - part) * a + part * b;
}

}  // namespace

Studio::Studio(const CameraAxes& camera, const Eigen::Vector3f& vertical) : up(vertical.normalized()) {
    // Over the photographer's left shoulder, high up.
    Eigen::Vector3f right = camera.right.cast<float>();
    right -= right.dot(up) * up;
    right = right.norm() > 1e-3f ? Eigen::Vector3f(right.normalized()) : Eigen::Vector3f(up.unitOrthogonal());
    const Eigen::Vector3f towards_camera = right.cross(up);
    key_direction = (-0.62f * right + 1.0f * up + 0.45f * towards_camera).normalized();
    key_light = 2.1f * Colour(1.0f, 0.955f, 0.89f);
}

Colour Studio::sky(const Eigen::Vector3f& direction) const {
    static const Colour wall(0.62f, 0.64f, 0.70f), ceiling(0.86f, 0.93f, 1.06f), floor(0.60f, 0.56f, 0.53f);
    const float height = direction.dot(up);
    return height < 0 ? mix(wall, floor, smooth(0, 0.5f, -height)) : mix(wall, ceiling, smooth(0, 0.8f, height));
}

Colour Studio::backdrop(const Eigen::Vector3f& direction) const {
    static const Colour horizon(0.845f, 0.86f, 0.885f), above = from_srgb(0xBFD3EA);
    return mix(horizon, above, smooth(0.0f, 0.55f, direction.dot(up)));
}

float Studio::key_gloss(const Eigen::Vector3f& mirrored) const {
    const float closeness = mirrored.dot(key_direction);
    return 5 * smooth(0.95f, 0.995f, closeness) + smooth(0.75f, 1.0f, closeness);
}

float Studio::haze(const Eigen::Vector3f& point) const {
    return smooth(1.7f, 14.0f, point.norm());
}

}  // namespace pliant
