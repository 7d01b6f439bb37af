#include "pliant/math/simd.h"

#include <gtest/gtest.h>

#include <limits>

#include "pliant/math/simd_pair.h"
#include "pliant/math/wide.h"

namespace pliant {
namespace {

template <class P>
class SimdTest : public testing::Test {
public:
    static P ramp(typename P::Scalar first, typename P::Scalar step) {
        return P(first) + simd::lane_numbers<P>() * P(step);
    }
};
using Packs = testing::Types<Float8, Double4>;
TYPED_TEST_SUITE(SimdTest, Packs);

// Checks wide(a, b) against plain(a_i, b_i) for every lane, to the last bit.
template <class P, class Wide, class Plain>
void expect_lanes(P a, P b, Wide&& wide, Plain&& plain) {
    const P result = wide(a, b);
    for (int i = 0; i < P::width; ++i) EXPECT_EQ(result[i], plain(a[i], b[i])) << "lane " << i;
}

TYPED_TEST(SimdTest, EveryLaneDoesWhatANumberDoes) {
    using P = TypeParam;
    using T = typename P::Scalar;
    const P a = this->ramp(-2, T(0.7)), b = this->ramp(3, T(-0.9));
    expect_lanes(
        a, b, [](P x, P y) { return x + y; }, [](T x, T y) { return x + y; });
    expect_lanes(
        a, b, [](P x, P y) { return x - y; }, [](T x, T y) { return x - y; });
    expect_lanes(
        a, b, [](P x, P y) { return x * y; }, [](T x, T y) { return x * y; });
    expect_lanes(
        a, b, [](P x, P y) { return x / y; }, [](T x, T y) { return x / y; });
    expect_lanes(
        a, b, [](P x, P) { return -x; }, [](T x, T) { return -x; });
    expect_lanes(
        a, b, [](P x, P y) { return min(x, y); }, [](T x, T y) { return std::min(x, y); });
    expect_lanes(
        a, b, [](P x, P y) { return max(x, y); }, [](T x, T y) { return std::max(x, y); });
    expect_lanes(
        a, b, [](P x, P) { return abs(x); }, [](T x, T) { return std::abs(x); });
    expect_lanes(
        a, b, [](P x, P) { return sqrt(abs(x)); }, [](T x, T) { return std::sqrt(std::abs(x)); });
    expect_lanes(
        a, b, [](P x, P y) { return times_sign(x, y); }, [](T x, T y) { return y < 0 ? -x : x; });
    expect_lanes(
        a, b, [](P x, P y) { return select(x < y, x, y * y); }, [](T x, T y) { return x < y ? x : y * y; });
    expect_lanes(
        a, b, [](P x, P y) { return keep(x >= y, x); }, [](T x, T y) { return x >= y ? x : 0; });
}

TYPED_TEST(SimdTest, FusedProductIsExactForSmallIntegers) {
    using P = TypeParam;
    const P a = this->ramp(1, 1), b = this->ramp(-3, 2);
    const P plus = fma(a, b, P(5)), minus = fnma(a, b, P(5));
    for (int i = 0; i < P::width; ++i) {
        EXPECT_EQ(plus[i], (1 + i) * (2 * i - 3) + 5);
        EXPECT_EQ(minus[i], 5 - (1 + i) * (2 * i - 3));
    }
}

TYPED_TEST(SimdTest, MasksKnowAnyAllAndNone) {
    using P = TypeParam;
    const P a = this->ramp(0, 1);
    EXPECT_TRUE(all(a >= P(0)));
    EXPECT_FALSE(all(a > P(0)));
    EXPECT_TRUE(any(a > P(0)));
    EXPECT_TRUE(none(a < P(0)));
    EXPECT_TRUE(all((a < P(1)) | !(a < P(1))));
    EXPECT_TRUE(none((a < P(1)) & (a > P(1))));
    const auto first = simd::first_lanes<P>(3);
    for (int i = 0; i < P::width; ++i) EXPECT_EQ(first[i], i < 3);
}

TYPED_TEST(SimdTest, ComparisonsWithNotANumberAreFalse) {
    using P = TypeParam;
    const P nan(std::numeric_limits<typename P::Scalar>::quiet_NaN()), one(1);
    EXPECT_TRUE(none(nan < one) && none(nan <= one) && none(nan > one) && none(nan >= one) && none(nan == nan));
    EXPECT_TRUE(all(nan != nan));
    EXPECT_EQ(max(nan, one)[0], 1);
    EXPECT_EQ(min(nan, one)[0], 1);
}

TYPED_TEST(SimdTest, LoadsAndStoresNeedNoAlignment) {
    using P = TypeParam;
    using T = typename P::Scalar;
    T numbers[3 * P::width];
    for (int i = 0; i < 3 * P::width; ++i) numbers[i] = T(i);
    const P p = simd::load<P>(numbers + 1);
    for (int i = 0; i < P::width; ++i) EXPECT_EQ(p[i], i + 1);
    store(numbers + 3, p);
    EXPECT_EQ(numbers[2], 2);
    EXPECT_EQ(numbers[3], 1);
    EXPECT_EQ(numbers[2 + P::width], P::width);
    EXPECT_EQ(numbers[3 + P::width], T(3 + P::width));
    alignas(32) T aligned[P::width];
    store_aligned(aligned, p);
    EXPECT_EQ(sum(simd::load_aligned<P>(aligned)), sum(p));
}

TYPED_TEST(SimdTest, PartOfAPackReadsAndWritesNoMoreThanThat) {
    using P = TypeParam;
    using T = typename P::Scalar;
    for (int count = 0; count <= P::width; ++count) {
        std::vector<T> numbers(count, T(7));  // the address checker guards both ends
        const P p = simd::load_some<P>(numbers.data(), count);
        EXPECT_EQ(sum(p), 7 * count);
        store_some(numbers.data(), p + P(1), count);
        for (const T x : numbers) EXPECT_EQ(x, 8);
    }
}

TYPED_TEST(SimdTest, GatherPicksByIndex) {
    using P = TypeParam;
    using T = typename P::Scalar;
    const T numbers[] = {10, 11, 12, 13, 14, 15, 16, 17};
    const int index[] = {7, 0, 3, 3, 2, 1, 6, 5};
    const P p = simd::gather<P>(numbers, index);
    for (int i = 0; i < P::width; ++i) EXPECT_EQ(p[i], 10 + index[i]);
}

TYPED_TEST(SimdTest, SumAddsHalvesInAFixedOrder) {
    using P = TypeParam;
    using T = typename P::Scalar;
    const T big = T(1) / std::numeric_limits<T>::epsilon();
    P p(0);  // any other order would lose the ones or keep them
    p.set(0, big);
    p.set(P::width / 2, -big);
    p.set(1, 1);
    EXPECT_EQ(sum(p), 1);
    EXPECT_EQ(sum(this->ramp(1, 1)), P::width * (P::width + 1) / 2);
}

TYPED_TEST(SimdTest, PowersOfTwoAreFoundAndInvertedExactly) {
    using P = TypeParam;
    using T = typename P::Scalar;
    for (const T x : {T(1), T(1.99), T(2), T(1e-30), T(3e30)}) {
        const T power = power_of_two_below(P(x))[0];
        EXPECT_LE(power, x);
        EXPECT_GT(2 * power, x);
        EXPECT_EQ(power * reciprocal_of_power(P(power))[0], 1);
    }
}

TYPED_TEST(SimdTest, TheSquareIsTransposed) {
    using P = TypeParam;
    constexpr int N = P::width;
    P rows[N];
    for (int i = 0; i < N; ++i) rows[i] = this->ramp(typename P::Scalar(100 * i), 1);
    transpose_square(rows);
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < N; ++k) EXPECT_EQ(rows[i][k], 100 * k + i);
    }
}

