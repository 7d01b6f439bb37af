// Where something stands over time, by keyframes: offset and turn relative to its own place.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/fields.h"
#include "pliant/geometry/shape.h"
#include "pliant/math/types.h"

namespace pliant {

struct Keyframe {
    Real time = 0;
    Vec3 position = Vec3::Zero();
    Vec3 rotation = Vec3::Zero();

    static const FieldTable& fields();
};

struct MotionSettings {
    std::string interpolation = "smooth";
    bool repeat = false;
    std::vector<Keyframe> keys;

    static const FieldTable& fields();
    std::vector<std::string> problems() const;
};

// Turns about x, then y, then z by angles in degrees.
Quat rotation_from_degrees(const Vec3& degrees);

// A rigid pose and how it changes.
struct MovingPose {
    Placement placement;
    Vec3 linear_velocity = Vec3::Zero();   // of the placement's position [m/s]
    Vec3 angular_velocity = Vec3::Zero();  // rad/s

    Vec3 velocity_at(const Vec3& x) const { return linear_velocity + angular_velocity.cross(x - placement.position); }
};

class Motion {
public:
    Motion() = default;  // still
    explicit Motion(const MotionSettings& settings) : settings_(settings) {}

    bool is_still() const { return settings_.keys.empty(); }
    // Not exceeded by any point within `reach` of the placement's position [m/s].
    Real largest_speed(Real reach = 0) const;

    // Before the first key: as at the first; after the last: as at the last, or around again when repeating.
    MovingPose at(Real time, const Placement& place) const;

private:
    MotionSettings settings_;
};

}  // namespace pliant
