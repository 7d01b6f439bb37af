// A bird built like a brick, for throwing: a cube with a beak.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

// A wedge: planes lean in on a box towards its tip.
Real beak(const Vec3& m) {
    Real beak = rounded_box(m, {0, 0.46, 0.5}, {0.17, 0.13, 0.22}, 0.04);
    beak = smooth_overlap(beak, half_space(m, {0.17, 0.46, 0.4}, Vec3(1, 0, 0.55).normalized()), 0.04);
    beak = smooth_overlap(beak, half_space(m, {0, 0.59, 0.4}, Vec3(0, 1, 0.4).normalized()), 0.04);
    beak = smooth_overlap(beak, half_space(m, {0, 0.34, 0.5}, Vec3(0, -1, 0.25).normalized()), 0.04);
    return smooth_cut(beak, rounded_box(m, {0, 0.415, 0.65}, {0.3, 0.012, 0.16}, 0.01), 0.02);  // open a slit
}

Real wing(const Vec3& m) {
    const Vec3 w = turned_about_x(turned_about_z(m, {0.38, 0.55, 0.05}, 14), {0.38, 0.55, 0.05}, 18);
    Real wing = rounded_box(w, {0.42, 0.45, -0.05}, {0.055, 0.16, 0.2}, 0.045);
    for (const Real z : {-0.12, 0.02}) {
        wing = smooth_cut(wing, capsule(w, {0.5, 0.25, z}, {0.5, 0.42, z}, 0.035), 0.015);  // between the feathers
    }
    return wing;
}

Real tail(const Vec3& m) {
    const Vec3 root(0, 0.42, -0.34);
    const Vec3 middle = turned_about_x(m, root, 28);
    const Vec3 outer = turned_about_y(middle, root, 24);
    const Real feather = rounded_box(middle, root + Vec3(0, 0, -0.16), {0.07, 0.035, 0.2}, 0.033);
    return blend(feather, rounded_box(outer, root + Vec3(0.1, 0, -0.13), {0.06, 0.035, 0.18}, 0.033), 0.015);
}

}  // namespace

Real bird(const Vec3& x) {
    const Vec3 m = mirrored(x);

    Real bird = rounded_box(x, {0, 0.48, 0}, {0.39, 0.38, 0.38}, 0.13);                              // body
    bird = blend(bird, rounded_box(x, {0, 0.3, 0.05}, {0.3, 0.2, 0.36}, 0.12), 0.04);                // belly
    bird = blend(bird, beak(m), 0.02);                                                               // beak
    bird = blend_ellipsoid(bird, m, {0.2, 0.66, 0.355}, {0.1, 0.1, 0.06}, 0.015);                   // eyes
    bird = cut_ellipsoid(bird, m, {0.185, 0.655, 0.43}, {0.04, 0.045, 0.035}, 0.012);        // pupils
    const Vec3 brow = turned_about_z(m, {0.19, 0.775, 0.37}, 16);
    bird = blend(bird, rounded_box(brow, {0.19, 0.775, 0.37}, {0.13, 0.032, 0.05}, 0.03), 0.012);    // brows
    bird = blend(bird, wing(m), 0.02);                                                               // wings
    bird = blend(bird, tail(m), 0.03);                                                               // tail
    bird = blend(bird, round_cone(x, {0, 0.82, 0.06}, 0.07, {0, 1.02, -0.02}, 0.04), 0.03);          // crest
    bird = blend(bird, round_cone(x, {0, 0.83, -0.06}, 0.07, {0, 0.97, -0.17}, 0.04), 0.03);
    bird = blend(bird, rounded_box(m, {0.16, 0.06, 0.1}, {0.1, 0.055, 0.15}, 0.045), 0.03);          // feet
    return bird;
}

}  // namespace pliant::recipes
