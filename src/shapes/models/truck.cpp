// A monster truck: a pickup high up on four big wheels.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr Real wheel_radius = 0.29, wheel_half_width = 0.13;

// A tyre with lugs around its tread and a hub. The lugs repeat around the axle: the point is turned into the first.
Real wheel(const Vec3& x, const Vec3& centre) {
    constexpr int lugs = 16;
    const Vec3 sideways = Vec3::UnitX();
    const Vec3 d = x - centre;
    const Real sector = 2 * pi / lugs, angle = std::atan2(d.z(), d.y());
    const Real nearest = angle - sector * std::round(angle / sector), across = std::hypot(d.y(), d.z());
    const Vec3 folded(d.x(), across * std::cos(nearest), across * std::sin(nearest));

    Real wheel = cylinder(d, Vec3::Zero(), sideways, wheel_half_width, wheel_radius - 0.025, 0.06);
    wheel = blend(wheel, rounded_box(folded, {0, wheel_radius - 0.05, 0}, {0.12, 0.05, 0.032}, 0.015), 0.015);
    wheel = smooth_cut(wheel, cylinder(d, {wheel_half_width, 0, 0}, sideways, 0.04, 0.155, 0.02), 0.015);  // rim
    return blend_ellipsoid(wheel, d, {wheel_half_width - 0.04, 0, 0}, {0.05, 0.075, 0.075}, 0.02);         // hub
}

// The upper half of a ring around the wheel.
Real flare(const Vec3& m, Real z) {
    const Real ring = torus(m, {0.38, 0.37, z}, Vec3::UnitX(), 0.335, 0.035);
    return smooth_cut(ring, half_space(m, {0, 0.5, 0}, Vec3::UnitY()), 0.02);
}

// The cab narrows towards its roof: planes lean in on a box.
Real cabin(const Vec3& m) {
    const Real lean = 0.22, windscreen_lean = 0.55;
    Real cabin = rounded_box(m, {0, 0.83, -0.03}, {0.36, 0.2, 0.36}, 0.05);
    cabin = smooth_overlap(cabin, half_space(m, {0.36, 0.74, 0}, Vec3(1, lean, 0).normalized()), 0.04);
    cabin = smooth_overlap(cabin, half_space(m, {0, 0.75, 0.31}, Vec3(0, windscreen_lean, 1).normalized()), 0.04);
    return smooth_overlap(cabin, half_space(m, {0, 0.75, -0.39}, Vec3(0, 0.2, -1).normalized()), 0.04);
}

// Glass lies a little deeper than the pillars.
Real windows(const Vec3& m) {
    const Real side = rounded_box(m, {0.37, 0.865, -0.06}, {0.055, 0.085, 0.21}, 0.03);
    const Vec3 w = turned_about_x(m, {0, 0.87, 0.25}, -29);
    const Real front = rounded_box(w, {0, 0.87, 0.265}, {0.22, 0.09, 0.04}, 0.03);
    const Real back = rounded_box(m, {0, 0.87, -0.41}, {0.2, 0.075, 0.06}, 0.03);
    return std::min({side, front, back});
}

constexpr Real front = 0.52, rear = -0.52, axle = wheel_radius;

// Everything but axles and wheels. Its springs end at `spring_end` above the ground.
Real body(const Vec3& x, Real spring_end) {
    const Vec3 m = mirrored(x), sideways = Vec3::UnitX();
    Real body = rounded_box(x, {0, 0.635, 0}, {0.39, 0.125, 0.83}, 0.05);
    body = blend(body, rounded_box(x, {0, 0.7, 0.55}, {0.36, 0.07, 0.26}, 0.05), 0.03);       // bonnet
    body = blend(body, cabin(m), 0.02);                                                       // cabin
    body = smooth_cut(body, windows(m), 0.015);                                               // windows
    body = smooth_cut(body, rounded_box(x, {0, 0.8, -0.6}, {0.28, 0.15, 0.17}, 0.03), 0.02);  // bed
    for (const Real z : {front, rear}) {
        body = smooth_cut(body, cylinder(m, {0.47, 0.36, z}, sideways, 0.14, 0.32, 0.02), 0.02);  // arch
        body = blend(body, flare(m, z), 0.015);
        body = blend(body, capsule(m, {0.17, spring_end, z}, {0.2, 0.56, z * 0.9}, 0.045), 0.02);  // spring
    }
    body = blend(body, rounded_box(x, {0, 0.44, 0}, {0.2, 0.08, 0.62}, 0.03), 0.03);      // frame
    body = blend(body, rounded_box(x, {0, 0.52, 0.86}, {0.36, 0.05, 0.05}, 0.03), 0.02);  // bumpers
    body = blend(body, rounded_box(x, {0, 0.52, -0.86}, {0.36, 0.05, 0.05}, 0.03), 0.02);
    body = smooth_cut(body, rounded_box(x, {0, 0.65, 0.85}, {0.16, 0.05, 0.05}, 0.02), 0.015);  // grille
    return blend_ellipsoid(body, m, {0.27, 0.66, 0.82}, {0.06, 0.06, 0.04}, 0.012);             // headlights
}

Real wheels(const Vec3& x, Real z) {
    const Real bar = capsule(x, {-0.45, axle, z}, {0.45, axle, z}, 0.045);
    return blend(bar, wheel(mirrored(x), {0.5, axle, z}), 0.02);
}

}  // namespace

Real truck(const Vec3& x) {
    return blend(body(x, axle), std::min(wheels(x, front), wheels(x, rear)), 0.02);
}

// Nothing of the body touches what turns.
Real rolling_truck(const Vec3& x) {
    return std::min({body(x, axle + 0.13), wheels(x, front), wheels(x, rear)});
}

}  // namespace pliant::recipes
