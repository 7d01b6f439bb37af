#include "pliant/geometry/implicit.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pliant::implicit {
namespace {

class Dice {
public:
    Real real(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(engine_); }
    Vec3 point(Real reach) { return {real(-reach, reach), real(-reach, reach), real(-reach, reach)}; }
    Vec3 direction() {
        const Vec3 v = point(1);
        return v.norm() > 0.1 ? v.normalized() : Vec3::UnitX();
    }

private:
    std::mt19937 engine_{7};
};

using Solid = std::function<Real(const Vec3&)>;

const BentCone hook({0.1, 0, 0}, Vec3::UnitX(), Vec3::UnitY(), 0.3, 4.2, 0.1, 0.04);

std::vector<std::pair<std::string, Solid>> solids() {
    const Vec3 axis = Vec3(1, 2, -1).normalized();
    return {
        {"sphere",
         [](const Vec3& x) {
             return sphere(x, {0.1, 0, 0}, 0.3);
         }},
        {"ellipsoid",
         [](const Vec3& x) {
             return ellipsoid(x, {0, 0.1, 0}, {0.5, 0.1, 0.25});
         }},
        {"needle",
         [](const Vec3& x) {
             return ellipsoid(x, {0, 0.1, 0}, {0.01, 0.6, 0.01});
         }},
        {"round cone",
         [](const Vec3& x) {
             return round_cone(x, {0.1, 0, 0}, 0.2, {0.4, 0.3, 0}, 0.05);
         }},
        {"bent cone", [](const Vec3& x) { return hook.distance(x); }},
        {"capsule",
         [](const Vec3& x) {
             return capsule(x, {0.1, 0, 0}, {0.4, 0.3, 0}, 0.1);
         }},
        {"rounded box",
         [](const Vec3& x) {
             return rounded_box(x, {0, 0, 0.1}, {0.3, 0.1, 0.2}, 0.05);
         }},
        {"torus",
         [=](const Vec3& x) {
             return torus(x, {0, 0.1, 0}, axis, 0.4, 0.1);
         }},
        {"cylinder",
         [=](const Vec3& x) {
             return cylinder(x, {0, 0.1, 0}, axis, 0.4, 0.2, 0.05);
         }},
        {"thick triangle",
         [](const Vec3& x) {
             return thick_triangle(x, {0.1, 0, 0}, {0.4, 0.3, 0}, {-0.3, 0.2, 0.4}, 0.05);
         }},
        {"half-space",
         [=](const Vec3& x) {
             return half_space(x, {0, 0.1, 0}, axis);
         }},
    };
}

TEST(Implicit, EverySolidGrowsByAtMostOneMetreAMetre) {
    for (const auto& [name, solid] : solids()) {
        Dice dice;
        Real steepest = 0;
        for (int i = 0; i < 20000; ++i) {
            const Vec3 x = dice.point(0.8), y = x + (i % 2 ? 0.2 : 0.001) * dice.direction();
            steepest = std::max(steepest, std::abs(solid(x) - solid(y)) / (x - y).norm());
        }
        EXPECT_LT(steepest, name == "bent cone" ? 1 + 1e-3 : 1 + 1e-6) << name;
        EXPECT_GT(steepest, 0.95) << name;
    }
}

// A distance leads to the surface: d(x - d n) = 0 with n = grad d, outside.
TEST(Implicit, EverySolidLeadsToItsSurface) {
    for (const auto& [name, solid] : solids()) {
        Dice dice;
        for (int i = 0; i < 2000; ++i) {
            const Vec3 x = dice.point(0.8);
            const Real d = solid(x), step = 1e-6;
            if (d < 1e-3) continue;
            Vec3 n;
            for (int axis = 0; axis < 3; ++axis) {
                n[axis] = (solid(x + step * Vec3::Unit(axis)) - solid(x - step * Vec3::Unit(axis))) / (2 * step);
            }
            if (std::abs(n.norm() - 1) > 1e-3) continue;  // on a crease of the distance
            EXPECT_NEAR(solid(x - d * n), 0, 2e-4) << name << " from " << x.transpose();
        }
    }
}

// No point q = r s (|s| = 1) of the surface is nearer than the distance, and the foot of the distance is one of them.
TEST(Implicit, EllipsoidIsTheDistanceToItsNearestPoint) {
    Dice dice;
    for (int i = 0; i < 500; ++i) {
        const Vec3 radii(dice.real(0.05, 0.5), dice.real(0.05, 0.5), dice.real(0.05, 0.5));
        const Vec3 x = dice.point(i % 2 ? 1 : 0.2);
        const Real d = ellipsoid(x, Vec3::Zero(), radii);
        EXPECT_EQ(d < 0, x.cwiseQuotient(radii).norm() < 1);
        Real nearest = 1e9;
        for (int j = 0; j < 2000; ++j) nearest = std::min(nearest, (x - radii.cwiseProduct(dice.direction())).norm());
        EXPECT_GE(nearest, std::abs(d) - 1e-8);
        EXPECT_NEAR(nearest, std::abs(d), 0.1 * radii.maxCoeff());
    }
}

TEST(Implicit, EllipsoidIsDefinedAtItsCentreOnItsAxesAndFarAway) {
    const Vec3 radii(0.3, 0.1, 0.2);
    EXPECT_NEAR(ellipsoid(Vec3::Zero(), Vec3::Zero(), radii), -0.1, 1e-9);
    EXPECT_NEAR(ellipsoid({0.5, 0, 0}, Vec3::Zero(), radii), 0.2, 1e-9);
    EXPECT_NEAR(ellipsoid({0, 0.05, 0}, Vec3::Zero(), radii), -0.05, 1e-9);
    EXPECT_NEAR(ellipsoid({0, 0, -0.2}, Vec3::Zero(), radii), 0, 1e-9);
    EXPECT_NEAR(ellipsoid({1e6, 0, 0}, Vec3::Zero(), radii), 1e6 - 0.3, 1e-6);
    // Inside on the longest axis the nearest point lies off the axis: x = 0.01, q = (r^2 x / (r^2 - s^2), ...)
    const Real r = 0.3, s = 0.1, x = 0.01, along = r * r * x / (r * r - s * s);
    const Real expected = std::hypot(x - along, s * std::sqrt(1 - square(along / r)));
    EXPECT_NEAR(ellipsoid({x, 0, 0}, Vec3::Zero(), radii), -expected, 1e-9);
}

TEST(Implicit, EllipsoidWithEqualRadiiIsASphere) {
    Dice dice;
    for (int i = 0; i < 200; ++i) {
        const Vec3 x = dice.point(1);
        EXPECT_NEAR(ellipsoid(x, {0.1, 0, 0}, Vec3::Constant(0.3)), sphere(x, {0.1, 0, 0}, 0.3), 1e-8);
    }
}

TEST(Implicit, RoundConeIsTheUnionOfItsBalls) {
    Dice dice;
    const Vec3 a(0.1, 0.2, 0), b(0.5, 0, 0.3);
    for (int i = 0; i < 200; ++i) {
        const Vec3 x = dice.point(1);
        Real least = 1e9;
        for (int j = 0; j <= 5000; ++j) {
            const Real t = j / 5000.0;
            least = std::min(least, sphere(x, a + t * (b - a), 0.25 - t * 0.2));
        }
        EXPECT_NEAR(round_cone(x, a, 0.25, b, 0.05), least, 1e-6);
    }
}

TEST(Implicit, RoundConeWithOneBallInsideTheOtherIsTheLargerBall) {
    const Vec3 x(0.3, 0.4, 0), a = Vec3::Zero(), b(0.05, 0, 0);
    EXPECT_DOUBLE_EQ(round_cone(x, a, 0.2, b, 0.1), sphere(x, a, 0.2));
    EXPECT_DOUBLE_EQ(round_cone(x, b, 0.1, a, 0.2), sphere(x, a, 0.2));
    EXPECT_DOUBLE_EQ(round_cone(x, a, 0.2, a, 0.2), sphere(x, a, 0.2));
}

TEST(Implicit, BentConeIsTheUnionOfItsBalls) {
    Dice dice;
    for (int i = 0; i < 400; ++i) {
        const Vec3 x = dice.point(0.8);
        Real least = 1e9;
        for (int j = 0; j <= 5000; ++j) {
            const Real phi = j / 5000.0 * hook.angle();
            least = std::min(least, sphere(x, hook.point_at(phi), hook.radius_at(phi)));
        }
        EXPECT_NEAR(hook.distance(x), least, 1e-4) << x.transpose();
    }
}

TEST(Implicit, BentConeGoesOnWhereTheLastOneEnded) {
    const BentCone next = BentCone::after(hook, 0.7, 0.2, 1, 0.02);
    EXPECT_LT((next.point_at(0) - hook.point_at(hook.angle())).norm(), 1e-12);
    EXPECT_LT((next.direction_at(0) - hook.direction_at(hook.angle())).norm(), 1e-12);
    EXPECT_NEAR(next.radius_at(0), hook.radius_at(hook.angle()), 1e-12);
    EXPECT_NEAR(next.radius_at(next.angle()), 0.02, 1e-12);
    EXPECT_NEAR(next.direction_at(1).norm(), 1, 1e-12);
}

TEST(Implicit, ThickTriangleIsTheUnionOfItsBalls) {
    Dice dice;
    const Vec3 a(0.1, 0.2, 0), b(0.5, 0, 0.3), c(-0.2, 0.1, 0.4);
    for (int i = 0; i < 200; ++i) {
        const Vec3 x = dice.point(1);
        Real least = 1e9;
        for (int j = 0; j <= 200; ++j) {
            for (int k = 0; k <= 200 - j; ++k) {
                least = std::min(least, sphere(x, a + j / 200.0 * (b - a) + k / 200.0 * (c - a), 0.05));
            }
        }
        const Real d = thick_triangle(x, a, b, c, 0.05);
        EXPECT_LE(d, least + 1e-12);
        EXPECT_NEAR(d, least, 3e-3);
        EXPECT_NEAR(d, thick_triangle(x, b, a, c, 0.05), 1e-12);
    }
}

TEST(Implicit, ThickTriangleMayBeANeedleOrAPoint) {
    const Vec3 x(0.3, 0.4, 0), a = Vec3::Zero(), b(1, 0, 0);
    EXPECT_NEAR(thick_triangle(x, a, b, a, 0.1), capsule(x, a, b, 0.1), 1e-12);
    EXPECT_NEAR(thick_triangle(x, a, a, a, 0.1), sphere(x, a, 0.1), 1e-12);
}

TEST(Implicit, RoundedBoxKeepsItsSizeAndRoundsItsCorners) {
    const Vec3 half(0.3, 0.2, 0.1);
    EXPECT_NEAR(rounded_box({0.5, 0, 0}, Vec3::Zero(), half, 0.05), 0.2, 1e-12);
    EXPECT_NEAR(rounded_box(Vec3::Zero(), Vec3::Zero(), half, 0.05), -0.1, 1e-12);
    EXPECT_NEAR(rounded_box(half, Vec3::Zero(), half, 0.05), 0.05 * (std::sqrt(3.0) - 1), 1e-12);
    EXPECT_NEAR(rounded_box(half, Vec3::Zero(), half, 0), 0, 1e-12);
}

TEST(Implicit, CylinderAndTorusKeepTheirSize) {
    const Vec3 axis = Vec3::UnitY();
    EXPECT_NEAR(cylinder({0.5, 0, 0}, Vec3::Zero(), axis, 0.4, 0.2, 0.05), 0.3, 1e-12);
    EXPECT_NEAR(cylinder({0, 0.5, 0}, Vec3::Zero(), axis, 0.4, 0.2, 0.05), 0.1, 1e-12);
    EXPECT_NEAR(cylinder({0.2, 0.4, 0}, Vec3::Zero(), axis, 0.4, 0.2, 0.05), 0.05 * (std::sqrt(2.0) - 1), 1e-12);
    EXPECT_NEAR(torus(Vec3::Zero(), Vec3::Zero(), axis, 0.4, 0.1), 0.3, 1e-12);
    EXPECT_NEAR(torus({0, 0.3, 0.4}, Vec3::Zero(), axis, 0.4, 0.1), 0.2, 1e-12);
}

TEST(Implicit, BlendIsTheUnionAwayFromTheSeamAndAQuarterDeepInIt) {
    EXPECT_DOUBLE_EQ(blend(0.1, 0.3, 0.2), 0.1);
    EXPECT_DOUBLE_EQ(blend(0.3, 0.1, 0.2), 0.1);
    EXPECT_DOUBLE_EQ(blend(0.1, 0.1, 0.2), 0.05);
    EXPECT_DOUBLE_EQ(blend(0.1, 0.15, 0.2), blend(0.15, 0.1, 0.2));
    EXPECT_DOUBLE_EQ(smooth_overlap(0.1, 0.5, 0.2), overlap(0.1, 0.5));
    EXPECT_DOUBLE_EQ(smooth_overlap(0.1, 0.1, 0.2), 0.15);
    EXPECT_DOUBLE_EQ(smooth_cut(-0.1, 0.5, 0.2), cut(-0.1, 0.5));
    EXPECT_DOUBLE_EQ(smooth_cut(-0.1, -0.5, 0.2), 0.5);
}

TEST(Implicit, LeavingOutDistantPartsChangesNothing) {
    Dice dice;
    for (int i = 0; i < 20000; ++i) {
        const Vec3 x = dice.point(1), centre = dice.point(0.5), radii(0.1, 0.2, 0.05);
        const Real solid = sphere(x, Vec3::Zero(), 0.4), part = ellipsoid(x, centre, radii);
        EXPECT_DOUBLE_EQ(blend_ellipsoid(solid, x, centre, radii, 0.05), blend(solid, part, 0.05));
        EXPECT_DOUBLE_EQ(cut_ellipsoid(solid, x, centre, radii, 0.05), smooth_cut(solid, part, 0.05));
    }
}

TEST(Implicit, APartTurnsRightHanded) {
    const Vec3 pivot(0.1, 0.2, 0.3);
    // What the part has at pivot + x is found, once it is turned by 90 degrees about z, at pivot + y; and so on.
    EXPECT_LT((turned_about_z(pivot + Vec3::UnitY(), pivot, 90) - pivot - Vec3::UnitX()).norm(), 1e-12);
    EXPECT_LT((turned_about_x(pivot + Vec3::UnitZ(), pivot, 90) - pivot - Vec3::UnitY()).norm(), 1e-12);
    EXPECT_LT((turned_about_y(pivot + Vec3::UnitX(), pivot, 90) - pivot - Vec3::UnitZ()).norm(), 1e-12);
}

TEST(Implicit, MirroringMakesOnePartTwo) {
    const Vec3 left(-0.3, 0.1, 0.2), right(0.3, 0.1, 0.2);
    EXPECT_EQ(mirrored(left), right);
    EXPECT_EQ(mirrored(right), right);
    EXPECT_EQ(softly_mirrored(left, 0.01), softly_mirrored(right, 0.01));
    EXPECT_NEAR(softly_mirrored(left, 0.01).x(), 0.3, 2e-4);
    EXPECT_NEAR(softly_mirrored(Vec3::Zero(), 0.01).x(), 0.01, 1e-15);
}

}  // namespace
}  // namespace pliant::implicit
