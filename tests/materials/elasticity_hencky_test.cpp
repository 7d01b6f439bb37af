#include "pliant/materials/elasticity_hencky.h"

#include <gtest/gtest.h>

#include "materials/law_list.h"

namespace pliant {
namespace {

constexpr Real knee = HenckyElasticity::knee;

std::vector<Real> around_the_knee() {
    return {2 * knee, 1.1 * knee, 1.001 * knee, 0.999 * knee, 0.5 * knee, 0.01 * knee, 0, -0.01, -0.5, -1, -3};
}

// Psi = mu |log sigma|^2 + lambda/2 (sum log sigma)^2
TEST(HenckyElasticity, EnergyIsQuadraticInTheLogarithmicStrain) {
    const HenckyElasticity law{{3, 5}};
    const Vec3 e(0.4, -0.1, -0.7);
    EXPECT_NEAR(law.energy_density(e.array().exp()), 3 * e.squaredNorm() + 2.5 * square(e.sum()), 1e-14);
    EXPECT_NEAR(law.energy_density((2 * e).array().exp()), 4 * law.energy_density(e.array().exp()), 1e-13);
    EXPECT_NEAR(law.energy_density((-e).array().exp()), law.energy_density(e.array().exp()), 1e-14);
}

// tau = Phat sigma = 2 mu log sigma + lambda log J
TEST(HenckyElasticity, KirchhoffStressIsLinearInTheLogarithmicStrain) {
    DeformationSource source(1);
    for (const Moduli& moduli : sample_moduli()) {
        for (int k = 0; k < 100; ++k) {
            const Vec3 sigma = source.stretches(0.4), e = sigma.array().log();
            const Vec3 tau = HenckyElasticity{moduli}.principal_stress(sigma).cwiseProduct(sigma);
            const Vec3 expected = 2 * moduli.mu * e + Vec3::Constant(moduli.lambda * e.sum());
            ASSERT_LT((tau - expected).norm(), 1e-13 * (expected.norm() + moduli.p_wave()));
        }
    }
}

// A bar with free sides at the logarithmic strain e:  sides -nu e,   tau = (E e, 0, 0)
TEST(HenckyElasticity, PulledBarObeysYoungAndPoissonAtLargeStrainToo) {
    for (const Moduli& moduli : sample_moduli()) {
        for (const Real e : {-1.0, -0.1, 0.3, 1.0}) {
            const Vec3 sigma = Vec3(e, -moduli.poisson() * e, -moduli.poisson() * e).array().exp();
            const Vec3 tau = HenckyElasticity{moduli}.principal_stress(sigma).cwiseProduct(sigma);
            EXPECT_LT((tau - Vec3(moduli.young() * e, 0, 0)).norm(), 1e-12 * moduli.p_wave());
        }
    }
}

TEST(HenckyElasticity, DerivativesHoldOnBothSidesOfTheKneeAndInverted) {
    constexpr Real h = 1e-6;
    for (const Moduli& moduli : sample_moduli()) {
        const HenckyElasticity law{moduli};
        for (const Real s : around_the_knee()) {
            for (const Vec3& sigma : {Vec3(1.3, 0.8, s), Vec3(1, 0.15, s), Vec3(s, s, s)}) {
                const Vec3 P = law.principal_stress(sigma);
                const Mat3 tangent = law.principal_tangent(sigma);
                for (int i = 0; i < 3; ++i) {
                    const Vec3 step = h * Vec3::Unit(i);
                    const Real slope = (law.energy_density(sigma + step) - law.energy_density(sigma - step)) / (2 * h);
                    ASSERT_NEAR(slope, P[i], 1e-6 * (P.norm() + moduli.p_wave())) << sigma.transpose();
                    const Vec3 column =
                        (law.principal_stress(sigma + step) - law.principal_stress(sigma - step)) / (2 * h);
                    ASSERT_LT((column - tangent.col(i)).norm(), 1e-6 * tangent.norm()) << sigma.transpose();
                }
            }
        }
    }
}

TEST(HenckyElasticity, EnergyAndStressAreContinuousAtTheKnee) {
    const HenckyElasticity law{Moduli::from_young_poisson(1, 0.3)};
    const auto at = [](Real s) { return Vec3(1.2, 0.7, s); };
    constexpr Real h = 1e-9;
    const Vec3 P = law.principal_stress(at(knee));
    EXPECT_NEAR(law.energy_density(at(knee - h)), law.energy_density(at(knee + h)), 1e-7);
    EXPECT_LT((law.principal_stress(at(knee - h)) - law.principal_stress(at(knee + h))).norm(), 1e-6);
    // The derivative across the knee itself.
    constexpr Real wide = 1e-5;
    const Real slope = (law.energy_density(at(knee + wide)) - law.energy_density(at(knee - wide))) / (2 * wide);
    EXPECT_NEAR(slope, P.z(), 1e-4 * P.norm());
}

// The tangent of a bar squeezed between held sides:  M (1 - log sigma) / sigma^2 above the knee,  M / k^2 below
TEST(HenckyElasticity, TangentStepsDownAtTheKneeAndIsConstantBelow) {
    const Moduli moduli = Moduli::from_young_poisson(1, 0.3);
    const HenckyElasticity law{moduli};
    const auto tangent = [&](Real s) { return law.principal_tangent({1, 1, s})(2, 2); };
    EXPECT_NEAR(tangent(knee + 1e-12) / tangent(knee), 1 - std::log(knee), 1e-9);
    for (const Real s : {0.1, 0.0, -2.0}) EXPECT_NEAR(tangent(s), moduli.p_wave() / square(knee), 1e-11);
}

TEST(HenckyElasticity, DrivesFlattenedAndInvertedMatterBackTheMoreTheFurtherItIs) {
    for (const Moduli& moduli : sample_moduli()) {
        Real before = 0;
        for (const Real s : {0.9, 0.5, 0.21, 0.2, 0.19, 0.1, 0.0, -0.1, -1.0, -10.0}) {
            const Real P = HenckyElasticity{moduli}.principal_stress({1, 1, s}).z();
            EXPECT_LT(P, before) << s;
            before = P;
        }
    }
}

}  // namespace
}  // namespace pliant
