#include "pliant/linear/power_iteration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pliant {
namespace {

// A chain of equal masses and springs with free ends: eigenvalues 2 k/m (1 - cos(pi j / n)).
TEST(PowerIteration, FindsTheLargestEigenvalueOfAChain) {
    const std::size_t n = 12;
    const Real k = 300;
    const std::vector<Real> mass(n, 0.5);
    const auto multiply = [&](std::span<const Vec3> x, std::span<Vec3> f) {
        for (std::size_t i = 0; i < n; ++i) {
            f[i] = Vec3::Zero();
            if (i > 0) f[i] += k * (x[i] - x[i - 1]);
            if (i + 1 < n) f[i] += k * (x[i] - x[i + 1]);
        }
    };
    const Real exact = 2 * k / 0.5 * (1 - std::cos(pi * Real(n - 1) / Real(n)));
    const Real found = largest_eigenvalue(mass, multiply, 200);
    EXPECT_NEAR(found, exact, 0.01 * exact);
    EXPECT_LE(found, exact * (1 + 1e-12));
}

TEST(PowerIteration, NothingStiffHasNoFrequency) {
    const std::vector<Real> mass(5, 1);
    EXPECT_EQ(largest_eigenvalue(mass, [](auto, std::span<Vec3> f) { std::fill(f.begin(), f.end(), Vec3::Zero()); }),
              0);
    EXPECT_EQ(largest_eigenvalue({}, [](auto, auto) {}), 0);
}

}  // namespace
}  // namespace pliant
