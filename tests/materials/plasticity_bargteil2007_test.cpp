#include "pliant/materials/plasticity_bargteil2007.h"

#include <gtest/gtest.h>

#include "materials/law_list.h"
#include "pliant/materials/elasticity_corotated.h"

namespace pliant {
namespace {

const CorotatedElasticity elastic{Moduli::from_young_poisson(1e5, 0.3)};
const Vec3 stretched(1.1, 0.97, 0.96);
const Vec3 stretched_at_constant_volume = Vec3(0.1, -0.04, -0.06).array().exp();

struct Held {
    Vec3 elastic;
    Real alpha;
};

Held hold(const Bargteil2007Plasticity& law, const Vec3& sigma, Real T, int steps) {
    Held held{sigma, 0};
    for (int k = 0; k < steps; ++k) {
        const PlasticStep step = law.flow(held.elastic, elastic.principal_stress(held.elastic), held.alpha, T / steps);
        held = {step.elastic, step.alpha};
    }
    return held;
}

TEST(Bargteil2007Plasticity, FlowsByTheShareOfTheExcessThatThePaperNames) {
    // gamma = nu (|P| - PY) / |P|,   sigma_p = (sigma / det^(1/3))^gamma     with nu = 1 - exp(-k dt)
    const Bargteil2007Plasticity law{.yield_stress = 2e3, .flow_rate = 50};
    const Vec3 P = elastic.principal_stress(stretched);
    const Real nu = 1 - std::exp(-50 * 2e-3), gamma = nu * (P.norm() - 2e3) / P.norm();
    const Vec3 expected = (stretched / std::cbrt(stretched.prod())).array().pow(gamma);
    EXPECT_LT((law.flow(stretched, P, 0, 2e-3).plastic - expected).norm(), 1e-14);
}

TEST(Bargteil2007Plasticity, FlowsFasterAtAHigherRate) {
    Real before = 0;
    for (const Real rate : {0.0, 1.0, 10.0, 100.0, 1e4}) {
        const Real alpha = hold({.yield_stress = 1e3, .flow_rate = rate}, stretched, 0.01, 10).alpha;
        if (rate == 0) {
            EXPECT_EQ(alpha, 0);
        } else {
            EXPECT_GT(alpha, before) << rate;
        }
        before = alpha;
    }
}

TEST(Bargteil2007Plasticity, ComesToRestAtTheYieldStress) {
    const Held end = hold({.yield_stress = 1e3, .flow_rate = 50}, stretched_at_constant_volume, 1, 500);
    EXPECT_NEAR(elastic.principal_stress(end.elastic).norm(), 1e3, 1);
}

TEST(Bargteil2007Plasticity, LowersTheStressOfCorotatedMatterThatIsNotCompressed) {
    DeformationSource source(1);
    const Bargteil2007Plasticity law{.yield_stress = 100};
    for (const Real nu : {0.0, 0.3, 0.45}) {
        const CorotatedElasticity matter{Moduli::from_young_poisson(1e5, nu)};
        for (int k = 0; k < 2000; ++k) {
            Vec3 sigma = source.stretches(0.2);
            sigma *= std::max(Real(1), 1 / std::cbrt(sigma.prod()));
            const Vec3 before = matter.principal_stress(sigma);
            const Vec3 after = matter.principal_stress(law.flow(sigma, before, 0, 0.1).elastic);
            ASSERT_LE(after.norm(), before.norm() * (1 + 1e-12)) << sigma.transpose();
        }
    }
}

TEST(Bargteil2007Plasticity, WithoutAYieldStressAllShearRelaxes) {
    const Held end = hold({.yield_stress = 0, .flow_rate = 50}, stretched, 2, 100);
    EXPECT_LT((end.elastic - Vec3::Constant(std::cbrt(stretched.prod()))).norm(), 1e-10);
}

TEST(Bargteil2007Plasticity, HardeningRaisesAndSofteningLowersTheYieldStress) {
    EXPECT_EQ((Bargteil2007Plasticity{.yield_stress = 100, .hardening = 50}).current_yield_stress(2), 200);
    EXPECT_EQ((Bargteil2007Plasticity{.yield_stress = 100, .hardening = -20}).current_yield_stress(2), 60);
    EXPECT_EQ((Bargteil2007Plasticity{.yield_stress = 100, .hardening = -20}).current_yield_stress(20), 0);
    Real before = 1e9;
    for (const Real hardening : {-1e4, 0.0, 1e3, 1e4, 1e5, 1e6}) {
        const Real alpha =
            hold({.yield_stress = 1e3, .flow_rate = 50, .hardening = hardening}, stretched, 0.05, 50).alpha;
        EXPECT_LT(alpha, before) << hardening;
        before = alpha;
    }
}

// At rest  |P| = PY + K alpha.
TEST(Bargteil2007Plasticity, StopsWhereTheHardenedYieldStressMeetsTheStress) {
    for (const Real hardening : {0.0, 1e3, 1e4, 1e5, 1e6}) {
        const Bargteil2007Plasticity law{.yield_stress = 1e3, .flow_rate = 50, .hardening = hardening};
        const Held end = hold(law, stretched_at_constant_volume, 1, 500);
        const Real stress = elastic.principal_stress(end.elastic).norm();
        EXPECT_NEAR(stress, law.current_yield_stress(end.alpha), 1e-3 * stress) << hardening;
    }
}

TEST(Bargteil2007Plasticity, HardeningOfAnyStrengthHardlyDependsOnTheStep) {
    for (const Real hardening : {-3e4, -1e4, 0.0, 1e4, 1e5, 1e6, 1e8}) {
        for (const Real flow_rate : {5.0, 50.0, 500.0}) {
            const Bargteil2007Plasticity law{.yield_stress = 3e3, .flow_rate = flow_rate, .hardening = hardening};
            const Real fine = hold(law, stretched, 2e-3, 1000).alpha;
            EXPECT_NEAR(hold(law, stretched, 2e-3, 1).alpha, fine, 0.05 * fine) << hardening << ' ' << flow_rate;
        }
    }
}

TEST(Bargteil2007Plasticity, NeverFlowsFartherThanTheRateAllows) {
    for (const Real hardening : {-1e12, -1e6, 0.0, 1e12}) {
        const Bargteil2007Plasticity law{.yield_stress = 1e3, .flow_rate = 50, .hardening = hardening};
        const PlasticStep step = law.flow(stretched, elastic.principal_stress(stretched), 0, 2e-3);
        const Vec3 d = (stretched / std::cbrt(stretched.prod())).array().log();
        const Real gamma = std::log(step.plastic.x()) / d.x();
        EXPECT_GT(gamma, 0);
        EXPECT_LE(gamma, 1 - std::exp(-50 * 2e-3) + 1e-15);
    }
}

TEST(Bargteil2007Plasticity, PlasticStrainAddsUp) {
    const Bargteil2007Plasticity law{.yield_stress = 1e3, .flow_rate = 50};
    const Vec3 P = elastic.principal_stress(stretched);
    const Real first = law.flow(stretched, P, 0, 1e-3).alpha;
    EXPECT_NEAR(law.flow(stretched, P, 0.75, 1e-3).alpha - 0.75, first, 1e-15);
    // While the principal directions stay, the sum over steps is the size of the whole flow.
    const Held held = hold(law, stretched, 0.02, 40);
    const Vec3 whole = (stretched.array() / held.elastic.array()).log();
    EXPECT_NEAR(held.alpha, std::sqrt(2.0 / 3) * whole.norm(), 1e-12);
}

TEST(Bargteil2007Plasticity, FeedsNoEnergyToStronglyCompressedMatter) {
    // In nearly incompressible corotated matter the pressure does more work in flow than the shear stress gives.
    const CorotatedElasticity rubber{Moduli::from_young_poisson(1e5, 0.49)};
    const Vec3 sigma(0.95, 0.93, 0.91), P = rubber.principal_stress(sigma);
    const Bargteil2007Plasticity law{.yield_stress = 1e3, .flow_rate = 50};
    EXPECT_GT(P.norm(), law.yield_stress);
    const PlasticStep step = law.flow(sigma, P, 0, 1e-2);
    EXPECT_EQ(step.elastic, sigma);
    EXPECT_EQ(step.alpha, 0);
}

TEST(Bargteil2007Plasticity, DescribesItsSettings) {
    ASSERT_EQ(Bargteil2007Plasticity::fields().size(), 3u);
    EXPECT_TRUE(Bargteil2007Plasticity::fields()[0].is_required);
    Bargteil2007Plasticity law;
    for (const Field& field : Bargteil2007Plasticity::fields()) {
        EXPECT_FALSE(field.help.empty()) << field.name;
        EXPECT_FALSE(field.unit.empty()) << field.name;
        field.set(&law, 7.0);
    }
    EXPECT_EQ(law.yield_stress, 7);
    EXPECT_EQ(law.flow_rate, 7);
    EXPECT_EQ(law.hardening, 7);
}

}  // namespace
}  // namespace pliant
