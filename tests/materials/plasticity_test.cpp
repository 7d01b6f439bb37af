// Every flow law of the list, on every elastic law: flow keeps the volume, begins at the yield stress, takes energy
// away and hardly depends on the length of the step.
#include "pliant/materials/plasticity.h"

#include <gtest/gtest.h>

#include <limits>

#include "materials/law_list.h"
#include "pliant/materials/elasticity.h"

namespace pliant {
namespace {

constexpr Real infinity = std::numeric_limits<Real>::infinity();

template <class Law>
class FlowLaw : public ::testing::Test {
protected:
    static Law with_yield_stress(Real value) {
        Law law;
        for (const Field& field : Law::fields()) {
            if (field.name == "yield_stress") {
                field.set(&law, value);
                return law;
            }
        }
        ADD_FAILURE() << Law::name << " has no yield_stress: teach this test what makes it yield";
        return law;
    }
};
// Drucker and Prager's flow is tested with log_strain_law.h, which alone computes it.
using FlowLaws = std::variant<Bargteil2007Plasticity, VonMisesPlasticity>;
TYPED_TEST_SUITE(FlowLaw, TypesOf<FlowLaws>::Types, NameOfLaw);

std::vector<Elasticity> all_elastic_laws(const Moduli& moduli) {
    std::vector<Elasticity> laws;
    for (const std::string& name : elasticity_names()) laws.push_back(make_elasticity(name, moduli));
    return laws;
}

// The stretches of a bar with free sides that carries the tension T along its axis, by Newton's method.
Vec3 pulled_bar(const Elasticity& law, Real T) {
    Vec3 sigma = Vec3::Ones();
    for (int k = 0; k < 50; ++k) {
        const Vec3 residual = principal_stress(law, sigma) - Vec3(T, 0, 0);
        sigma -= principal_tangent(law, sigma).inverse() * residual;
    }
    return sigma;
}

Real shear_stress(const Elasticity& law, const Vec3& sigma) {
    return von_mises_stress(kirchhoff_stress(law, {Mat3::Identity(), sigma, Mat3::Identity()}));
}

bool flowed(const PlasticStep& step) {
    return step.plastic != Vec3::Ones();
}

template <class Law>
PlasticStep flow_under(const Law& law, const Elasticity& elastic, const Vec3& sigma, Real alpha, Real dt) {
    return flow(Plasticity(law), elastic, sigma, alpha, dt);
}

// Holds a body at the stretches sigma for a time T in equal steps: what was elastic turns plastic.
template <class Law>
PlasticStep hold(const Law& law, const Elasticity& elastic, const Vec3& sigma, Real T, int steps) {
    PlasticStep state{sigma, Vec3::Ones(), 0};
    for (int k = 0; k < steps; ++k) {
        const PlasticStep next = flow_under(law, elastic, state.elastic, state.alpha, T / steps);
        state = {next.elastic, state.plastic.cwiseProduct(next.plastic), next.alpha};
    }
    return state;
}

TYPED_TEST(FlowLaw, SplitsTheStretchIntoElasticAndPlasticOfUnitVolume) {
    DeformationSource source(1);
    const TypeParam law = this->with_yield_stress(100);
    int flows = 0;
    for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
        for (int k = 0; k < 1000; ++k) {
            const Vec3 sigma = source.stretches(0.4);
            const PlasticStep step = flow_under(law, elastic, sigma, source.between(0, 2), 0.02);
            flows += flowed(step);
            ASSERT_NEAR(step.plastic.prod(), 1, 1e-12) << sigma.transpose();
            ASSERT_LT((step.elastic.cwiseProduct(step.plastic) - sigma).norm(), 1e-13 * sigma.norm());
            ASSERT_GT(step.elastic.minCoeff(), 0);
        }
    }
    EXPECT_GT(flows, 900);
}

// At a strain so small that Piola's, Kirchhoff's and Cauchy's stress are the same.
TYPED_TEST(FlowLaw, APulledBarYieldsAtTheYieldStress) {
    for (const Real E : {1e4, 1e7, 200e9}) {
        const Real yield = 1e-4 * E;
        const TypeParam law = this->with_yield_stress(yield);
        for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(E, 0.3))) {
            for (const Real sign : {1.0, -1.0}) {
                EXPECT_FALSE(flowed(flow_under(law, elastic, pulled_bar(elastic, 0.999 * sign * yield), 0, 0.01)));
                EXPECT_TRUE(flowed(flow_under(law, elastic, pulled_bar(elastic, 1.001 * sign * yield), 0, 0.01)));
            }
        }
    }
}