TYPED_TEST(SimdTest, MatricesGoInAndOutUnchanged) {
    using P = TypeParam;
    using Matrix = Eigen::Matrix<typename P::Scalar, 3, 3>;
    std::vector<Matrix> matrices(P::width), back(P::width);
    for (auto& m : matrices) m = Matrix::Random();
    const WideMat3<P> wide = load_matrices<P>(matrices.data());
    for (int i = 0; i < P::width; ++i) {
        EXPECT_EQ(wide.column[2].y[i], matrices[i](1, 2));
        EXPECT_EQ(wide.column[0].z[i], matrices[i](2, 0));
    }
    store_matrices(back.data(), wide);
    EXPECT_EQ(matrices, back);
}

TYPED_TEST(SimdTest, WideProductsAreMatrixProducts) {
    using P = TypeParam;
    using Matrix = Eigen::Matrix<typename P::Scalar, 3, 3>;
    std::vector<Matrix> a(P::width), b(P::width), ab(P::width), atb(P::width);
    for (auto& m : a) m = Matrix::Random();
    for (auto& m : b) m = Matrix::Random();
    const auto A = load_matrices<P>(a.data()), B = load_matrices<P>(b.data());
    store_matrices(ab.data(), A * B);
    store_matrices(atb.data(), transpose_times(A, B));
    const auto tolerance = 8 * std::numeric_limits<typename P::Scalar>::epsilon();
    for (int i = 0; i < P::width; ++i) {
        EXPECT_LE((ab[i] - a[i] * b[i]).norm(), tolerance);
        EXPECT_LE((atb[i] - a[i].transpose() * b[i]).norm(), tolerance);
    }
}

