// A ball of strands that run around it and through it, with gaps between them.
#include <vector>

#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr int strand_count = 28;
constexpr Real ball_radius = 0.5, strand_radius = 0.034;

struct Strand {
    Vec3 centre, axis;  // of a ring
    Real radius;
};

// Rings with their axes spread evenly over the sphere, each moved along its axis so that it touches the ball from
// within: wide ones run around the ball's surface, narrow ones cross its inside.
std::vector<Strand> make_strands() {
    std::vector<Strand> strands;
    const Real golden_angle = pi * (3 - std::sqrt(Real(5)));
    for (int k = 0; k < strand_count; ++k) {
        const Real height = 1 - 2 * (k + Real(0.5)) / strand_count, azimuth = golden_angle * k;
        const Real across = std::sqrt(1 - height * height);
        const Vec3 axis(across * std::cos(azimuth), height, across * std::sin(azimuth));
        const Vec3 side = axis.unitOrthogonal();
        const Real room = ball_radius - strand_radius;
        const Real radius = room * (k % 2 == 0 ? 1 : Real(0.45) + Real(0.1) * Real(k % 5));
        strands.push_back({(room - radius) * side, axis, radius});
    }
    return strands;
}

}  // namespace

Real hairball(const Vec3& x) {
    static const std::vector<Strand> strands = make_strands();
    Real ball = sphere(x, Vec3::Zero(), 0.12);  // where they all are joined
    for (const Strand& strand : strands)
        ball = blend(ball, torus(x, strand.centre, strand.axis, strand.radius, strand_radius), 0.02);
    return ball;
}

}  // namespace pliant::recipes
