// A bear of jelly, as it comes out of its mould: paws on its belly, stubby feet, everything round and in relief.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

Real gummy_bear(const Vec3& x) {
    const Vec3 m = mirrored(x);

    Real bear = ellipsoid(x, {0, 0.33, -0.005}, {0.275, 0.33, 0.225});                                  // body
    bear = blend_ellipsoid(bear, x, {0, 0.29, 0.09}, {0.19, 0.21, 0.18}, 0.05);                         // belly
    bear = blend_ellipsoid(bear, x, {0, 0.735, 0.015}, {0.23, 0.195, 0.195}, 0.1);                      // head
    bear = blend_ellipsoid(bear, m, {0.17, 0.885, 0}, {0.088, 0.088, 0.075}, 0.03);                     // ears
    bear = smooth_cut(bear, sphere(m, {0.172, 0.89, 0.095}, 0.05), 0.03);                               // their cups
    bear = blend_ellipsoid(bear, x, {0, 0.685, 0.175}, {0.115, 0.085, 0.095}, 0.035);                   // snout
    bear = blend_ellipsoid(bear, x, {0, 0.725, 0.258}, {0.044, 0.032, 0.03}, 0.015);                    // nose
    bear = smooth_cut(bear, sphere(m, {0.09, 0.785, 0.213}, 0.03), 0.015);                              // eyes
    bear = blend(bear, round_cone(m, {0.215, 0.5, 0.065}, 0.095, {0.125, 0.415, 0.225}, 0.086), 0.04);  // arms
    bear = blend(bear, round_cone(m, {0.19, 0.125, 0.09}, 0.125, {0.19, 0.115, 0.255}, 0.112), 0.04);   // legs
    bear = blend(bear, sphere(x, {0, 0.11, -0.185}, 0.07), 0.05);                                       // tail
    return bear;
}

}  // namespace pliant::recipes