TYPED_TEST(FlowLaw, LeavesWhatDoesNotYieldUntouched) {
    const TypeParam law = this->with_yield_stress(1e4);
    for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
        const Vec3 sigma = pulled_bar(elastic, 5e3);
        const PlasticStep step = flow_under(law, elastic, sigma, 0.25, 0.1);
        EXPECT_EQ(step.elastic, sigma);
        EXPECT_EQ(step.plastic, Vec3::Ones());
        EXPECT_EQ(step.alpha, 0.25);
    }
}

// Short steps: what flows is then in proportion to the step, and a gain of energy would be too.
TYPED_TEST(FlowLaw, FeedsNoEnergyToTheBody) {
    DeformationSource source(2);
    for (const Moduli& moduli : sample_moduli()) {
        const TypeParam law = this->with_yield_stress(1e-3 * moduli.young());
        for (const Elasticity& elastic : all_elastic_laws(moduli)) {
            for (int k = 0; k < 2000; ++k) {
                const Vec3 sigma = source.stretches(0.1);
                const PlasticStep step = flow_under(law, elastic, sigma, 0, 1e-6);
                const Real before = energy_density(elastic, sigma), after = energy_density(elastic, step.elastic);
                ASSERT_LE(after, before * (1 + 1e-7)) << sigma.transpose() << ", nu " << moduli.poisson();
            }
        }
    }
}

TYPED_TEST(FlowLaw, TakesEnergyAwayInStepsOfUsualLength) {
    DeformationSource source(3);
    for (const Real nu : {0.0, 0.3, 0.4}) {
        const TypeParam law = this->with_yield_stress(100);
        for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, nu))) {
            for (int k = 0; k < 2000; ++k) {
                const Vec3 sigma = source.stretches(0.1);
                const PlasticStep step = flow_under(law, elastic, sigma, 0, 2e-3);
                const Real before = energy_density(elastic, sigma), after = energy_density(elastic, step.elastic);
                ASSERT_LE(after, before * (1 + 1e-5)) << sigma.transpose() << ", nu " << nu;
            }
        }
    }
}

TYPED_TEST(FlowLaw, LowersTheShearStressOfMatterThatIsNotCompressed) {
    DeformationSource source(3);
    for (const Real nu : {0.0, 0.3, 0.45}) {
        const TypeParam law = this->with_yield_stress(100);
        for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, nu))) {
            for (int k = 0; k < 2000; ++k) {
                Vec3 sigma = source.stretches(0.2);
                sigma *= std::max(Real(1), 1 / std::cbrt(sigma.prod()));
                const PlasticStep step = flow_under(law, elastic, sigma, 0, 0.1);
                ASSERT_LE(shear_stress(elastic, step.elastic), shear_stress(elastic, sigma) * (1 + 1e-12))
                    << sigma.transpose();
            }
        }
    }
}

TYPED_TEST(FlowLaw, CountsPlasticStrainUpwardsOnly) {
    DeformationSource source(4);
    const TypeParam law = this->with_yield_stress(1e3);
    for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
        for (int k = 0; k < 500; ++k) {
            const Vec3 sigma = source.stretches(0.1);
            const PlasticStep step = flow_under(law, elastic, sigma, 0.5, 0.01);
            ASSERT_EQ(step.alpha > 0.5, flowed(step)) << sigma.transpose();
            ASSERT_GE(step.alpha, 0.5);
        }
    }
}

// The permanent logarithmic strain of a bar that is pulled along one axis is its plastic strain.
TYPED_TEST(FlowLaw, PlasticStrainOfAPulledBarIsItsPermanentStrain) {
    const TypeParam law = this->with_yield_stress(1e3);
    for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
        const PlasticStep end = hold(law, elastic, pulled_bar(elastic, 5e3), 0.1, 10);
        EXPECT_GT(end.alpha, 1e-3);
        EXPECT_NEAR(end.alpha, std::log(end.plastic.x()), 1e-12);
    }
}

TYPED_TEST(FlowLaw, HardlyDependsOnTheStepWhileHeld) {
    for (const Real T : {1e-3, 1e-2, 0.02}) {
        const TypeParam law = this->with_yield_stress(1e3);
        for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
            const Vec3 sigma(1.1, 0.97, 0.96);
            const Real one = hold(law, elastic, sigma, T, 1).alpha, ten = hold(law, elastic, sigma, T, 10).alpha;
            EXPECT_GT(ten, 0);
            EXPECT_NEAR(one, ten, 0.05 * ten) << T << " s";
        }
    }
}

