#include "pliant/materials/plasticity_von_mises.h"

#include <gtest/gtest.h>

#include "materials/law_list.h"
#include "pliant/materials/plasticity.h"

namespace pliant {
namespace {

const Moduli clay = Moduli::from_young_poisson(1e6, 0.3);
const HenckyElasticity hencky{clay};
const Vec3 stretched(1.3, 1.05, 0.8);

Vec3 kirchhoff(const Elasticity& law, const Vec3& sigma) {
    return principal_stress(law, sigma).cwiseProduct(sigma);
}
Real equivalent_stress(const Elasticity& law, const Vec3& sigma) {
    return von_mises_stress(kirchhoff(law, sigma).asDiagonal());
}
PlasticStep flow_by_stress(const VonMisesPlasticity& law, const Elasticity& elastic, const Vec3& sigma, Real alpha) {
    return law.flow(sigma, principal_stress(elastic, sigma), alpha, 1e-3);
}
bool flowed(const PlasticStep& step) {
    return step.plastic != Vec3::Ones();
}
std::vector<Elasticity> all_elastic_laws(const Moduli& moduli) {
    std::vector<Elasticity> laws;
    for (const std::string& name : elasticity_names()) laws.push_back(make_elasticity(name, moduli));
    return laws;
}

// A bar of Hencky's law with free sides and the tension T:  log sigma = (T, -nu T, -nu T) / E
Vec3 bar_under(Real T) {
    return (Vec3(1, -clay.poisson(), -clay.poisson()) * T / clay.young()).array().exp();
}

TEST(VonMisesPlasticity, ABarYieldsAtTheYieldStressInTensionAndPressure) {
    const VonMisesPlasticity law{.yield_stress = 1e3};  // at a strain of 1e-3
    for (const Real sign : {1.0, -1.0}) {
        EXPECT_FALSE(flowed(law.flow(hencky, bar_under(sign * 0.999 * 1e3), 0, 1e-3)));
        const Vec3 sigma = bar_under(sign * 3e3);
        EXPECT_TRUE(flowed(law.flow(hencky, bar_under(sign * 1.001 * 1e3), 0, 1e-3)));
        const Vec3 left = law.flow(hencky, sigma, 0, 1e-3).elastic;
        EXPECT_NEAR(equivalent_stress(hencky, left), 1e3, 1e-6);
    }
}

// log-strain e = tau/E + alpha along, -nu tau/E - alpha/2 across,   tau = PY + K alpha:   the slope is E K / (E + K)
TEST(VonMisesPlasticity, ABarFollowsTheBilinearCurveOfTheTextbook) {
    const Real E = clay.young(), nu = clay.poisson(), PY = 2e4;
    for (const Real K : {-1e4, 0.0, 1e5, 1e7}) {
        const VonMisesPlasticity law{.yield_stress = PY, .hardening = K};
        for (const Real alpha : {1e-4, 0.05, 0.5}) {
            const Real tau = PY + K * alpha;
            const Vec3 elastic = Vec3(1, -nu, -nu) * tau / E, total = elastic + Vec3(1, -0.5, -0.5) * alpha;
            const PlasticStep step = law.flow(hencky, total.array().exp(), 0, 1e-3);
            EXPECT_NEAR(step.alpha, alpha, 1e-12);
            EXPECT_LT((step.elastic.array().log().matrix() - elastic).norm(), 1e-12);
        }
    }
}

TEST(VonMisesPlasticity, PressureFromAllSidesNeverYields) {
    const VonMisesPlasticity law{.yield_stress = 1};
    for (const Elasticity& elastic : all_elastic_laws(clay)) {
        for (const Real s : {0.3, 0.9, 1.2, 5.0}) {
            EXPECT_FALSE(flowed(law.flow(elastic, Vec3::Constant(s), 0, 1e-3)));
            EXPECT_FALSE(flowed(flow_by_stress(law, elastic, Vec3::Constant(s), 0)));
        }
    }
    // Nor does it matter when the rest yields:  alpha = (3 G strain - PY) / (3 G + K)
    const Vec3 d = (stretched / std::cbrt(stretched.prod())).array().log();
    const Real alpha = (3 * clay.mu * std::sqrt(2.0 / 3) * d.norm() - 2e4) / (3 * clay.mu + 1e4);
    for (const Real volume : {0.5, 1.0, 2.0}) {
        const Vec3 sigma = std::cbrt(volume / stretched.prod()) * stretched;
        const PlasticStep step = VonMisesPlasticity{.yield_stress = 2e4, .hardening = 1e4}.flow(hencky, sigma, 0, 1);
        EXPECT_NEAR(step.elastic.prod(), volume, 1e-12);
        EXPECT_NEAR(step.alpha, alpha, 1e-12);
    }
}

TEST(VonMisesPlasticity, LandsOnTheYieldSurface) {
    DeformationSource source(1);
    for (const Real K : {-2e5, 0.0, 1e4, 1e6, 1e8}) {
        const VonMisesPlasticity law{.yield_stress = 1e4, .hardening = K};
        for (int k = 0; k < 300; ++k) {
            const Vec3 sigma = source.stretches(0.3);
            const Real alpha = source.between(0, 0.04);
            for (const PlasticStep& step :
                 {flow_by_stress(law, hencky, sigma, alpha), law.flow(hencky, sigma, alpha, 1)}) {
                if (!flowed(step)) continue;
                const Real yield = law.uniaxial().at(step.alpha);
                ASSERT_NEAR(equivalent_stress(hencky, step.elastic), yield, 1e-10 * law.yield_stress)
                    << sigma.transpose();
                ASSERT_GT(step.alpha, alpha);
            }
        }
    }
}

TEST(VonMisesPlasticity, LandsOnTheYieldSurfaceOfEveryLaw) {
    DeformationSource source(2);
    for (const Elasticity& elastic : all_elastic_laws(clay)) {
        for (const Real K : {0.0, 1e5, 1e7}) {
            const VonMisesPlasticity law{.yield_stress = 1e4, .hardening = K};
            int flows = 0;
            for (int k = 0; k < 300; ++k) {
                const PlasticStep step = law.flow(elastic, source.stretches(0.15), 0, 1);
                if (!flowed(step)) continue;
                ++flows;
                const Real yield = law.uniaxial().at(step.alpha);
                ASSERT_NEAR(equivalent_stress(elastic, step.elastic), yield, 1e-9 * clay.mu);
            }
            EXPECT_GT(flows, 250);
        }
    }
}

// At the strains of metals the stress alone tells enough.
TEST(VonMisesPlasticity, ByStressAloneLandsNearTheSurfaceOfEveryLawAtSmallStrain) {
    for (const Elasticity& elastic : all_elastic_laws(clay)) {
        for (const Real e : {1e-4, 1e-3, 1e-2}) {
            const Real q = equivalent_stress(elastic, Vec3(1 + e, 1, 1 - e));
            const VonMisesPlasticity law{.yield_stress = q / 2};
            const PlasticStep step = flow_by_stress(law, elastic, Vec3(1 + e, 1, 1 - e), 0);
            EXPECT_NEAR(equivalent_stress(elastic, step.elastic) / law.yield_stress, 1, 2 * e);
        }
    }
}

TEST(VonMisesPlasticity, WhatHasReturnedDoesNotFlowAgain) {
    DeformationSource source(3);
    for (const Elasticity& elastic : all_elastic_laws(clay)) {
        const VonMisesPlasticity law{.yield_stress = 1e4, .hardening = 1e5};
        for (int k = 0; k < 300; ++k) {
            const PlasticStep step = law.flow(elastic, source.stretches(0.1), 0, 1);
            ASSERT_FALSE(flowed(law.flow(elastic, step.elastic, step.alpha, 1)));
        }
    }
}

TEST(VonMisesPlasticity, DependsNeitherOnTheStepNorOnItsLength) {
    const VonMisesPlasticity law{.yield_stress = 2e4, .hardening = 3e5};
    const Vec3 total = stretched.array().log();
    const auto pulled_in = [&](int steps, Real dt) {
        Vec3 elastic = Vec3::Ones();
        Real alpha = 0;
        for (int k = 0; k < steps; ++k) {
            const Vec3 sigma = elastic.cwiseProduct(Vec3((total / steps).array().exp()));
            const PlasticStep step = law.flow(hencky, sigma, alpha, dt);
            elastic = step.elastic;
            alpha = step.alpha;
        }
        return alpha;
    };
    const Real once = pulled_in(1, 1);
    EXPECT_GT(once, 0.1);
    EXPECT_EQ(pulled_in(1, 1e-6), once);
    for (const int steps : {2, 7, 100, 1000}) EXPECT_NEAR(pulled_in(steps, 1e-3), once, 1e-10);
}

TEST(VonMisesPlasticity, KeepsTheVolumeWhateverHappens) {
    DeformationSource source(4);
    for (const Elasticity& elastic : all_elastic_laws(clay)) {
        for (const Real K : {-1e9, -1e5, 0.0, 1e9}) {
            const VonMisesPlasticity law{.yield_stress = 1e3, .hardening = K};
            for (int k = 0; k < 200; ++k) {
                const Vec3 sigma = source.stretches(1);
                ASSERT_NEAR(law.flow(elastic, sigma, 0, 1).plastic.prod(), 1, 1e-12);
                ASSERT_NEAR(flow_by_stress(law, elastic, sigma, 0).plastic.prod(), 1, 1e-12);
            }
        }
    }
}

TEST(VonMisesPlasticity, TheHarderTheLessFlowsAndTheMoreStressIsLeft) {
    for (const Elasticity& elastic : all_elastic_laws(clay)) {
        Real flow_before = 1e9, stress_before = -1;
        for (const Real K : {-3e4, 0.0, 1e4, 1e5, 1e6, 1e8}) {
            const VonMisesPlasticity law{.yield_stress = 2e4, .hardening = K};
            const PlasticStep step = law.flow(elastic, stretched, 0, 1);
            const Real stress = equivalent_stress(elastic, step.elastic);
            EXPECT_LT(step.alpha, flow_before) << K;
            EXPECT_GT(stress, stress_before) << K;
            EXPECT_LT(flow_by_stress(law, elastic, stretched, 0).alpha, flow_before) << K;
            flow_before = step.alpha;
            stress_before = stress;
        }
    }
}

TEST(VonMisesPlasticity, SofteningEndsWithoutShearStressAndNeverTurnsIt) {
    for (const Elasticity& elastic : all_elastic_laws(clay)) {
        for (const Real K : {-1e6, -1e7, -1e12}) {  // the first runs out of yield stress, the others outrun unloading
            const VonMisesPlasticity law{.yield_stress = 2e4, .hardening = K};
            for (const PlasticStep& step :
                 {law.flow(elastic, stretched, 0, 1), flow_by_stress(law, elastic, stretched, 0)}) {
                EXPECT_LT((step.elastic - Vec3::Constant(std::cbrt(stretched.prod()))).norm(), 1e-12);
                EXPECT_EQ(law.uniaxial().at(step.alpha), 0);
            }
        }
    }
}

TEST(VonMisesPlasticity, FeedsNoEnergyToStronglyCompressedMatter) {
    // Nearly incompressible corotated matter resists pressure more where it is out of shape.
    DeformationSource source(5);
    const Elasticity rubber = CorotatedElasticity{Moduli::from_young_poisson(1e5, 0.49)};
    const VonMisesPlasticity law{.yield_stress = 1e3};
    int still = 0, flows = 0;
    for (int k = 0; k < 2000; ++k) {
        const Vec3 sigma = 0.98 * source.stretches(0.05);
        const PlasticStep step = law.flow(rubber, sigma, 0, 1);
        flows += flowed(step);
        still += !flowed(step) && equivalent_stress(rubber, sigma) > 1.01e3;
        ASSERT_LE(energy_density(rubber, step.elastic), energy_density(rubber, sigma)) << sigma.transpose();
    }
    EXPECT_GT(still, 100);
    EXPECT_GT(flows, 100);
}

TEST(VonMisesPlasticity, DescribesItsSettings) {
    ASSERT_EQ(VonMisesPlasticity::fields().size(), 3u);
    EXPECT_TRUE(VonMisesPlasticity::fields()[0].is_required);
    VonMisesPlasticity law;
    for (const Field& field : VonMisesPlasticity::fields()) {
        EXPECT_FALSE(field.help.empty()) << field.name;
        if (field.name == "measure") continue;
        EXPECT_EQ(field.unit, "Pa") << field.name;
        field.set(&law, 7.0);
    }
    EXPECT_EQ(law.yield_stress, 7);
    EXPECT_EQ(law.hardening, 7);
}

// |dev tau| <= Y + X gamma with gamma the norm of the deviator that has flowed: tau of a flowing particle ends there.
TEST(VonMisesPlasticity, MayBeGivenByTheNormOfTheDeviator) {
    for (const Real X : {0.0, 3e4}) {
        const VonMisesPlasticity law{2e4, X, "deviator_norm"};
        const PlasticStep step = law.flow(hencky, stretched, 0, 1);
        const Vec3 tau = kirchhoff(hencky, step.elastic);
        const Vec3 flowed = step.plastic.array().log();
        ASSERT_GT(flowed.norm(), 0.01);
        EXPECT_NEAR((tau - Vec3::Constant(tau.mean())).norm(), 2e4 + X * flowed.norm(), 1e-6);
    }
}

}  // namespace
}  // namespace pliant
