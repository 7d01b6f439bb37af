#include "pliant/math/polar.h"

#include <gtest/gtest.h>

#include <limits>

#include "math/sample_matrices.h"

namespace pliant {
namespace {

TEST(Polar, RestoresEveryKindOfMatrix) {
    for (const SampleSet& set : sample_sets(200)) {
        SCOPED_TRACE(set.name);
        for (const Mat3& A : set.matrices) {
            const Polar p = polar(A);
            EXPECT_LE((p.R * p.S - A).norm(), 1e-14 * A.norm());
            EXPECT_LE((p.S - p.S.transpose()).norm(), 1e-14 * A.norm());
            EXPECT_LE((p.R.transpose() * p.R - Mat3::Identity()).norm(), 1e-14);
            EXPECT_NEAR(p.R.determinant(), 1, 1e-14);
        }
    }
}

TEST(Polar, FindsTheRotationThatWasPutIn) {
    MatrixSource source(2);
    for (int i = 0; i < 200; ++i) {
        const Mat3 R = source.rotation(), Q = source.rotation();
        for (const Vec3& stretch : {Vec3(2, 1, 0.5), Vec3(2, 1, -0.5), Vec3(1, 1, 1), Vec3(2, 1, 0)}) {
            const Mat3 S = Q * stretch.asDiagonal() * Q.transpose();
            EXPECT_LE((polar(R * S).R - R).norm(), 1e-13);
        }
    }
}

TEST(Polar, APackGivesWhatSingleMatricesGive) {
    MatrixSource source(4);
    Mat3 matrices[4], R[4], S[4];
    for (Mat3& A : matrices) A = source.matrix();
    const auto wide = polar(load_matrices<Double4>(matrices));
    store_matrices(R, wide.R);
    store_matrices(S, wide.S);
    for (int i = 0; i < 4; ++i) {
        EXPECT_LE((R[i] - polar(matrices[i]).R).norm(), 1e-14);
        EXPECT_LE((S[i] - polar(matrices[i]).S).norm(), 1e-14);
    }
}

TEST(Polar, AnEntryThatIsNotFiniteGivesTheIdentityRotation) {
    Mat3 A = Mat3::Identity();
    A(1, 2) = std::numeric_limits<Real>::infinity();
    EXPECT_EQ(polar(A).R, Mat3::Identity());
    EXPECT_TRUE(polar(A).S.array().isNaN().all());
}

}  // namespace
}  // namespace pliant