// A bar that is stretched steadily by 20 % within 0.1 s, and let go.
TYPED_TEST(FlowLaw, HalvingTheStepHardlyChangesThePermanentSet) {
    const TypeParam law = this->with_yield_stress(1e3);
    for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
        const auto permanent_set = [&](int steps) {
            Vec3 sigma = Vec3::Ones();
            Real alpha = 0, permanent = 0;
            const Real rate = std::log(1.2) / steps;
            for (int k = 0; k < steps; ++k) {
                sigma = sigma.cwiseProduct(Vec3(std::exp(rate), std::exp(-0.4 * rate), std::exp(-0.4 * rate)));
                const PlasticStep step = flow_under(law, elastic, sigma, alpha, 0.1 / steps);
                sigma = step.elastic;
                alpha = step.alpha;
                permanent += std::log(step.plastic.x());
            }
            return permanent;
        };
        const Real finest = permanent_set(3200);
        EXPECT_GT(finest, 0.05);
        for (const int steps : {25, 50, 100, 200}) {
            EXPECT_NEAR(permanent_set(steps), permanent_set(2 * steps), 0.1 * finest) << steps << " steps";
        }
        EXPECT_NEAR(permanent_set(50), finest, 0.1 * finest);  // at steps of 2 ms
    }
}

TYPED_TEST(FlowLaw, NeverFlowsWhenTheYieldStressIsInfinite) {
    DeformationSource source(5);
    const TypeParam law = this->with_yield_stress(infinity);
    for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
        for (int k = 0; k < 100; ++k)
            EXPECT_FALSE(flowed(flow_under(law, elastic, source.stretches(2), source.between(0, 5), 1)));
        EXPECT_FALSE(flowed(law.flow({2, 1, 0.5}, Vec3::Constant(infinity), 0, 1)));
    }
}

TYPED_TEST(FlowLaw, FlattenedAndInvertedMatterDoesNotFlow) {
    const TypeParam law = this->with_yield_stress(0);
    for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
        for (const Vec3& sigma :
             {Vec3(1, 1, 0), Vec3(1, 1, -0.9), Vec3(2, 1e-5, -1e-5), Vec3(0, 0, 0), Vec3(3, 2, 9e-5)}) {
            EXPECT_FALSE(flowed(flow_under(law, elastic, sigma, 0, 1))) << sigma.transpose();
        }
    }
}

TYPED_TEST(FlowLaw, MatterInPureCompressionDoesNotFlow) {
    const TypeParam law = this->with_yield_stress(1);
    for (const Elasticity& elastic : all_elastic_laws(Moduli::from_young_poisson(1e5, 0.3))) {
        for (const Real s : {0.5, 0.9, 1.1, 3.0}) {
            const PlasticStep step = flow_under(law, elastic, Vec3::Constant(s), 0, 1);
            EXPECT_LT((step.plastic - Vec3::Ones()).norm(), 1e-14);
            EXPECT_LT(step.alpha, 1e-14);
        }
    }
}

TYPED_TEST(FlowLaw, IsFiniteForEveryInput) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (const Real yield : {0.0, 1e3, infinity}) {
        const TypeParam law = this->with_yield_stress(yield);
        for (const Real s : {2e-4, 1.0, 1e6, 1e99, 1e200}) {
            for (const Real p : {0.0, 1.0, -1.0, 1e120, 1e200, -1e300, infinity}) {
                for (const Real dt : {1e-9, 1e-3, 10.0}) {
                    const Vec3 sigma(1.5 * s, s, 0.9 * s), P(p, 0.5 * p, -p);
                    const PlasticStep step = law.flow(sigma, P, 0, dt);
                    ASSERT_TRUE(step.elastic.allFinite() && step.plastic.allFinite() && std::isfinite(step.alpha))
                        << s << ' ' << p << ' ' << dt;
                    ASSERT_NEAR(step.plastic.prod(), 1, 1e-12);
                }
            }
        }
        const PlasticStep unknown = law.flow({1.5, 1, 0.5}, Vec3::Constant(nan), 0, 1e-3);
        EXPECT_FALSE(flowed(unknown));
        EXPECT_FALSE(flowed(law.flow({infinity, 1, 1}, Vec3(infinity, 0, 0), 0, 1e-3)));
        EXPECT_EQ(law.flow(Vec3::Constant(nan), Vec3::Constant(nan), 0.5, 1e-3).alpha, 0.5);
    }
}

TYPED_TEST(FlowLaw, IsReachedThroughTheList) {
    const TypeParam law = this->with_yield_stress(10);
    const Vec3 sigma(1.3, 1, 0.9), P(3e3, 100, -500);
    const PlasticStep direct = law.flow(sigma, P, 0.1, 1e-3), listed = flow(Plasticity(law), sigma, P, 0.1, 1e-3);
    EXPECT_EQ(direct.elastic, listed.elastic);
    EXPECT_EQ(direct.alpha, listed.alpha);
    EXPECT_TRUE(flowed(listed));
    EXPECT_FALSE(std::string(TypeParam::help).empty());
}

}  // namespace
}  // namespace pliant
