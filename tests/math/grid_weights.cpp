#include "pliant/math/grid_weights.h"

#include <gtest/gtest.h>

#include <limits>

#include "math/sample_matrices.h"

namespace pliant {
namespace {

template <class Work>
void for_nodes(Work&& work) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) work(i, j, k);
        }
    }
}

TEST(QuadraticSpline, AgreesWithItsPiecewiseDefinition) {
    for (Real u = -2; u <= 2; u += 0.01) {
        const Real a = std::abs(u);
        const Real expected = a <= 0.5 ? 0.75 - a * a : (a <= 1.5 ? square(1.5 - a) / 2 : 0);
        EXPECT_NEAR(quadratic_spline(u), expected, 1e-15);
        const Real slope = a <= 0.5 ? -2 * u : (a <= 1.5 ? (u > 0 ? a - 1.5 : 1.5 - a) : 0);
        EXPECT_NEAR(quadratic_spline_derivative(u), slope, 1e-14);
    }
}

TEST(QuadraticSpline, IntegratesToOne) {
    const int intervals = 6000;  // Simpson's rule over [-1.5, 1.5], with nodes on the joints
    Real integral = 0;
    for (int i = 0; i <= intervals; ++i) {
        const Real factor = i == 0 || i == intervals ? 1 : (i % 2 ? 4 : 2);
        integral += factor / 3 * (3.0 / intervals) * quadratic_spline(-1.5 + 3.0 * i / intervals);
    }
    EXPECT_NEAR(integral, 1, 1e-12);
}

TEST(QuadraticSpline, PacksGiveWhatNumbersGive) {
    const Double4 u = simd::lane_numbers<Double4>() * Double4(0.7) - Double4(1.3);
    for (int i = 0; i < 4; ++i) {
        EXPECT_NEAR(quadratic_spline(u)[i], quadratic_spline(u[i]), 1e-16);
        EXPECT_NEAR(quadratic_spline_derivative(u)[i], quadratic_spline_derivative(u[i]), 1e-16);
    }
}

TEST(GridWeights, AddUpToOneAndReproduceLinearFields) {
    MatrixSource source(1);
    const Real h = 0.1;
    for (int n = 0; n < 500; ++n) {
        const Vec3 x = source.vector();
        const GridWeights grid(x, h);
        Real sum = 0;
        Vec3 gradient_sum = Vec3::Zero(), position = Vec3::Zero();
        Mat3 jacobian = Mat3::Zero();
        for_nodes([&](int i, int j, int k) {
            const Vec3 node = h * (grid.base + Eigen::Vector3i(i, j, k)).cast<Real>();
            EXPECT_GE(grid.weight(i, j, k), 0);
            sum += grid.weight(i, j, k);
            gradient_sum += grid.gradient(i, j, k);
            position += grid.weight(i, j, k) * node;
            jacobian += node * grid.gradient(i, j, k).transpose();
        });
        EXPECT_NEAR(sum, 1, 1e-14);
        EXPECT_LE(gradient_sum.norm(), 1e-12);
        EXPECT_LE((position - x).norm(), 1e-14);
        EXPECT_LE((jacobian - Mat3::Identity()).norm(), 1e-12);
    }
}

TEST(GridWeights, AreTheSplineOfTheDistanceToTheNode) {
    const Vec3 x(0.33, -1.27, 12.05);
    const Real h = 0.25;
    const GridWeights grid(x, h);
    for_nodes([&](int i, int j, int k) {
        const Vec3 u = x / h - (grid.base + Eigen::Vector3i(i, j, k)).cast<Real>();
        const Real expected = quadratic_spline(u.x()) * quadratic_spline(u.y()) * quadratic_spline(u.z());
        EXPECT_NEAR(grid.weight(i, j, k), expected, 1e-14);
    });
}

TEST(GridWeights, GradientAgreesWithFiniteDifferences) {
    const Vec3 x(0.03, 0.41, -0.2);
    const Real h = 0.25, step = 1e-6;
    const GridWeights grid(x, h);
    for (int axis = 0; axis < 3; ++axis) {
        const GridWeights after(x + step * Vec3::Unit(axis), h), before(x - step * Vec3::Unit(axis), h);
        ASSERT_EQ(after.base, before.base);
        for_nodes([&](int i, int j, int k) {
            const Real slope = (after.weight(i, j, k) - before.weight(i, j, k)) / (2 * step);
            EXPECT_NEAR(grid.gradient(i, j, k)[axis], slope, 1e-8);
        });
    }
}

TEST(GridWeights, ANodeChangeIsContinuous) {
    // Where the base moves on, the node that leaves and the one that enters have weight zero.
    const GridWeights before(Vec3(0.5 - 1e-12, 0, 0), 1), after(Vec3(0.5 + 1e-12, 0, 0), 1);
    EXPECT_EQ(after.base.x(), before.base.x() + 1);
    EXPECT_NEAR(before.axis[0].weight[0], 0, 1e-15);
    EXPECT_NEAR(after.axis[0].weight[2], 0, 1e-15);
    EXPECT_NEAR(before.axis[0].weight[1], after.axis[0].weight[0], 1e-11);
    EXPECT_NEAR(before.axis[0].weight[2], after.axis[0].weight[1], 1e-11);
}

TEST(GridWeights, APositionThatIsNowhereGivesNotANumber) {
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(), 1e300}) {
        const GridWeights grid(Vec3(0, bad, 0), 0.1);
        EXPECT_EQ(grid.base.y(), 0);
        EXPECT_TRUE(std::isnan(grid.weight(1, 1, 1)));
    }
}

}  // namespace
}  // namespace pliant
