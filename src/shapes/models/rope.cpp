// A length of rope along x: three strands laid around each other, bound at both ends.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr Real half_length = 0.5, lay = 0.3;                       // lay: along which a strand goes once around
constexpr Real strand_radius = 0.029, strand_from_middle = 0.027;  // in the cut across the rope

// In each cut across the rope the strands are three discs, turned by 2 pi x / lay. Along x a disc moves by no more
// than its own way, so that dividing by the length of the strand a unit of rope makes this 1-Lipschitz.
Real strands(const Vec3& x) {
    const Real turn = 2 * pi / lay, angle = std::atan2(x.z(), x.y()) - turn * x.x();
    const Real across = std::hypot(x.y(), x.z()), third = 2 * pi / 3;
    Real rope = across - strand_from_middle;  // the core
    for (int i = 0; i < 3; ++i) {
        const Real c = std::cos(angle - i * third);
        const Real to_strand = across * across - 2 * across * strand_from_middle * c + square(strand_from_middle);
        rope = blend(rope, std::sqrt(std::max(Real(0), to_strand)) - strand_radius, 0.006);
    }
    return rope / std::sqrt(1 + square(turn * strand_from_middle));
}

}  // namespace

Real rope(const Vec3& x) {
    const Vec3 m = mirrored(x), along(1, 0, 0);
    const Real ends = cylinder(x, Vec3::Zero(), along, half_length, 0.1, 0);
    Real rope = smooth_overlap(strands(x), ends, 0.05);
    rope = blend(rope, cylinder(m, {half_length - 0.07, 0, 0}, along, 0.032, 0.062, 0.018), 0.01);  // binding
    return rope;
}

}  // namespace pliant::recipes
