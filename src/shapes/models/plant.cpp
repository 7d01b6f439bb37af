// A water plant: a slender bent stem on a foot of roots, and long pointed leaves that curve out and up.
#include <algorithm>
#include <array>
#include <utility>

#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/membrane.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr Real degree = pi / 180;

// A leaf is a bent blade, widest at a third of its length, on a rib that carries it from the stem to its tip.
struct Leaf {
    BentCone rib;
    Membrane blade{0.016};
    Vec3 centre;
    Real radius;  // of a ball around it

    // `side` is where the leaf turns to; the blade is rolled about its rib to face a little sideways.
    Leaf(const BentCone& bend, const Vec3& side, Real half_width, Real roll) : rib(bend) {
        const Vec3 level = rib.direction_at(0).cross(side);
        constexpr int sections = 9;
        std::vector<Vec3> left, right;
        Box box;
        for (int i = 0; i <= sections; ++i) {
            const Real t = i / Real(sections), phi = rib.angle() * t;
            const Real w =
                half_width * std::min(std::sin(pi / 2 * std::min(t / 0.3, Real(1))), std::pow((1 - t) / 0.65, 0.85));
            const Vec3 across = std::cos(roll) * level + std::sin(roll) * level.cross(rib.direction_at(phi));
            left.push_back(rib.point_at(phi) - w * across);
            right.push_back(rib.point_at(phi) + w * across);
            box.extend(left.back());
            box.extend(right.back());
        }
        blade.add_strip(left, right);
        centre = box.center();
        radius = box.diagonal().norm() / 2 + rib.radius_at(0);
    }

    Real distance(const Vec3& x) const { return blend(rib.distance(x), blade.distance(x), 0.01); }
};

// The stem leans to +x, and then back again and a little to the front.
struct Stem {
    BentCone lower{{0, 0.04, 0}, Vec3(-0.35, 1, 0).normalized(), Vec3(1, 0.35, 0).normalized(), 0.5, 40 * degree, 0.032,
                   0.027};
    BentCone upper = BentCone::after(lower, pi - 0.4, 0.4, 46 * degree, 0.023);

    Vec3 point_at(Real share) const {
        return share < 0.5 ? lower.point_at(2 * share * lower.angle())
                           : upper.point_at((2 * share - 1) * upper.angle());
    }
    Real distance(const Vec3& x) const { return std::min(lower.distance(x), upper.distance(x)); }
};

Leaf make_leaf(const Vec3& root, Real azimuth, Real elevation, Real length, Real turn, Real roll) {
    const Vec3 outward(std::sin(azimuth), 0, std::cos(azimuth)), up(0, 1, 0);
    const Vec3 direction = std::cos(elevation) * outward + std::sin(elevation) * up;
    const Vec3 side = std::cos(elevation) * up - std::sin(elevation) * outward;
    return {BentCone(root, direction, side, length / turn, turn, 0.022, 0.016), side, 0.038, roll};
}

// Each leaf stands a golden angle on from the one below it; the last one goes on where the stem ends.
std::vector<Leaf> make_leaves(const Stem& stem) {
    constexpr int count = 9;
    std::vector<Leaf> leaves;
    for (int i = 0; i < count; ++i) {
        const Real t = i / Real(count - 1);
        const Real elevation = (14 + 32 * t) * degree, length = 0.58 - 0.14 * t;
        leaves.push_back(make_leaf(stem.point_at(0.18 + 0.76 * t), 137.5 * degree * i, elevation, length,
                                   (60 - 20 * t) * degree, (i % 2 ? 50 : -50) * degree));
    }
    leaves.push_back(make_leaf(stem.point_at(1), 200 * degree, 72 * degree, 0.36, 25 * degree, 60 * degree));
    return leaves;
}

// A knob with roots that grip the ground, cut off flat below.
Real foot(const Vec3& x) {
    Real foot = ellipsoid(x, {0, 0.03, 0}, {0.075, 0.055, 0.075});
    for (int i = 0; i < 6; ++i) {
        const Real azimuth = (i * 60 + 20) * degree, reach = i % 2 ? 0.12 : 0.15;
        const Vec3 outward(std::sin(azimuth), 0, std::cos(azimuth));
        foot = blend(foot, round_cone(x, 0.04 * outward + Vec3(0, 0.04, 0), 0.036, reach * outward, 0.026), 0.02);
    }
    return smooth_overlap(foot, half_space(x, {0, -0.012, 0}, -Vec3::UnitY()), 0.01);
}

}  // namespace

Real plant(const Vec3& x) {
    static const Stem stem;
    static const std::vector<Leaf> leaves = make_leaves(stem);

    Real plant = stem.distance(x);
    plant = blend_near(plant, 0.03, x, {0, 0.03, 0}, 0.19, [&] { return foot(x); });
    for (const Leaf& leaf : leaves) {
        plant = blend_near(plant, 0.02, x, leaf.centre, leaf.radius, [&] { return leaf.distance(x); });
    }
    return plant;
}

}  // namespace pliant::recipes
