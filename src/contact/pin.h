// A region of a body that is held, or driven by keyframes: its particles move as one rigid piece, until it lets go.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "pliant/contact/motion.h"
#include "pliant/shapes/shapes.h"

namespace pliant {

struct PinSettings {
    std::string name;
    std::string body;
    ShapeSettings shape;
    Vec3 position = Vec3::Zero();
    Vec3 rotation = Vec3::Zero();
    std::optional<MotionSettings> motion;
    Real end = std::numeric_limits<Real>::infinity();

    static const FieldTable& fields();
};

class Pin {
public:
    explicit Pin(const PinSettings& settings)
        : place_{settings.position, rotation_from_degrees(settings.rotation)},
          motion_(settings.motion ? Motion(*settings.motion) : Motion()),
          end_(settings.end) {}

    const Motion& motion() const { return motion_; }
    MovingPose pose(Real time) const { return motion_.at(time, place_); }
    bool holds_at(Real time) const { return time < end_; }
    Real end() const { return end_; }  // s

private:
    Placement place_;
    Motion motion_;
    Real end_;
};

// The velocity that carries x along with the pose from one instant to a later one, exactly.
inline Vec3 carried_velocity(const Vec3& x, const MovingPose& now, const MovingPose& next, Real dt) {
    return (next.placement.to_world(now.placement.to_local(x)) - x) / dt;
}

// Its gradient: how that velocity changes with x [1/s].
inline Mat3 carried_gradient(const MovingPose& now, const MovingPose& next, Real dt) {
    const Quat turn = next.placement.rotation * now.placement.rotation.conjugate();
    return (turn.toRotationMatrix() - Mat3::Identity()) / dt;
}

}  // namespace pliant
