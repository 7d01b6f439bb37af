// An obstacle: a shape that stands still or moves by keyframes, and what happens to a particle that meets it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pliant/contact/motion.h"
#include "pliant/shapes/shapes.h"

namespace pliant {

enum class ContactMode { separate, slip, stick };

struct ColliderSettings {
    std::string name;
    ShapeSettings shape;
    Vec3 position = Vec3::Zero();
    Vec3 rotation = Vec3::Zero();
    std::string contact = "separate";
    Real friction = 0.5;
    bool visible = true;
    std::string colour;
    std::optional<MotionSettings> motion;

    static const FieldTable& fields();
};

// The surface as a point meets it.
struct SurfacePoint {
    Real distance = 0;             // m, negative inside
    Vec3 normal = Vec3::UnitY();   // outward
    Vec3 velocity = Vec3::Zero();  // of the obstacle there [m/s]
};

// Removes from v what the obstacle does not allow within a step of dt: the gap left after the step is at least zero.
// A point that is inside already comes out gradually, at a radius in 50 ms at most: what brings it out stays with it as
// speed, and an overlap that went within a step or two would fling it away.
//     separate: zero penetration, Coulomb friction |dv_t| <= friction dv_n, free to leave
//     slip:     once there, no motion along the normal, free along the surface
//     stick:    once there, moves with the obstacle
struct ContactRule {
    ContactMode mode = ContactMode::separate;
    Real friction = 0;
};
Real allowed_gap(Real gap_now, Real radius, Real dt);  // that a step must leave at least [m]
bool is_held(const ContactRule& rule, const SurfacePoint& now, Real radius);
struct ContactResult {
    Vec3 velocity;
    bool touched = false;
};
ContactResult resolve_contact(const ContactRule& rule, const SurfacePoint& now, const SurfacePoint& next, Real radius,
                              const Vec3& velocity, Real dt);

class Collider {
public:
    Collider(const ColliderSettings& settings, const ShapeContext& context);

    const std::string& name() const { return name_; }
    const ContactRule& rule() const { return rule_; }
    const Shape& shape() const { return *shape_; }
    const Motion& motion() const { return motion_; }

    MovingPose pose(Real time) const { return motion_.at(time, place_); }
    SurfacePoint surface_at(const Vec3& x, const MovingPose& pose) const;

private:
    std::string name_;
    ShapePtr shape_;
    Placement place_;
    Motion motion_;
    ContactRule rule_;
};

}  // namespace pliant
