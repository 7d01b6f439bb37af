// A creature in armour that stands on its hind legs: plates down its back, long snout, tail, and claws on all fours.
#include <array>

#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr Real degree = pi / 180;

// Bands across the back, one above the other like tiles, widest at the middle.
Real armour(const Vec3& x) {
    constexpr int bands = 7;
    Real armour = 1e9;
    for (int i = 0; i < bands; ++i) {
        const Real t = i / Real(bands - 1), bulge = std::sin(pi * (0.15 + 0.75 * t));
        const Vec3 centre(0, 0.72 - 0.46 * t, -0.05 - 0.06 * bulge);
        const Vec3 radii(0.1 + 0.125 * bulge, 0.055, 0.085 + 0.09 * bulge);
        armour = blend_near(armour, 0.012, x, centre, radii.maxCoeff(), [&] {
            return ellipsoid(turned_about_x(x, centre, 38 - 62 * t), centre, radii);
        });
    }
    return armour;
}

Real head(const Vec3& x, const Vec3& m) {
    Real head = ellipsoid(x, {0, 0.79, 0.06}, {0.1, 0.1, 0.12});
    head = blend(head, round_cone(x, {0, 0.78, 0.13}, 0.07, {0, 0.735, 0.3}, 0.042), 0.05);              // snout
    head = blend_ellipsoid(head, x, {0, 0.752, 0.338}, {0.034, 0.026, 0.022}, 0.012);                   // nose
    head = cut_ellipsoid(head, x, {0, 0.71, 0.29}, {0.1, 0.009, 0.1}, 0.015);                    // mouth
    head = blend_ellipsoid(head, x, {0, 0.84, 0.05}, {0.105, 0.07, 0.115}, 0.012);                      // its plate
    head = blend(head, sphere(m, {0.072, 0.805, 0.15}, 0.026), 0.01);                                    // eyes
    const Vec3 ear = turned_about_z(m, {0.07, 0.87, 0}, -24);
    return blend_ellipsoid(head, ear, {0.07, 0.95, -0.01}, {0.046, 0.1, 0.03}, 0.025);                  // ears
}

Real arm(const Vec3& m) {
    const Vec3 shoulder(0.15, 0.62, 0.02), elbow(0.31, 0.55, 0), wrist(0.375, 0.69, 0.11);
    Real arm = round_cone(m, shoulder, 0.07, elbow, 0.055);
    arm = blend(arm, round_cone(m, elbow, 0.055, wrist, 0.048), 0.02);
    arm = blend_ellipsoid(arm, m, wrist + Vec3(0.003, 0.03, 0.015), {0.06, 0.055, 0.045}, 0.02);        // paw
    for (const Vec3& tip : {Vec3(-0.055, 0.125, 0.06), Vec3(0.01, 0.145, 0.06), Vec3(0.075, 0.12, 0.05)}) {
        arm = blend(arm, round_cone(m, wrist + 0.35 * tip, 0.028, wrist + tip, 0.02), 0.012);            // claws
    }
    return blend_ellipsoid(arm, m, {0.185, 0.645, -0.01}, {0.085, 0.06, 0.075}, 0.012);                 // its plate
}

Real leg(const Vec3& m) {
    const Vec3 hip(0.1, 0.29, 0), knee(0.16, 0.18, 0.07), ankle(0.155, 0.07, 0), toes(0.165, 0.05, 0.11);
    Real leg = round_cone(m, hip, 0.11, knee, 0.082);
    leg = blend(leg, round_cone(m, knee, 0.075, ankle, 0.06), 0.03);
    leg = blend(leg, round_cone(m, ankle - Vec3(0, 0.01, 0), 0.06, toes, 0.052), 0.02);                  // foot
    for (const Vec3& tip : {Vec3(-0.055, -0.02, 0.095), Vec3(0.003, -0.02, 0.11), Vec3(0.06, -0.02, 0.09)}) {
        leg = blend(leg, round_cone(m, toes + 0.35 * tip, 0.034, toes + tip, 0.022), 0.012);             // claws
    }
    return blend_ellipsoid(leg, m, {0.165, 0.195, 0.1}, {0.06, 0.065, 0.055}, 0.012);                   // knee plate
}

// Two bends, with rings of armour.
Real tail(const Vec3& x) {
    static const BentCone root({0, 0.25, -0.1}, Vec3(0, -0.62, -0.78).normalized(), Vec3(0, 0.78, -0.62).normalized(),
                               0.32, 62 * degree, 0.1, 0.06);
    static const BentCone tip = BentCone::after(root, 0, 0.2, 75 * degree, 0.028);
    Real tail = std::min(root.distance(x), tip.distance(x));
    for (const Real phi : {0.45, 0.7, 0.95}) {
        tail = blend(tail, sphere(x, root.point_at(phi), 1.13 * root.radius_at(phi)), 0.01);
    }
    for (const Real phi : {0.2, 0.55, 0.9}) {
        tail = blend(tail, sphere(x, tip.point_at(phi), 1.15 * tip.radius_at(phi)), 0.01);
    }
    return tail;
}

}  // namespace

Real creature(const Vec3& x) {
    const Vec3 m = mirrored(x);

    Real creature = round_cone(x, {0, 0.34, 0}, 0.165, {0, 0.58, 0.01}, 0.135);                          // trunk
    creature = blend_ellipsoid(creature, x, {0, 0.37, 0.06}, {0.14, 0.15, 0.13}, 0.04);                 // belly
    creature = blend(creature, round_cone(x, {0, 0.6, 0}, 0.1, {0, 0.76, 0.04}, 0.085), 0.04);           // neck
    creature = blend_near(creature, 0.012, x, {0, 0.49, -0.1}, 0.42, [&] { return armour(x); });
    creature = blend_near(creature, 0.03, x, {0, 0.85, 0.12}, 0.35, [&] { return head(x, m); });
    creature = blend_near(creature, 0.03, m, {0.28, 0.67, 0.06}, 0.28, [&] { return arm(m); });
    creature = blend_near(creature, 0.03, m, {0.14, 0.2, 0.07}, 0.28, [&] { return leg(m); });
    creature = blend_near(creature, 0.03, x, {0, 0.18, -0.35}, 0.4, [&] { return tail(x); });
    return creature;
}

}  // namespace pliant::recipes
