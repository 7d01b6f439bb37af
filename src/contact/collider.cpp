#include "pliant/contact/collider.h"

#include <algorithm>

namespace pliant {
namespace {

constexpr Real recovery_time = 0.05;  // s, in which an overlap of a radius goes away
constexpr Real held_within = 1.01;    // radii: what slips or sticks is held so near the surface

ContactMode mode_from(const std::string& name) {
    if (name == "slip") return ContactMode::slip;
    if (name == "stick") return ContactMode::stick;
    return ContactMode::separate;
}

}  // namespace

const FieldTable& ColliderSettings::fields() {
    using S = ColliderSettings;
    static const FieldTable table = {
        field("name", &S::name, "", "what messages call it"),
        field("position", &S::position, "m", "where its centre stands"),
        field("rotation", &S::rotation, "degree", "turn about x, then y, then z"),
        field("contact", &S::contact, "", "separate: touch and leave; slip: glide and never leave; stick: hold fast")
            .one_of({"separate", "slip", "stick"}),
        field("friction", &S::friction, "", "Coulomb's coefficient, for contact = \"separate\"")
            .at_least(0)
            .at_most(100),
        field("visible", &S::visible, "", "draw it"),
        field("colour", &S::colour, "", "as drawn, \"#rrggbb\"; empty: grey"),
    };
    return table;
}

Real allowed_gap(Real gap_now, Real radius, Real dt) {
    const Real recovered = std::clamp(-gap_now, Real(0), radius) * std::min(Real(1), dt / recovery_time);
    return std::min(Real(0), gap_now) + recovered;
}

bool is_held(const ContactRule& rule, const SurfacePoint& now, Real radius) {
    return rule.mode != ContactMode::separate && now.distance < held_within * radius;
}

ContactResult resolve_contact(const ContactRule& rule, const SurfacePoint& now, const SurfacePoint& next, Real radius,
                              const Vec3& velocity, Real dt) {
    const Real gap = next.distance - radius, allowed = allowed_gap(now.distance - radius, radius, dt);
    const bool held = is_held(rule, now, radius);
    if (gap >= allowed && !held) return {velocity, false};

    const Vec3& n = next.normal;
    const Vec3 relative = velocity - next.velocity;
    const Real approach = relative.dot(n);
    const Vec3 tangential = relative - approach * n;
    const Real push = (allowed - gap) / dt;
    const Real normal_speed = held ? std::max(Real(0), approach + push) : approach + push;
    if (rule.mode == ContactMode::stick) return {next.velocity + normal_speed * n, true};
    if (rule.mode == ContactMode::slip) return {next.velocity + tangential + normal_speed * n, true};
    const Real slide = tangential.norm();
    const Real kept = slide > rule.friction * push ? 1 - rule.friction * push / slide : 0;
    return {next.velocity + kept * tangential + normal_speed * n, true};
}

Collider::Collider(const ColliderSettings& settings, const ShapeContext& context)
    : name_(settings.name),
      shape_(build_shape(settings.shape, context)),
      place_{settings.position, rotation_from_degrees(settings.rotation)},
      motion_(settings.motion ? Motion(*settings.motion) : Motion()),
      rule_{mode_from(settings.contact), settings.friction} {}

SurfacePoint Collider::surface_at(const Vec3& x, const MovingPose& pose) const {
    const Vec3 local = pose.placement.to_local(x);
    return {shape_->distance(local), pose.placement.rotation * shape_->normal(local), pose.velocity_at(x)};
}

}  // namespace pliant
