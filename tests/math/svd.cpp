#include "pliant/math/svd.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "math/sample_matrices.h"

namespace pliant {
namespace {

template <class T>
using Matrix = Eigen::Matrix<T, 3, 3>;

template <class T>
std::vector<Matrix<T>> cast(const std::vector<Mat3>& matrices) {
    std::vector<Matrix<T>> result;
    for (const Mat3& A : matrices) result.push_back(A.cast<T>());
    return result;
}

template <class T>
std::vector<SvdOf<T>> decompose(const std::vector<Matrix<T>>& matrices) {
    std::vector<SvdOf<T>> result(matrices.size());
    svd(std::span<const Matrix<T>>(matrices), std::span<SvdOf<T>>(result));
    return result;
}

Real distance_from_rotation(const Mat3& R) {
    return std::max((R.transpose() * R - Mat3::Identity()).norm(), std::abs(R.determinant() - 1));
}

template <class T>
void expect_valid(const Matrix<T>& matrix, const SvdOf<T>& result, Real tolerance) {
    const Mat3 A = matrix.template cast<Real>(), U = result.U.template cast<Real>(), V = result.V.template cast<Real>();
    const Vec3 sigma = result.sigma.template cast<Real>();
    const Real residual = (A - U * sigma.asDiagonal() * V.transpose()).norm();
    EXPECT_LE(residual, tolerance * A.norm()) << A;
    EXPECT_LE(distance_from_rotation(U), tolerance) << A;
    EXPECT_LE(distance_from_rotation(V), tolerance) << A;
    EXPECT_GE(sigma.x(), sigma.y());
    EXPECT_GE(sigma.y(), std::abs(sigma.z()));
}

template <class T>
bool same_bits(const SvdOf<T>& a, const SvdOf<T>& b) {
    return std::memcmp(&a, &b, sizeof(a)) == 0;
}

TEST(Svd, RestoresEveryKindOfMatrixInDouble) {
    for (const SampleSet& set : sample_sets(500)) {
        SCOPED_TRACE(set.name);
        const auto results = decompose<double>(set.matrices);
        for (std::size_t i = 0; i < results.size(); ++i) expect_valid(set.matrices[i], results[i], 1e-14);
    }
}

TEST(Svd, RestoresEveryKindOfMatrixInFloat) {
    for (const SampleSet& set : sample_sets(500)) {
        SCOPED_TRACE(set.name);
        const auto matrices = cast<float>(set.matrices);
        const auto results = decompose<float>(matrices);
        for (std::size_t i = 0; i < results.size(); ++i) expect_valid(matrices[i], results[i], 3e-6);
    }
}

TEST(Svd, AgreesWithEigenUpToTheSignOfTheLastValue) {
    MatrixSource source(1);
    for (int i = 0; i < 1000; ++i) {
        const Mat3 A = source.matrix();
        Vec3 expected = Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
        if (A.determinant() < 0) expected.z() = -expected.z();
        EXPECT_LE((svd(A).sigma - expected).norm(), 1e-13 * expected.x());
    }
}

TEST(Svd, SmallValuesOfADiagonalMatrixKeepAllTheirDigits) {
    const Vec3 sigma = svd(Vec3(-1e-20, 1, 3e-40).asDiagonal()).sigma;
    EXPECT_DOUBLE_EQ(sigma.x(), 1);
    EXPECT_DOUBLE_EQ(sigma.y(), 1e-20);
    EXPECT_DOUBLE_EQ(sigma.z(), -3e-40);
}

TEST(Svd, OneMatrixAtATimeGivesTheSameBitsAsAnArray) {
    for (const SampleSet& set : sample_sets(37)) {
        const auto results = decompose<double>(set.matrices);
        for (std::size_t i = 0; i < results.size(); ++i) {
            EXPECT_TRUE(same_bits(svd(set.matrices[i]), results[i])) << set.name << "\n" << set.matrices[i];
        }
    }
}

template <class T>
void expect_independence_of_neighbours() {
    std::vector<Mat3> mixed = {Mat3::Constant(std::numeric_limits<Real>::quiet_NaN())};
    for (const SampleSet& set : sample_sets(40)) mixed.insert(mixed.end(), set.matrices.begin(), set.matrices.end());
    const auto together = decompose<T>(cast<T>(mixed));
    std::vector<std::size_t> order(mixed.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    std::vector<Matrix<T>> shuffled;
    for (const std::size_t i : order) shuffled.push_back(mixed[i].cast<T>());
    const auto results = decompose<T>(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_TRUE(same_bits(results[i], together[order[i]])) << mixed[order[i]];
    }
}

TEST(Svd, AMatrixDoesNotFeelTheOthersOfItsPack) {
    expect_independence_of_neighbours<double>();
    expect_independence_of_neighbours<float>();
}

TEST(Svd, HugeAndTinyMatricesAreScaled) {
    MatrixSource source(3);
    for (const Real scale : {0x1p500, 0x1p1000, 0x1p-500, 0x1p-1000, 1e150, 1e-150, 1e300, 1e-300}) {
        const Mat3 A = source.matrix(), scaled = scale * A;
        const Svd result = svd(scaled);
        expect_valid<double>(scaled / scale, {result.U, result.sigma / scale, result.V}, 1e-14);
    }
    const Svdf f = decompose<float>({Matrix<float>(1e30f * source.matrix().cast<float>())})[0];
    EXPECT_TRUE(f.sigma.allFinite());
}

TEST(Svd, SubnormalEntriesStillGiveRotations) {
    const Mat3 A = Mat3::Constant(5e-324);
    const Svd result = svd(A);
    EXPECT_LE(distance_from_rotation(result.U), 1e-14);
    EXPECT_LE(distance_from_rotation(result.V), 1e-14);
    EXPECT_LE((A - result.U * result.sigma.asDiagonal() * result.V.transpose()).norm(), 1e-322);
}

TEST(Svd, AnEntryThatIsNotFiniteGivesNotANumberAndIdentities) {
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(),
                           -std::numeric_limits<Real>::infinity()}) {
        for (int k = 0; k < 9; ++k) {
            Mat3 A = Mat3::Random();
            A.data()[k] = bad;
            const Svd result = svd(A);
            EXPECT_TRUE(result.sigma.array().isNaN().all());
            EXPECT_EQ(result.U, Mat3::Identity());
            EXPECT_EQ(result.V, Mat3::Identity());
            const Svdf single = decompose<float>({A.cast<float>()})[0];
            EXPECT_TRUE(single.sigma.array().isNaN().all());
            EXPECT_EQ(single.U, Matrix<float>::Identity());
        }
    }
}

TEST(Svd, AnEmptyArrayIsFine) {
    EXPECT_TRUE(decompose<double>({}).empty());
}

}  // namespace
}  // namespace pliant
