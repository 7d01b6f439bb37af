#include "pliant/math/simd_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pliant {
namespace {

TEST(SimdLog, IsTheLogarithmToTheLastPlaces) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> exponent(-300, 300), near(0.5, 2);
    for (int k = 0; k < 20000; ++k) {
        const double wide = std::pow(10, exponent(random)), close = near(random);
        const Double4 result = simd::log(Double4(Double4::Vector{wide, close, 1 + 1e-12 * close, 1}));
        EXPECT_NEAR(result[0], std::log(wide), 1e-15 * std::abs(std::log(wide)) + 1e-15);
        EXPECT_NEAR(result[1], std::log(close), 4e-16 * std::max(std::abs(std::log(close)), 0.1));
        EXPECT_NEAR(result[2], std::log(1 + 1e-12 * close), 1e-27);
        EXPECT_EQ(result[3], 0);
    }
}

TEST(SimdLog, ExponentialGoesBack) {
    std::mt19937 random(2);
    std::uniform_real_distribution<double> any(-690, 690), small(-1, 1);
    for (int k = 0; k < 20000; ++k) {
        const double x = any(random), y = small(random);
        const Double4 result = simd::exp(Double4(Double4::Vector{x, y, 0, 1e-9 * y}));
        EXPECT_NEAR(result[0] / std::exp(x), 1, 1e-15);
        EXPECT_NEAR(result[1] / std::exp(y), 1, 5e-16);
        EXPECT_EQ(result[2], 1);
        EXPECT_NEAR(result[3], std::exp(1e-9 * y), 3e-16);
    }
    EXPECT_TRUE(std::isfinite(simd::exp(Double4(1e9))[0]));
    EXPECT_GT(simd::exp(Double4(-1e9))[0], 0);
}

}  // namespace
}  // namespace pliant
