#include "pliant/math/rotation_vector.h"

#include <gtest/gtest.h>

#include "math/sample_matrices.h"

namespace pliant {
namespace {

TEST(RotationVector, GoesThereAndBackAtAllLengths) {
    MatrixSource source(1);
    for (const Real angle : {1e-300, 1e-160, 1e-20, 1e-9, 1e-5, 0.9e-4, 1.1e-4, 2.1e-4, 1e-2, 1.0, 3.0, pi - 1e-9}) {
        for (int i = 0; i < 20; ++i) {
            const Vec3 w = angle * source.vector().normalized();
            const Quat q = rotation_from_vector(w);
            EXPECT_NEAR(q.norm(), 1, 1e-15);
            EXPECT_LE((vector_from_rotation(q) - w).stableNorm(), 4e-15 * angle) << angle;
        }
    }
}

TEST(RotationVector, AgreesWithAngleAndAxis) {
    const Vec3 axis = Vec3(1, -2, 0.5).normalized();
    for (const Real angle : {1e-3, 0.01, 0.5, 3.0, 7.0, 100.0}) {
        const Mat3 expected = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
        EXPECT_LE((rotation_from_vector(angle * axis).toRotationMatrix() - expected).norm(), 1e-13);
    }
}

TEST(RotationVector, TakesTheShortWayRound) {
    EXPECT_NEAR(vector_from_rotation(rotation_from_vector(Vec3(0, 0, 6))).z(), 6 - 2 * pi, 1e-14);
    const Quat q = rotation_from_vector(Vec3(0, 1, 0));
    EXPECT_NEAR(vector_from_rotation(Quat(-q.coeffs())).y(), 1, 1e-15);
}

TEST(RotationVector, LengthOfTheQuaternionDoesNotMatter) {
    const Quat q = rotation_from_vector(Vec3(0.3, 1, -0.2));
    EXPECT_LE((vector_from_rotation(Quat(7 * q.coeffs())) - Vec3(0.3, 1, -0.2)).norm(), 1e-15);
}

TEST(RotationVector, NothingIsTheIdentity) {
    EXPECT_EQ(rotation_from_vector(Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
    EXPECT_EQ(vector_from_rotation(Quat::Identity()), Vec3::Zero());
    EXPECT_EQ(vector_from_rotation(Quat(0, 0, 0, 0)), Vec3::Zero());
}

TEST(RotationVector, HalfTurnsHaveLengthPi) {
    EXPECT_NEAR(vector_from_rotation(Quat(0, 0, 1, 0)).norm(), pi, 1e-15);
    EXPECT_NEAR(vector_from_rotation(Quat(0, 0, -1, 0)).norm(), pi, 1e-15);
}

TEST(RotationVector, SincIsSmoothAcrossItsSeries) {
    for (const Real x : {0.0, 1e-200, 1e-5, 0.0099999, 0.0100001, 0.1}) {
        EXPECT_NEAR(sinc(x), x == 0 ? 1 : std::sin(x) / x, 2e-16);
        EXPECT_EQ(sinc(x), sinc(-x));
    }
}

}  // namespace
}  // namespace pliant
