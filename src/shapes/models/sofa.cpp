// A sofa for two: seat cushions, back cushions and round arms on four short feet.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

Real sofa(const Vec3& x) {
    const Vec3 m = mirrored(x);

    Real sofa = rounded_box(x, {0, 0.24, 0}, {0.8, 0.13, 0.42}, 0.05);                         // base
    sofa = blend(sofa, rounded_box(m, {0.355, 0.43, 0.07}, {0.34, 0.095, 0.36}, 0.08), 0.02);  // cushions
    const Vec3 b = turned_about_x(m, {0, 0.4, -0.3}, -10);
    sofa = blend(sofa, rounded_box(b, {0.355, 0.68, -0.26}, {0.335, 0.27, 0.11}, 0.1), 0.02);  // their backs
    const Vec3 frame = turned_about_x(x, {0, 0.4, -0.4}, -10);
    sofa = blend(sofa, rounded_box(frame, {0, 0.55, -0.39}, {0.75, 0.38, 0.07}, 0.06), 0.02);  // back
    sofa = blend(sofa, rounded_box(m, {0.77, 0.4, -0.01}, {0.095, 0.23, 0.43}, 0.06), 0.02);   // arms
    sofa = blend(sofa, capsule(m, {0.79, 0.62, -0.33}, {0.79, 0.62, 0.33}, 0.13), 0.03);       // rolls
    return blend(sofa, rounded_box({m.x(), x.y(), std::abs(x.z())}, {0.7, 0.06, 0.32}, {0.07, 0.08, 0.07}, 0.03),
                 0.02);  // feet
}

}  // namespace pliant::recipes
