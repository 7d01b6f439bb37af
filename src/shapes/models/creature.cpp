// A creature in armour that stands on its hind legs: plates down its back, long snout, tail, and claws on all fours.
#include <vector>

#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr Real degree = pi / 180;

// Bands across the back, one above the other, widest at the middle and each square to the curve of the back.
struct Band {
    Vec3 centre, radii;
    Mat3 upright;
};

std::vector<Band> make_bands() {
    constexpr int count = 7;
    std::vector<Band> bands;
    for (int i = 0; i < count; ++i) {
        const Real t = i / Real(count - 1), bulge = std::sin(pi * (0.2 + 0.68 * t));
        const Vec3 centre(0, 0.695 - 0.43 * t, -0.045 - 0.06 * bulge);
        const Vec3 radii(0.095 + 0.125 * bulge, 0.068, 0.085 + 0.08 * bulge);
        const Real tilt = (30 - 60 * t) * degree;
        bands.push_back({centre, radii, Eigen::AngleAxisd(-tilt, Vec3::UnitX()).toRotationMatrix()});
    }
    return bands;
}

Real armour(const Vec3& x) {
    static const std::vector<Band> bands = make_bands();
    Real armour = ellipsoid(x, {0, 0.47, -0.08}, {0.19, 0.27, 0.145});
    for (const Band& band : bands) {
        armour = blend_near(armour, 0.012, x, band.centre, band.radii.maxCoeff(),
                            [&] { return ellipsoid(band.upright * (x - band.centre), Vec3::Zero(), band.radii); });
    }
    return armour;
}

Real head(const Vec3& x, const Vec3& m) {
    Real head = ellipsoid(x, {0, 0.79, 0.06}, {0.105, 0.1, 0.12});
    head = blend(head, round_cone(x, {0, 0.785, 0.12}, 0.075, {0, 0.75, 0.275}, 0.042), 0.05);  // snout
    head = blend(head, round_cone(x, {0, 0.735, 0.1}, 0.06, {0, 0.7, 0.215}, 0.03), 0.012);     // jaw
    head = blend_ellipsoid(head, x, {0, 0.772, 0.312}, {0.036, 0.026, 0.022}, 0.012);           // nose
    head = blend_ellipsoid(head, x, {0, 0.845, 0.045}, {0.112, 0.07, 0.115}, 0.012);            // its plate
    head = blend(head, sphere(m, {0.076, 0.808, 0.15}, 0.026), 0.01);                           // eyes
    const Vec3 ear = turned_about_z(m, {0.075, 0.88, 0}, -34);
    return blend_ellipsoid(head, ear, {0.075, 0.935, -0.01}, {0.05, 0.085, 0.032}, 0.025);  // ears
}

Real arm(const Vec3& m) {
    const Vec3 shoulder(0.14, 0.61, 0.02), elbow(0.3, 0.55, 0.01), wrist(0.375, 0.68, 0.11);
    Real arm = round_cone(m, shoulder, 0.07, elbow, 0.056);
    arm = blend(arm, round_cone(m, elbow, 0.056, wrist, 0.05), 0.02);
    arm = blend_ellipsoid(arm, m, wrist + Vec3(0.003, 0.03, 0.015), {0.062, 0.055, 0.046}, 0.02);  // paw
    for (const Vec3& tip : {Vec3(-0.06, 0.125, 0.06), Vec3(0.01, 0.145, 0.06), Vec3(0.08, 0.12, 0.05)}) {
        arm = blend(arm, round_cone(m, wrist + 0.35 * tip, 0.03, wrist + tip, 0.02), 0.012);  // claws
    }
    return blend_ellipsoid(arm, m, {0.175, 0.638, 0}, {0.085, 0.06, 0.08}, 0.012);  // its plate
}

Real leg(const Vec3& m) {
    const Vec3 hip(0.1, 0.29, 0), knee(0.16, 0.18, 0.07), ankle(0.155, 0.07, 0), toes(0.165, 0.05, 0.11);
    Real leg = round_cone(m, hip, 0.11, knee, 0.082);
    leg = blend(leg, round_cone(m, knee, 0.075, ankle, 0.06), 0.03);
    leg = blend(leg, round_cone(m, ankle - Vec3(0, 0.01, 0), 0.06, toes, 0.052), 0.02);  // foot
    for (const Vec3& tip : {Vec3(-0.055, -0.02, 0.095), Vec3(0.003, -0.02, 0.11), Vec3(0.06, -0.02, 0.09)}) {
        leg = blend(leg, round_cone(m, toes + 0.35 * tip, 0.034, toes + tip, 0.022), 0.012);  // claws
    }
    return blend_ellipsoid(leg, m, {0.165, 0.195, 0.1}, {0.06, 0.065, 0.055}, 0.012);  // knee plate
}

// Two bends, with rings of armour.
Real tail(const Vec3& x) {
    static const BentCone root({0, 0.25, -0.1}, Vec3(0, -0.62, -0.78).normalized(), Vec3(0, 0.78, -0.62).normalized(),
                               0.32, 62 * degree, 0.1, 0.06);
    static const BentCone tip = BentCone::after(root, 0, 0.2, 75 * degree, 0.028);
    Real tail = std::min(root.distance(x), tip.distance(x));
    for (const Real phi : {0.5, 0.72, 0.94}) {
        tail = blend(tail, sphere(x, root.point_at(phi), 1.13 * root.radius_at(phi)), 0.01);
    }
    for (const Real phi : {0.1, 0.42, 0.74}) {
        tail = blend(tail, sphere(x, tip.point_at(phi), 1.15 * tip.radius_at(phi)), 0.01);
    }
    return tail;
}

}  // namespace

Real creature(const Vec3& x) {
    const Vec3 m = mirrored(x);

    Real creature = round_cone(x, {0, 0.34, 0}, 0.165, {0, 0.58, 0.01}, 0.135);                 // trunk
    creature = blend_ellipsoid(creature, x, {0, 0.37, 0.06}, {0.145, 0.155, 0.135}, 0.04);      // belly
    creature = blend(creature, round_cone(x, {0, 0.6, 0}, 0.1, {0, 0.76, 0.04}, 0.085), 0.04);  // neck
    creature = blend_near(creature, 0.012, x, {0, 0.48, -0.09}, 0.4, [&] { return armour(x); });
    creature = blend_near(creature, 0.03, x, {0, 0.85, 0.12}, 0.35, [&] { return head(x, m); });
    creature = blend_near(creature, 0.03, m, {0.26, 0.68, 0.06}, 0.3, [&] { return arm(m); });
    creature = blend_near(creature, 0.03, m, {0.14, 0.2, 0.07}, 0.3, [&] { return leg(m); });
    creature = blend_near(creature, 0.03, x, {0, 0.18, -0.3}, 0.42, [&] { return tail(x); });
    return creature;
}

}  // namespace pliant::recipes
