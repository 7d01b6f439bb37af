#include "pliant/output/ellipsoid.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace pliant {
namespace {

using Eigen::Matrix3f;
using Eigen::Vector3f;

TEST(Ellipsoids, OfTheIdentityAreBalls) {
    const Ellipsoid ball({1, 0, 0}, 0.5f, Matrix3f::Identity());
    EXPECT_NEAR(ball.distance({-1, 0, 0}, {1, 0, 0}, 0, 100), 1.5f, 1e-5f);
    EXPECT_NEAR(ball.distance({1, 0, 0}, {1, 0, 0}, 0, 100), 0.5f, 1e-5f) << "from within: the far side";
    EXPECT_LT(ball.distance({-1, 0.51f, 0}, {1, 0, 0}, 0, 100), 0);
    EXPECT_LT(ball.distance({-1, 0, 0}, {-1, 0, 0}, 0, 100), 0);
    EXPECT_LT(ball.distance({-1, 0, 0}, {1, 0, 0}, 0, 1), 0) << "beyond the end of the ray";
    EXPECT_TRUE(ball.normal({1, 0.5f, 0}).isApprox(Vector3f(0, 1, 0)));
    EXPECT_TRUE(ball.half_extent.isApprox(Vector3f::Constant(0.5f), 1e-3f));
}

// Points of { c + r F u } lie on the surface, for a stretch, a shear and a turn.
TEST(Ellipsoids, ContainTheImageOfTheSphere) {
    const Matrix3f turn = Eigen::AngleAxisf(0.7f, Vector3f(1, 2, 3).normalized()).toRotationMatrix();
    Matrix3f F;
    F << 1.5f, 0.3f, 0, 0, 0.8f, 0, 0, -0.2f, 0.6f;
    const Ellipsoid e({1, 2, 3}, 0.1f, F * turn);
    for (const Vector3f& u : {Vector3f(1, 0, 0), Vector3f(0.6f, 0.8f, 0), Vector3f(0, -0.6f, 0.8f)}) {
        const Vector3f offset = 0.1f * F * u;
        const Vector3f direction = offset.normalized();
        EXPECT_NEAR(e.distance(e.centre + 5 * direction, -direction, 0, 100), 5 - offset.norm(), 1e-4f);
        EXPECT_TRUE((offset.cwiseAbs().array() <= e.half_extent.array()).all());
    }
}

TEST(Ellipsoids, KeepAThicknessWhenFlattened) {
    const Ellipsoid disc(Vector3f::Zero(), 1, Vector3f(1, 0, 1).asDiagonal());
    EXPECT_NEAR(disc.distance({0, 2, 0}, {0, -1, 0}, 0, 100), 1.95f, 1e-4f);
    const Ellipsoid nothing(Vector3f::Zero(), 1, Matrix3f::Zero());
    EXPECT_NEAR(nothing.distance({0, 2, 0}, {0, -1, 0}, 0, 100), 1.95f, 1e-4f);
}

TEST(Ellipsoids, DoNotGrowWithoutBounds) {
    const Ellipsoid torn(Vector3f::Zero(), 1, Vector3f(1e5f, 1, 1).asDiagonal());
    EXPECT_NEAR(torn.half_extent.x(), 4, 0.01f);
}

TEST(Ellipsoids, AreBallsWhenTheDeformationIsNotFinite) {
    for (const float bad : {NAN, INFINITY, 1e30f}) {
        const Ellipsoid ball(Vector3f::Zero(), 1, Matrix3f::Constant(bad));
        EXPECT_NEAR(ball.distance({0, 2, 0}, {0, -1, 0}, 0, 100), 1, 1e-4f);
    }
}

}  // namespace
}  // namespace pliant
