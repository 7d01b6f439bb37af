#include "pliant/math/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace pliant {
namespace {

template <class Kernel>
class KernelTest : public testing::Test {};

template <class Tuple>
struct AsTypes;
template <class... Kernel>
struct AsTypes<std::tuple<Kernel...>> {
    using Types = testing::Types<Kernel...>;
};
TYPED_TEST_SUITE(KernelTest, AsTypes<Kernels>::Types);

TYPED_TEST(KernelTest, IntegratesToOneOverSpace) {
    // int_0^H 4 pi r^2 W dr by Simpson's rule; the number of intervals puts a node on every joint of the splines
    for (const Real H : {0.01, 1.0, 7.5}) {
        const int intervals = 2000;
        const Real dr = H / intervals;
        Real integral = 0;
        for (int i = 0; i <= intervals; ++i) {
            const Real r = i * dr, factor = i == 0 || i == intervals ? 1 : (i % 2 ? 4 : 2);
            integral += factor * dr / 3 * 4 * pi * r * r * TypeParam::value(r, H);
        }
        EXPECT_NEAR(integral, 1, 1e-9);
    }
}

TYPED_TEST(KernelTest, DerivativeAgreesWithFiniteDifferences) {
    const Real H = 1.3, step = 1e-5;
    for (Real r = 2 * step; r < 1.2 * H; r += 0.0137) {
        const Real slope = (TypeParam::value(r + step, H) - TypeParam::value(r - step, H)) / (2 * step);
        EXPECT_NEAR(TypeParam::derivative(r, H), slope, 1e-8) << "r = " << r;
    }
}

TYPED_TEST(KernelTest, VanishesSmoothlyAtTheSupportRadius) {
    const Real H = 0.7;
    for (const Real r : {H, 1.0000001 * H, 2 * H, 1e10, std::numeric_limits<Real>::infinity()}) {
        EXPECT_NEAR(TypeParam::value(r, H), 0, 1e-28);
        EXPECT_NEAR(TypeParam::derivative(r, H), 0, 1e-14);
    }
    EXPECT_GT(TypeParam::value(0.999999 * H, H), 0);
    EXPECT_LT(TypeParam::value(0.999999 * H, H), 1e-10);
    EXPECT_LT(std::abs(TypeParam::derivative(0.999999 * H, H)), 1e-4);
}

TYPED_TEST(KernelTest, FallsFromItsLargestValueAtTheCentre) {
    const Real H = 0.7;
    Real previous = TypeParam::value(0.0, H);
    EXPECT_TRUE(std::isfinite(previous) && previous > 0);
    EXPECT_TRUE(std::isfinite(TypeParam::derivative(0.0, H)));
    for (Real r = 0.01; r < H; r += 0.01) {
        const Real value = TypeParam::value(r, H);
        EXPECT_LT(value, previous);
        EXPECT_LT(TypeParam::derivative(r, H), 0);
        previous = value;
    }
}

TYPED_TEST(KernelTest, ScalesWithTheCubeOfTheRadius) {
    EXPECT_NEAR(TypeParam::value(0.3, 1.0), 8 * TypeParam::value(0.6, 2.0), 1e-14);
    EXPECT_NEAR(TypeParam::derivative(0.3, 1.0), 16 * TypeParam::derivative(0.6, 2.0), 1e-14);
}

TYPED_TEST(KernelTest, ADistanceThatIsNotANumberGivesZero) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_EQ(TypeParam::value(nan, 1.0), 0);
    EXPECT_EQ(TypeParam::derivative(nan, 1.0), 0);
    EXPECT_EQ(TypeParam::value(Double4(nan), 1.0)[0], 0);
}

template <class Kernel, class P>
void expect_packs_like_numbers(Real tolerance) {
    using T = typename P::Scalar;
    const Real H = 0.9;
    for (int k = 0; k < 20; ++k) {
        const P r = (simd::lane_numbers<P>() + P(T(k * P::width))) * P(T(1.1 * H / (20 * P::width)));
        const P value = Kernel::value(r, T(H)), derivative = Kernel::derivative(r, T(H));
        for (int i = 0; i < P::width; ++i) {
            EXPECT_NEAR(value[i], Kernel::value(Real(r[i]), H), tolerance * Kernel::value(0.0, H));
            EXPECT_NEAR(derivative[i], Kernel::derivative(Real(r[i]), H), tolerance * Kernel::value(0.0, H) / H * 4);
        }
    }
}

TYPED_TEST(KernelTest, PacksGiveWhatNumbersGive) {
    expect_packs_like_numbers<TypeParam, Double4>(1e-15);
    expect_packs_like_numbers<TypeParam, Float8>(1e-6);
}

TEST(CosineKernel, AgreesWithItsDefinition) {
    const Real H = 2.5, c = pi / (8 * square(square(H)) * (pi / 3 - 8 / pi + 16 / (pi * pi)));
    for (Real r = 0; r < H; r += 0.01) {
        const Real value = c * (2 * H / pi) * (std::cos((r + H) * pi / (2 * H)) + 1);
        EXPECT_NEAR(CosineKernel::value(r, H), value, 1e-16);
        EXPECT_NEAR(CosineKernel::derivative(r, H), -c * std::cos(pi * r / (2 * H)), 1e-16);
    }
    EXPECT_NEAR(CosineKernel::value(0.0, 1.0), 2.0516, 1e-4);
}

TEST(CubicSplineKernel, AgreesWithItsPiecewiseDefinition) {
    for (const Real q : {0.0, 0.2, 0.49, 0.5, 0.51, 0.9}) {
        const Real expected = 8 / pi * (q <= 0.5 ? 6 * (cube(q) - square(q)) + 1 : 2 * cube(1 - q));
        EXPECT_NEAR(CubicSplineKernel::value(q, 1.0), expected, 1e-15);
    }
}

TEST(KernelKind, EveryNameLeadsToItsKernel) {
    std::set<Real> values;
    for (const std::string_view name : kernel_names) {
        const auto kind = kernel_from_name(name);
        ASSERT_TRUE(kind.has_value());
        EXPECT_EQ(kernel_name(*kind), name);
        values.insert(with_kernel(*kind, [](auto kernel) { return kernel.value(0.3, 1.0); }));
    }
    EXPECT_EQ(values.size(), kernel_names.size());
    EXPECT_EQ(std::tuple_size_v<Kernels>, kernel_names.size());
    EXPECT_EQ(with_kernel(KernelKind::cosine, [](auto kernel) { return kernel.value(0.3, 1.0); }),
              CosineKernel::value(0.3, 1.0));
    EXPECT_FALSE(kernel_from_name("gauss").has_value());
}

}  // namespace
}  // namespace pliant
