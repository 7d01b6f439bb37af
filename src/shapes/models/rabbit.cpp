// A rabbit on its haunches, ears up.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

// A flat spoon with a shallow hollow in front, leaning outwards and back.
Real ear(const Vec3& m) {
    const Vec3 root(0.055, 0.66, 0.12);
    const Vec3 e = turned_about_x(turned_about_z(m, root, -11), root, -13);
    const Real spoon = ellipsoid(e, root + Vec3(0, 0.18, 0), {0.068, 0.21, 0.05});
    const Real hollow = ellipsoid(e, root + Vec3(0, 0.2, 0.058), {0.036, 0.15, 0.032});
    return smooth_cut(spoon, hollow, 0.02);
}

}  // namespace

Real rabbit(const Vec3& x) {
    const Vec3 m = mirrored(x), soft = softly_mirrored(x, 0.008);

    Real rabbit = ellipsoid(x, {0, 0.24, -0.1}, {0.19, 0.22, 0.25});                                      // rump
    rabbit = blend_ellipsoid(rabbit, x, {0, 0.33, 0.06}, {0.145, 0.2, 0.16}, 0.08);                       // chest
    rabbit = blend_ellipsoid(rabbit, x, {0, 0.58, 0.16}, {0.138, 0.132, 0.155}, 0.05);                    // head
    rabbit = blend_ellipsoid(rabbit, soft, {0.05, 0.535, 0.255}, {0.062, 0.055, 0.06}, 0.04);             // cheeks
    rabbit = blend_ellipsoid(rabbit, x, {0, 0.565, 0.306}, {0.028, 0.02, 0.022}, 0.012);                  // nose
    rabbit = blend_ellipsoid(rabbit, m, {0.103, 0.615, 0.235}, {0.026, 0.034, 0.03}, 0.01);               // eyes
    rabbit = blend_near(rabbit, 0.03, soft, {0.09, 0.83, 0.08}, 0.235, [&] { return ear(soft); });        // ears
    rabbit = blend_ellipsoid(rabbit, m, {0.155, 0.19, -0.08}, {0.085, 0.16, 0.18}, 0.03);                 // haunches
    rabbit = blend(rabbit, round_cone(m, {0.17, 0.05, -0.08}, 0.05, {0.17, 0.045, 0.15}, 0.042), 0.025);  // hind feet
    rabbit = blend(rabbit, round_cone(m, {0.085, 0.27, 0.14}, 0.06, {0.075, 0.06, 0.2}, 0.045), 0.035);   // forelegs
    rabbit = blend_ellipsoid(rabbit, m, {0.075, 0.045, 0.225}, {0.045, 0.04, 0.06}, 0.02);                // paws
    rabbit = blend(rabbit, sphere(x, {0, 0.2, -0.36}, 0.085), 0.025);                                     // tail
    return rabbit;
}

}  // namespace pliant::recipes