// Of any rotation: by half a turn, where w is 0, about each axis, and back and forth.
TYPED_TEST(SimdTest, QuaternionsAreThoseOfTheirMatrices) {
    using P = TypeParam;
    using S = typename P::Scalar;
    using Matrix = Eigen::Matrix<S, 3, 3>;
    using Axis = Eigen::Matrix<S, 3, 1>;
    std::vector<Matrix> rotations = {Matrix::Identity()};
    for (const Axis& axis : {Axis(1, 0, 0), Axis(0, 1, 0), Axis(0, 0, 1), Axis(1, 1, 0), Axis(-1, 2, -3)}) {
        for (const double angle : {3.14159265358979323846, 3.1415, -2.0, 1e-5, 0.7}) {
            rotations.push_back(Eigen::AngleAxis<S>(S(angle), axis.normalized()).toRotationMatrix());
        }
    }
    while (rotations.size() % P::width != 0) rotations.push_back(Matrix::Identity());
    const S tolerance = 16 * std::numeric_limits<S>::epsilon();
    for (std::size_t k = 0; k < rotations.size(); k += P::width) {
        const auto q = quaternion_of(load_matrices<P>(&rotations[k]));
        std::vector<Matrix> back(P::width);
        store_matrices(back.data(), rotation_matrix(q, P(1)));
        for (int i = 0; i < P::width; ++i) {
            EXPECT_NEAR(squared_length(q)[i], 1, tolerance);
            EXPECT_LE((back[std::size_t(i)] - rotations[k + std::size_t(i)]).norm(), tolerance) << back[std::size_t(i)];
        }
    }
}

TYPED_TEST(SimdTest, APairIsTwoPacks) {
    using P = TypeParam;
    using Pair = simd::PackPair<P>;
    const Pair x(this->ramp(1, 1), this->ramp(-5, 2)), y(P(2), P(3));
    const Pair z = select(x < y, sqrt(abs(x * y)), fma(x, y, Pair(1)) / y);
    const auto one = [](P u, P v) { return select(u < v, sqrt(abs(u * v)), fma(u, v, P(1)) / v); };
    EXPECT_TRUE(all(z.a == one(x.a, y.a)));
    EXPECT_TRUE(all(z.b == one(x.b, y.b)));
    EXPECT_TRUE(any(x < y));
    EXPECT_FALSE(all(x < y));
}

}  // namespace
}  // namespace pliant
