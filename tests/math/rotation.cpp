#include "pliant/math/rotation.h"

#include <gtest/gtest.h>

#include <limits>

#include "math/sample_matrices.h"
#include "pliant/math/polar.h"
#include "pliant/math/rotation_vector.h"

namespace pliant {
namespace {

// The largest tr(R^T A) over rotations is the sum of the signed singular values.
Real largest_trace(const Mat3& A) {
    return svd(A).sigma.sum();
}
Real trace_with(const Quat& q, const Mat3& A) {
    return (q.toRotationMatrix().transpose() * A).trace();
}

bool is_unique(const Vec3& sigma) {
    return sigma.y() + sigma.z() > 1e-4 * sigma.x();
}

TEST(NearestRotation, IsTheSignedPolarRotationFromAnyStart) {
    MatrixSource source(1);
    for (const SampleSet& set : sample_sets(100)) {
        SCOPED_TRACE(set.name);
        for (const Mat3& A : set.matrices) {
            const Quat start(source.rotation());
            const RotationFit fit = nearest_rotation(A, start, 1e-8);
            EXPECT_NEAR(fit.rotation.norm(), 1, 1e-14);
            EXPECT_GE(trace_with(fit.rotation, A), largest_trace(A) - 1e-12 * A.norm()) << A;
            const Svd s = svd(A);
            if (!is_unique(s.sigma)) continue;
            EXPECT_LE((fit.rotation.toRotationMatrix() - polar(s).R).norm(), 1e-10) << A;
        }
    }
}

TEST(NearestRotation, NearStartsNeedOneOrTwoSteps) {
    MatrixSource source(2);
    for (int i = 0; i < 300; ++i) {
        const Mat3 R = source.rotation(), Q = source.rotation();
        const Mat3 A = R * Q * Vec3(1, 0.3, 0.1).asDiagonal() * Q.transpose();
        const Quat start = Quat(R) * rotation_from_vector(0.05 * source.vector().normalized());
        const RotationFit fit = nearest_rotation(A, start, 1e-2);
        EXPECT_LE(fit.iterations, 2);
        EXPECT_FALSE(fit.by_singular_values);
        EXPECT_LE(vector_from_rotation(fit.rotation * Quat(R).conjugate()).norm(), 1e-4);
    }
}

TEST(NearestRotation, AStartThatIsRightStays) {
    MatrixSource source(3);
    const Mat3 R = source.rotation();
    const RotationFit fit = nearest_rotation(R * Vec3(3, 2, 1).asDiagonal(), Quat(R));
    EXPECT_EQ(fit.iterations, 1);
    EXPECT_LE((fit.rotation.toRotationMatrix() - R).norm(), 1e-14);
}

TEST(NearestRotation, LeavesTheSaddleOfAHalfTurn) {
    // At a half turn about an axis of the stretch the gradient vanishes though tr(R^T A) is not largest.
    for (const Vec3& axis : {Vec3::UnitX().eval(), Vec3::UnitY().eval(), Vec3::UnitZ().eval()}) {
        const RotationFit fit = nearest_rotation(Vec3(3, 2, 1).asDiagonal(), rotation_from_vector(pi * axis));
        EXPECT_LE((fit.rotation.toRotationMatrix() - Mat3::Identity()).norm(), 1e-10);
    }
}

TEST(NearestRotation, ARankOneMatrixKeepsTheTwistOfTheStart) {
    const Quat start = rotation_from_vector(Vec3(0.7, 0, 0)) * rotation_from_vector(Vec3(0, 0.1, 0));
    const RotationFit fit = nearest_rotation(Vec3(1, 0, 0).asDiagonal(), start);
    EXPECT_NEAR(trace_with(fit.rotation, Vec3(1, 0, 0).asDiagonal()), 1, 1e-13);
    EXPECT_NEAR(vector_from_rotation(fit.rotation).x(), 0.7, 0.02);
}

TEST(NearestRotation, OfZeroIsTheStart) {
    const Quat start = rotation_from_vector(Vec3(0.4, -0.2, 1));
    EXPECT_LE((nearest_rotation(Mat3::Zero(), start).rotation.coeffs() - start.coeffs()).norm(), 1e-15);
}

TEST(NearestRotation, OfAnEntryThatIsNotFiniteIsTheStart) {
    const Quat start = rotation_from_vector(Vec3(0.4, -0.2, 1));
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
        Mat3 A = Mat3::Identity();
        A(2, 0) = bad;
        const RotationFit fit = nearest_rotation(A, start);
        EXPECT_EQ(fit.iterations, 0);
        EXPECT_FALSE(fit.by_singular_values);
        EXPECT_LE((fit.rotation.coeffs() - start.coeffs()).norm(), 1e-15);
    }
}

TEST(NearestRotation, AUselessStartIsTakenAsTheIdentity) {
    const Mat3 A = rotation_from_vector(Vec3(0.5, 1, 0)).toRotationMatrix();
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (const Quat& start : {Quat(0, 0, 0, 0), Quat(nan, 0, 0, 1), Quat(1e200, 0, 0, 0)}) {
        EXPECT_LE((nearest_rotation(A, start).rotation.toRotationMatrix() - A).norm(), 1e-12);
    }
}

TEST(NearestRotation, HugeAndTinyMatricesAreScaled) {
    MatrixSource source(5);
    for (const Real scale : {1e-300, 1e-150, 1e150, 1e300}) {
        const Mat3 R = source.rotation(), A = scale * R * Vec3(1, 0.7, 0.2).asDiagonal();
        EXPECT_LE((nearest_rotation(A, Quat::Identity()).rotation.toRotationMatrix() - R).norm(), 1e-12);
    }
}

template <class P>
void expect_pack_matches_polar(typename P::Scalar tolerance, Real error) {
    using T = typename P::Scalar;
    MatrixSource source(6);
    std::vector<Mat3> samples;
    for (const SampleSet& set : sample_sets(8)) samples.insert(samples.end(), set.matrices.begin(), set.matrices.end());
    while (samples.size() % P::width) samples.push_back(source.matrix());
    for (std::size_t first = 0; first < samples.size(); first += P::width) {
        Eigen::Matrix<T, 3, 3> matrices[P::width];
        for (int i = 0; i < P::width; ++i) matrices[i] = samples[first + i].template cast<T>();
        const auto fit =
            nearest_rotation(load_matrices<P>(matrices), WideQuat<P>{T(0.5), T(0.5), T(-0.5), T(0.5)}, tolerance);
        for (int i = 0; i < P::width; ++i) {
            const Quat q(fit.rotation.w[i], fit.rotation.x[i], fit.rotation.y[i], fit.rotation.z[i]);
            const Mat3 A = matrices[i].template cast<Real>();
            EXPECT_NEAR(q.norm(), 1, error);
            EXPECT_GE(trace_with(q.normalized(), A), largest_trace(A) - error * A.norm()) << A;
        }
    }
}

TEST(NearestRotation, PacksOfFloatAndDoubleReachTheLargestTrace) {
    expect_pack_matches_polar<Double4>(1e-8, 1e-12);
    expect_pack_matches_polar<Float8>(1e-4f, 2e-6);
}

TEST(NearestRotation, AMatrixDoesNotFeelTheOthersOfItsPack) {
    MatrixSource source(7);
    for (int i = 0; i < 50; ++i) {
        Mat3 matrices[4] = {source.matrix(), Mat3::Constant(std::numeric_limits<Real>::quiet_NaN()), -source.rotation(),
                            source.rotation()};
        const Quat start(source.rotation());
        const WideQuat<Double4> wide_start = {start.w(), start.x(), start.y(), start.z()};
        const auto fit = nearest_rotation(load_matrices<Double4>(matrices), wide_start, 1e-7);
        for (int k = 0; k < 4; ++k) {
            const RotationFit single = nearest_rotation(matrices[k], start, 1e-7);
            EXPECT_EQ(single.rotation.w(), fit.rotation.w[k]);
            EXPECT_EQ(single.rotation.x(), fit.rotation.x[k]);
            EXPECT_EQ(single.rotation.y(), fit.rotation.y[k]);
            EXPECT_EQ(single.rotation.z(), fit.rotation.z[k]);
            EXPECT_EQ(single.iterations, fit.iterations[k]);
        }
    }
}

TEST(NearestRotation, AnArrayGivesTheSameBitsAsItsMatrices) {
    MatrixSource source(8);
    for (const std::size_t size : {0, 1, 3, 4, 7, 8, 21}) {
        std::vector<Mat3> matrices(size);
        std::vector<Quat> rotations(size), expected(size);
        std::size_t iterations = 0;
        for (std::size_t i = 0; i < size; ++i) {
            matrices[i] = i % 5 == 4 ? Mat3(-source.rotation()) : source.matrix();
            rotations[i] = Quat(source.rotation());
            const RotationFit fit = nearest_rotation(matrices[i], rotations[i], 1e-6);
            expected[i] = fit.rotation;
            iterations += fit.iterations;
        }
        EXPECT_EQ(nearest_rotations(matrices, rotations, 1e-6), iterations);
        for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(rotations[i].coeffs(), expected[i].coeffs());
    }
}

}  // namespace
}  // namespace pliant
