#include "pliant/math/symmetric.h"

#include <gtest/gtest.h>

#include <limits>

#include "math/sample_matrices.h"

namespace pliant {
namespace {

Mat3 symmetric_with(const Mat3& vectors, const Vec3& values) {
    const Mat3 A = vectors * values.asDiagonal() * vectors.transpose();
    return (A + A.transpose()) / 2;
}

TEST(SymmetricEigen, RestoresTheMatrixFromSortedValues) {
    for (const SampleSet& set : sample_sets(200)) {
        SCOPED_TRACE(set.name);
        for (const Mat3& sample : set.matrices) {
            const Mat3 A = (sample + sample.transpose()) / 2;
            const SymmetricEigen e = symmetric_eigen(A);
            EXPECT_LE((A - symmetric_with(e.vectors, e.values)).norm(), 1e-14 * A.norm());
            EXPECT_LE((e.vectors.transpose() * e.vectors - Mat3::Identity()).norm(), 1e-14);
            EXPECT_NEAR(e.vectors.determinant(), 1, 1e-14);
            EXPECT_GE(e.values[0], e.values[1]);
            EXPECT_GE(e.values[1], e.values[2]);
        }
    }
}

TEST(SymmetricEigen, HugeAndTinyMatricesAreScaled) {
    MatrixSource source(5);
    const Mat3 R = source.rotation();
    for (const Real scale : {0x1p1000, 0x1p-1000}) {
        const SymmetricEigen e = symmetric_eigen(scale * symmetric_with(R, {3, 2, -1}));
        EXPECT_LE((e.values / scale - Vec3(3, 2, -1)).norm(), 1e-14);
    }
}

TEST(SymmetricEigen, AnEntryThatIsNotFiniteGivesNotANumber) {
    Mat3 A = Mat3::Identity();
    A(2, 1) = std::numeric_limits<Real>::infinity();
    const SymmetricEigen e = symmetric_eigen(A);
    EXPECT_TRUE(e.values.array().isNaN().all());
    EXPECT_EQ(e.vectors, Mat3::Identity());
}

TEST(PseudoInverse, AgreesWithTheDefinitionForAllRanks) {
    MatrixSource source(6);
    const Real tau = 2e-2;
    for (int i = 0; i < 2000; ++i) {
        const Vec3 values =
            Vec3(1, std::pow(10, -3 * std::abs(source.number())), std::pow(10, -3 * std::abs(source.number())));
        const Mat3 R = source.rotation();
        const Mat3 K = symmetric_with(R, values);
        const auto is_kept = (values.array() > tau).cast<Real>();
        if (((values.array() / tau - 1).abs() < 1e-9).any()) continue;
        const PseudoInverse result = pseudo_inverse(K, tau);
        EXPECT_EQ(result.rank, int(is_kept.sum()));
        EXPECT_LE((result.inverse - symmetric_with(R, is_kept / values.array())).norm(), 1e-11);
        EXPECT_LE((result.projector - symmetric_with(R, is_kept)).norm(), 1e-12);
        EXPECT_LE((result.inverse * K - result.projector).norm(), 1e-11);
    }
}

TEST(PseudoInverse, TheShortWayNeverTakesWhatMustBeTruncated) {
    // Down to the very edge of the bound 4 det > tau T^3, the smallest eigenvalue must exceed tau times the largest.
    const Real tau = 2e-2;
    for (Real middle = 0; middle <= 1; middle += 0.01) {
        for (Real least = 0; least <= middle; least += 0.001) {
            if (std::abs(least - tau) < 1e-9) continue;
            const int expected = 1 + (middle > tau) + (least > tau);
            EXPECT_EQ(pseudo_inverse(Vec3(middle, 1, least).asDiagonal(), tau).rank, expected);
        }
    }
}

TEST(PseudoInverse, DoesNotDependOnTheUnitOfLength) {
    MatrixSource source(8);
    for (const Vec3& values : {Vec3(1, 0.8, 0.6), Vec3(1, 0.5, 1e-3), Vec3(1, 1e-3, 0)}) {
        const Mat3 K = symmetric_with(source.rotation(), values);
        const PseudoInverse expected = pseudo_inverse(K);
        for (const Real scale : {1e-6, 1e-150, 1e-250, 1e150, 1e250}) {
            const PseudoInverse result = pseudo_inverse(scale * K);
            EXPECT_EQ(result.rank, expected.rank);
            EXPECT_LE((result.inverse * scale - expected.inverse).norm(), 1e-10);
            EXPECT_LE((result.projector - expected.projector).norm(), 1e-10);
        }
    }
}

TEST(PseudoInverse, OfNothingIsNothing) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN(), infinity = std::numeric_limits<Real>::infinity();
    for (const Mat3& K : {Mat3(Mat3::Zero()), Mat3(Mat3::Constant(nan)), Mat3(Vec3(1, infinity, 1).asDiagonal()),
                          Mat3(-Mat3::Identity()), Mat3(1e-310 * Mat3::Identity())}) {
        const PseudoInverse result = pseudo_inverse(K);
        EXPECT_EQ(result.rank, 0);
        EXPECT_EQ(result.inverse, Mat3::Zero());
        EXPECT_EQ(result.projector, Mat3::Zero());
    }
}

TEST(PseudoInverse, TwoNegativeEigenvaluesAreNotMistakenForAPositiveDeterminant) {
    const PseudoInverse result = pseudo_inverse(Vec3(-1, 3, -1).asDiagonal());
    EXPECT_EQ(result.rank, 1);
    EXPECT_LE((result.projector - Mat3(Vec3(0, 1, 0).asDiagonal())).norm(), 1e-15);
}

}  // namespace
}  // namespace pliant
