// An octopus: a big head on eight arms that reach out over the floor and curl up at their ends.
#include <array>

#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr Real degree = pi / 180;

// An arm is three bends in a row: down from the body, flat on the floor, and a curl.
struct Arm {
    std::array<BentCone, 3> bends;
    Box box;  // around it
    Vec3 centre;
    Real radius;

    explicit Arm(const std::array<BentCone, 3>& b) : bends(b) {
        for (const BentCone& bend : bends) {
            for (int i = 0; i <= 40; ++i) box.extend(bend.point_at(i * bend.angle() / 40));
        }
        centre = box.center();
        radius = box.diagonal().norm() / 2 + bends[0].radius_at(0);
    }

    Real distance(const Vec3& x) const {
        return std::min({bends[0].distance(x), bends[1].distance(x), bends[2].distance(x)});
    }
};

// Azimuth from the front, length of the part on the floor, and how far the curl leans over.
Arm make_arm(Real azimuth, Real reach, Real lean) {
    const Vec3 outward(std::sin(azimuth), 0, std::cos(azimuth)), up(0, 1, 0);
    const Vec3 slope = (outward - up).normalized(), above = (outward + up).normalized();
    const BentCone root(0.12 * outward + 0.3 * up, slope, above, 0.4, 44 * degree, 0.1, 0.078);
    const BentCone middle = BentCone::after(root, lean / 4, 1, reach, 0.058);
    const BentCone curl = BentCone::after(middle, lean, 0.1, 250 * degree, 0.035);
    return Arm({root, middle, curl});
}

}  // namespace

Real octopus(const Vec3& x) {
    static const std::array<Arm, 4> arms = {
        make_arm(22 * degree, 0.2, -35 * degree), make_arm(67 * degree, 0.3, 40 * degree),
        make_arm(112 * degree, 0.24, -45 * degree), make_arm(158 * degree, 0.3, 35 * degree)};
    const Vec3 m = mirrored(x), soft = softly_mirrored(x, 0.02);

    Real octopus = ellipsoid(x, {0, 0.72, -0.06}, {0.28, 0.31, 0.29});                       // head
    octopus = blend_ellipsoid(octopus, x, {0, 0.38, 0}, {0.21, 0.2, 0.21}, 0.12);            // body
    octopus = blend_ellipsoid(octopus, m, {0.145, 0.51, 0.19}, {0.085, 0.095, 0.08}, 0.02);  // eyes
    octopus = cut_ellipsoid(octopus, m, {0.158, 0.517, 0.283}, {0.034, 0.04, 0.03}, 0.015);  // pupils
    for (const Arm& arm : arms) {
        octopus = blend_near(octopus, 0.05, soft, arm.centre, arm.radius, [&] { return arm.distance(soft); });
    }
    return octopus;
}

}  // namespace pliant::recipes
