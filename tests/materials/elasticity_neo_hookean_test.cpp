#include "pliant/materials/elasticity_neo_hookean.h"

#include <gtest/gtest.h>

#include "materials/law_list.h"

namespace pliant {
namespace {

// Psi = mu'/2 (I - 3) - mu'/2 log(I + 1) + lambda'/2 (J - a)^2     as the paper writes it, without the energy of rest
Real energy_of_the_paper(const Moduli& moduli, const Vec3& sigma) {
    const Real mu = 4.0 / 3 * moduli.mu, lambda = moduli.lambda + 5.0 / 6 * moduli.mu, a = 1 + 0.75 * mu / lambda;
    const auto psi = [&](const Vec3& s) {
        const Real I = s.squaredNorm();
        return mu / 2 * (I - 3) - mu / 2 * std::log(I + 1) + lambda / 2 * square(s.prod() - a);
    };
    return psi(sigma) - psi(Vec3::Ones());
}

TEST(NeoHookeanElasticity, IsTheStableFormOfThePaper) {
    DeformationSource source(1);
    for (const Moduli& moduli : sample_moduli()) {
        const NeoHookeanElasticity law{moduli};
        for (int k = 0; k < 200; ++k) {
            Vec3 sigma = source.stretches(0.7);
            if (k % 2) sigma.z() *= -1;
            const Real expected = energy_of_the_paper(moduli, sigma);
            ASSERT_NEAR(law.energy_density(sigma), expected, 1e-12 * (std::abs(expected) + moduli.p_wave()));
        }
    }
}

// d2Psi/dsigma2 at rest = 2 mu 1 + lambda
TEST(NeoHookeanElasticity, IsHookesLawAtRest) {
    for (const Moduli& moduli : sample_moduli()) {
        const Mat3 hooke = 2 * moduli.mu * Mat3::Identity() + Mat3::Constant(moduli.lambda);
        EXPECT_LT((NeoHookeanElasticity{moduli}.principal_tangent(Vec3::Ones()) - hooke).norm(), 1e-14 * hooke.norm());
    }
}

TEST(NeoHookeanElasticity, DerivativesHoldInFlattenedAndInvertedMatter) {
    constexpr Real h = 1e-5;
    for (const Moduli& moduli : sample_moduli()) {
        const NeoHookeanElasticity law{moduli};
        for (const Vec3& sigma : {Vec3(1, 1, 0), Vec3(1, 0, 0), Vec3(0, 0, 0), Vec3(1.2, 0.9, -0.4), Vec3(2, 1, -1),
                                  Vec3(1, 1, -1), Vec3(3, 0.1, -0.1), Vec3(0.2, 0.1, 0.05)}) {
            const Vec3 P = law.principal_stress(sigma);
            const Mat3 tangent = law.principal_tangent(sigma);
            for (int i = 0; i < 3; ++i) {
                const Vec3 step = h * Vec3::Unit(i);
                const Real slope = (law.energy_density(sigma + step) - law.energy_density(sigma - step)) / (2 * h);
                ASSERT_NEAR(slope, P[i], 1e-8 * (P.norm() + moduli.p_wave())) << sigma.transpose();
                const Vec3 column = (law.principal_stress(sigma + step) - law.principal_stress(sigma - step)) / (2 * h);
                ASSERT_LT((column - tangent.col(i)).norm(), 1e-8 * (tangent.norm() + moduli.p_wave()));
            }
        }
    }
}

TEST(NeoHookeanElasticity, HasNoLowerEnergyThanAtRest) {
    DeformationSource source(2);
    for (const Moduli& moduli : sample_moduli()) {
        for (int k = 0; k < 5000; ++k) {
            Vec3 sigma = source.stretches(k % 2 ? 0.5 : 1.5);
            if (k % 3 == 0) sigma.z() *= -1;
            ASSERT_GT(NeoHookeanElasticity{moduli}.energy_density(sigma), 0) << sigma.transpose();
        }
    }
}

// At J <= 0 the energy falls as the matter shrinks, P : F > 0, and a point has the lower energy of J > 0 beside it.
TEST(NeoHookeanElasticity, FlatAndInvertedMatterIsNeverAtRest) {
    DeformationSource source(3);
    for (const Moduli& moduli : sample_moduli()) {
        const NeoHookeanElasticity law{moduli};
        for (int k = 0; k < 500; ++k) {
            Vec3 sigma = source.stretches(0.8);
            sigma.z() *= -source.between(0, 1);
            ASSERT_GT(law.principal_stress(sigma).dot(sigma), 0) << sigma.transpose();
        }
        EXPECT_LT(law.energy_density(Vec3::Constant(0.05)), law.energy_density(Vec3::Zero()));
    }
}

TEST(NeoHookeanElasticity, StiffensInLargeStretch) {
    const NeoHookeanElasticity law{Moduli::from_young_poisson(1e5, 0.45)};
    for (const Real s : {2.0, 5.0, 20.0}) {
        EXPECT_GT(law.principal_tangent(Vec3::Constant(s))(0, 0), law.principal_tangent(Vec3::Constant(s / 2))(0, 0));
    }
}

}  // namespace
}  // namespace pliant
