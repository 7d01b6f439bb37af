// A bird built like a brick, for throwing: a cube with a beak.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

// A wedge: planes lean in on a box towards its tip. It lies on a thinner lower one.
Real beak(const Vec3& m) {
    Real upper = rounded_box(m, {0, 0.5, 0.48}, {0.16, 0.1, 0.22}, 0.04);
    upper = smooth_overlap(upper, half_space(m, {0.16, 0.5, 0.4}, Vec3(1, 0, 0.5).normalized()), 0.03);
    upper = smooth_overlap(upper, half_space(m, {0, 0.6, 0.38}, Vec3(0, 1, 0.55).normalized()), 0.03);
    Real lower = rounded_box(m, {0, 0.385, 0.44}, {0.12, 0.04, 0.17}, 0.035);
    lower = smooth_overlap(lower, half_space(m, {0.12, 0.39, 0.4}, Vec3(1, 0, 0.5).normalized()), 0.03);
    return blend(upper, lower, 0.012);
}

// A slab that hangs from the shoulder, a little off the body, with the edges of two feathers on it.
Real wing(const Vec3& m) {
    const Vec3 shoulder(0.39, 0.6, 0.08);
    const Vec3 w = turned_about_x(turned_about_z(m, shoulder, 16), shoulder, 20);
    Real wing = rounded_box(w, {0.415, 0.5, 0.02}, {0.055, 0.15, 0.12}, 0.05);
    wing = blend(wing, rounded_box(w, {0.405, 0.47, -0.08}, {0.05, 0.14, 0.12}, 0.045), 0.01);
    return blend(wing, rounded_box(w, {0.395, 0.44, -0.18}, {0.045, 0.13, 0.11}, 0.04), 0.01);
}

// A fan of three slabs.
Real tail(const Vec3& m) {
    const Vec3 root(0, 0.38, -0.3);
    const Vec3 middle = turned_about_x(m, root, 30), outer = turned_about_y(middle, root, -26);
    const Real feather = rounded_box(middle, root + Vec3(0, 0, -0.16), {0.085, 0.055, 0.2}, 0.045);
    return blend(feather, rounded_box(outer, root + Vec3(0.03, 0, -0.14), {0.08, 0.045, 0.18}, 0.04), 0.012);
}

// Three plumes in a row from the middle of the crown, combed back.
Real crest(const Vec3& x) {
    Real crest = round_cone(x, {0, 0.8, 0.12}, 0.06, {0, 0.99, 0.1}, 0.045);
    crest = blend(crest, round_cone(x, {0, 0.8, 0.02}, 0.06, {0, 1.01, -0.06}, 0.045), 0.015);
    return blend(crest, round_cone(x, {0, 0.8, -0.08}, 0.06, {0, 0.96, -0.2}, 0.045), 0.015);
}

}  // namespace

Real bird(const Vec3& x) {
    const Vec3 m = mirrored(x);

    Real bird = rounded_box(x, {0, 0.48, 0}, {0.39, 0.38, 0.38}, 0.14);                     // body
    bird = blend(bird, rounded_box(x, {0, 0.27, 0.06}, {0.3, 0.16, 0.37}, 0.13), 0.04);     // belly
    bird = blend(bird, beak(m), 0.02);                                                      // beak
    bird = blend_ellipsoid(bird, m, {0.215, 0.66, 0.35}, {0.1, 0.11, 0.065}, 0.012);        // eyes
    bird = cut_ellipsoid(bird, m, {0.2, 0.66, 0.432}, {0.042, 0.05, 0.035}, 0.012);         // pupils
    bird = blend(bird, wing(m), 0.015);                                                     // wings
    bird = blend(bird, tail(m), 0.03);                                                      // tail
    bird = blend(bird, crest(x), 0.02);                                                     // crest
    bird = blend(bird, rounded_box(m, {0.17, 0.07, 0.08}, {0.1, 0.06, 0.16}, 0.05), 0.03);  // feet
    return bird;
}

}  // namespace pliant::recipes
