// An open right hand, palm to the front, fingers up.
#include <array>

#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr Real degree = pi / 180;

// A finger bends a little towards the palm; the bone behind its knuckle runs through the palm to the wrist.
struct Finger {
    Vec3 wrist, knuckle;
    Real radius;
    BentCone bones;

    Finger(const Vec3& wrist_point, const Vec3& knuckle_point, Real spread, Real length, Real thickness)
        : wrist(wrist_point),
          knuckle(knuckle_point),
          radius(thickness),
          bones(knuckle_point, {std::sin(spread), std::cos(spread), 0}, {0, 0, 1}, length / (24 * degree), 24 * degree,
                thickness, 0.8 * thickness) {}

    Real in_palm(const Vec3& x) const { return round_cone(x, wrist, 0.068, knuckle, 0.85 * radius); }
};

}  // namespace

Real hand(const Vec3& x) {
    // From the thumb's side: index, middle, ring and little finger.
    static const std::array<Finger, 4> fingers = {
        Finger({0.05, 0.2, 0}, {0.135, 0.5, 0}, 15 * degree, 0.34, 0.054),
        Finger({0.025, 0.2, 0}, {0.04, 0.525, 0}, 5 * degree, 0.39, 0.056),
        Finger({-0.02, 0.2, 0}, {-0.055, 0.51, 0}, -6 * degree, 0.355, 0.053),
        Finger({-0.05, 0.2, 0}, {-0.14, 0.465, 0}, -19 * degree, 0.28, 0.048)};
    static const BentCone thumb({0.1, 0.24, 0.03}, Vec3(1, 0.8, 0.25).normalized(), Vec3(-0.8, 1, 0).normalized(), 0.5,
                                38 * degree, 0.076, 0.05);

    Real hand = blend(capsule(x, {0.04, 0, 0}, {0.04, 0.2, 0}, 0.07), capsule(x, {-0.04, 0, 0}, {-0.04, 0.2, 0}, 0.07),
                      0.05);                                                            // wrist
    for (const Finger& finger : fingers) hand = blend(hand, finger.in_palm(x), 0.05);   // palm
    hand = blend_ellipsoid(hand, x, {-0.09, 0.3, 0.03}, {0.06, 0.12, 0.055}, 0.04);     // its outer ball
    hand = blend_ellipsoid(hand, x, {0.085, 0.28, 0.045}, {0.065, 0.11, 0.055}, 0.04);  // the thumb's ball
    hand = blend(hand, thumb.distance(x), 0.05);
    for (const Finger& finger : fingers) hand = blend(hand, finger.bones.distance(x), 0.02);
    return hand;
}

}  // namespace pliant::recipes
