// A head as in a shop window: face, neck and a piece of the shoulders to stand on, but no hair.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

Real head(const Vec3& x) {
    const Vec3 m = mirrored(x);

    Real head = ellipsoid(x, {0, 0.72, -0.02}, {0.205, 0.24, 0.25});                             // skull
    head = blend_ellipsoid(head, x, {0, 0.56, 0.06}, {0.15, 0.19, 0.165}, 0.06);                 // face
    head = blend_ellipsoid(head, x, {0, 0.415, 0.15}, {0.06, 0.045, 0.055}, 0.05);               // chin
    head = blend_ellipsoid(head, m, {0.105, 0.585, 0.13}, {0.055, 0.05, 0.06}, 0.04);            // cheeks
    head = smooth_cut(head, sphere(m, {0.085, 0.655, 0.255}, 0.052), 0.03);                      // sockets
    head = blend_ellipsoid(head, m, {0.082, 0.65, 0.178}, {0.04, 0.034, 0.034}, 0.012);          // eyes
    head = blend(head, capsule(m, {0.03, 0.712, 0.222}, {0.125, 0.712, 0.178}, 0.018), 0.03);    // brows
    head = blend(head, round_cone(x, {0, 0.67, 0.22}, 0.028, {0, 0.565, 0.265}, 0.042), 0.025);  // nose
    head = blend_ellipsoid(head, m, {0.03, 0.556, 0.238}, {0.026, 0.022, 0.026}, 0.012);         // nostrils
    head = blend_ellipsoid(head, x, {0, 0.5, 0.215}, {0.065, 0.02, 0.032}, 0.012);               // lips
    head = blend_ellipsoid(head, x, {0, 0.46, 0.21}, {0.058, 0.022, 0.032}, 0.012);
    head = blend_ellipsoid(head, m, {0.2, 0.625, -0.02}, {0.045, 0.08, 0.055}, 0.015);              // ears
    head = smooth_cut(head, sphere(m, {0.262, 0.63, 0.01}, 0.03), 0.015);                           // their cups
    head = blend(head, round_cone(x, {0, 0.5, -0.06}, 0.135, {0, 0.2, -0.075}, 0.15), 0.05);        // neck
    head = blend(head, round_cone(m, {0.05, 0.17, -0.07}, 0.14, {0.25, 0.12, -0.08}, 0.11), 0.08);  // shoulders
    return smooth_cut(head, half_space(x, {0, 0.06, 0}, Vec3::UnitY()), 0.03);                      // cut flat
}

}  // namespace pliant::recipes
