// Every elastic law of the list: its stress is the derivative of its energy, it knows no direction, and at small strain
// it is Hooke's law.
#include "pliant/materials/elasticity.h"

#include <gtest/gtest.h>

#include <set>

#include "materials/law_list.h"
#include "pliant/base/error.h"

namespace pliant {
namespace {

template <class Law>
class ElasticLaw : public ::testing::Test {};
TYPED_TEST_SUITE(ElasticLaw, TypesOf<Elasticity>::Types, NameOfLaw);

// dPsi/dsigma by central differences
template <class Law>
Vec3 difference_of_energy(const Law& law, const Vec3& sigma) {
    constexpr Real h = 1e-6;
    Vec3 result;
    for (int i = 0; i < 3; ++i) {
        const Vec3 step = h * Vec3::Unit(i);
        result[i] = (law.energy_density(sigma + step) - law.energy_density(sigma - step)) / (2 * h);
    }
    return result;
}

template <class Law>
Mat3 difference_of_stress(const Law& law, const Vec3& sigma) {
    constexpr Real h = 1e-6;
    Mat3 result;
    for (int i = 0; i < 3; ++i) {
        const Vec3 step = h * Vec3::Unit(i);
        result.col(i) = (law.principal_stress(sigma + step) - law.principal_stress(sigma - step)) / (2 * h);
    }
    return result;
}

Mat3 difference_of_energy(const Elasticity& law, const Mat3& F) {
    constexpr Real h = 1e-6;
    Mat3 result;
    for (int i = 0; i < 9; ++i) {
        Mat3 more = F, less = F;
        more(i) += h;
        less(i) -= h;
        result(i) = (energy_density(law, svd(more).sigma) - energy_density(law, svd(less).sigma)) / (2 * h);
    }
    return result;
}

TYPED_TEST(ElasticLaw, StressIsTheDerivativeOfTheEnergy) {
    DeformationSource source(1);
    for (const Moduli& moduli : sample_moduli()) {
        const TypeParam law{moduli};
        for (int k = 0; k < 100; ++k) {
            const Vec3 sigma = source.stretches(0.25);
            const Real error = (law.principal_stress(sigma) - difference_of_energy(law, sigma)).norm();
            ASSERT_LT(error, 1e-7 * moduli.p_wave()) << sigma.transpose();
        }
    }
}

TYPED_TEST(ElasticLaw, TangentIsTheDerivativeOfTheStressAndSymmetric) {
    DeformationSource source(2);
    for (const Moduli& moduli : sample_moduli()) {
        const TypeParam law{moduli};
        for (int k = 0; k < 100; ++k) {
            const Vec3 sigma = source.stretches(0.25);
            const Mat3 tangent = law.principal_tangent(sigma);
            ASSERT_LT((tangent - difference_of_stress(law, sigma)).norm(), 1e-7 * moduli.p_wave()) << sigma.transpose();
            ASSERT_LE((tangent - tangent.transpose()).norm(), 1e-15 * tangent.norm());
        }
    }
}

TYPED_TEST(ElasticLaw, PiolaStressIsTheDerivativeByTheDeformationGradient) {
    DeformationSource source(3);
    for (const Moduli& moduli : sample_moduli()) {
        const Elasticity law = TypeParam{moduli};
        for (int k = 0; k < 50; ++k) {
            const Mat3 F = source.gradient(source.stretches(0.25));
            const Real error = (first_piola_stress(law, svd(F)) - difference_of_energy(law, F)).norm();
            ASSERT_LT(error, 1e-6 * moduli.p_wave()) << F;
        }
    }
}

TYPED_TEST(ElasticLaw, EnergyKnowsNoDirectionInSpaceNorInTheBody) {
    DeformationSource source(4);
    for (const Moduli& moduli : sample_moduli()) {
        const Elasticity law = TypeParam{moduli};
        for (int k = 0; k < 50; ++k) {
            const Mat3 F = source.gradient(source.stretches(0.4)), R = source.rotation();
            const Real energy = energy_density(law, svd(F).sigma);
            ASSERT_NEAR(energy_density(law, svd(R * F).sigma), energy, 1e-12 * (energy + moduli.p_wave()));
            ASSERT_NEAR(energy_density(law, svd(F * R).sigma), energy, 1e-12 * (energy + moduli.p_wave()));
        }
    }
}

TYPED_TEST(ElasticLaw, StressTurnsWithSpaceAndWithTheBody) {
    DeformationSource source(5);
    for (const Moduli& moduli : sample_moduli()) {
        const Elasticity law = TypeParam{moduli};
        for (int k = 0; k < 50; ++k) {
            Vec3 sigma = source.stretches(0.3);
            if (k % 3 == 0) sigma.z() = -0.5 * sigma.z();  // inverted
            const Mat3 F = source.gradient(sigma), R = source.rotation(), P = first_piola_stress(law, svd(F));
            ASSERT_LT((first_piola_stress(law, svd(R * F)) - R * P).norm(), 1e-11 * (P.norm() + moduli.p_wave()));
            ASSERT_LT((first_piola_stress(law, svd(F * R)) - P * R).norm(), 1e-11 * (P.norm() + moduli.p_wave()));
        }
    }
}

TYPED_TEST(ElasticLaw, KirchhoffStressIsSymmetricAndMadeFromPiolas) {
    DeformationSource source(6);
    const Elasticity law = TypeParam{Moduli::from_young_poisson(1e5, 0.3)};
    for (int k = 0; k < 50; ++k) {
        const Mat3 F = source.gradient(source.stretches(0.4));
        const Svd f = svd(F);
        const Mat3 tau = kirchhoff_stress(law, f);
        EXPECT_LT((tau - first_piola_stress(law, f) * F.transpose()).norm(), 1e-10 * (tau.norm() + 1e5));
        EXPECT_LT((tau - tau.transpose()).norm(), 1e-12 * tau.norm());
    }
}

TYPED_TEST(ElasticLaw, RestsWithoutEnergyAndStress) {
    DeformationSource source(7);
    for (const Moduli& moduli : sample_moduli()) {
        const TypeParam law{moduli};
        EXPECT_EQ(law.energy_density(Vec3::Ones()), 0);
        EXPECT_EQ(law.principal_stress(Vec3::Ones()), Vec3::Zero());
        const Mat3 P = first_piola_stress(Elasticity(law), svd(source.rotation()));
        EXPECT_LT(P.norm(), 1e-14 * moduli.p_wave());
    }
}

TYPED_TEST(ElasticLaw, AnyDeformationFromRestCostsEnergy) {
    DeformationSource source(8);
    for (const Moduli& moduli : sample_moduli()) {
        const TypeParam law{moduli};
        for (int k = 0; k < 200; ++k) EXPECT_GT(law.energy_density(source.stretches(0.2)), 0);
        const Mat3 tangent = law.principal_tangent(Vec3::Ones());
        for (int k = 0; k < 50; ++k) {
            const Vec3 e(source.number(), source.number(), source.number());
            EXPECT_GT(e.dot(tangent * e), 0);
        }
    }
}

TYPED_TEST(ElasticLaw, IsFiniteWhenInvertedFlattenedAndHuge) {
    const TypeParam law{Moduli::from_young_poisson(1e5, 0.3)};
    const std::vector<Vec3> extremes = {
        {0, 0, 0},    {1, 1, 0},   {1, 0, 0},       {1, 1, -1},     {1, 0.5, -0.5},   {3, 2, -1e-9},
        {1, 1, 1e-9}, {1e6, 1, 1}, {1e6, 1e6, 1e6}, {1e8, 1e-8, 0}, {1e-9, 0, -1e-9}, {1e6, 1e6, -1e6},
    };
    for (const Vec3& sigma : extremes) {
        EXPECT_TRUE(std::isfinite(law.energy_density(sigma))) << sigma.transpose();
        EXPECT_TRUE(law.principal_stress(sigma).allFinite()) << sigma.transpose();
        EXPECT_TRUE(law.principal_tangent(sigma).allFinite()) << sigma.transpose();
    }
    for (const Mat3& F : {Mat3(Mat3::Zero()), Mat3(-Mat3::Identity()), Mat3(Mat3::Ones()), Mat3(1e6 * Mat3::Ones())}) {
        EXPECT_TRUE(first_piola_stress(Elasticity(law), svd(F)).allFinite()) << F;
    }
}

constexpr Real small = 1e-6;

// A bar pulled along x with free sides:  e_y = e_z = -nu e,   P_x = E e
TYPED_TEST(ElasticLaw, PulledBarObeysYoungAndPoisson) {
    for (const Moduli& moduli : sample_moduli()) {
        const Real side = 1 - moduli.poisson() * small;
        const Vec3 P = TypeParam{moduli}.principal_stress({1 + small, side, side});
        EXPECT_NEAR(P.x(), moduli.young() * small, 3 * moduli.p_wave() * square(small));
        EXPECT_NEAR(P.y(), 0, 1e-5 * moduli.p_wave() * small);
        EXPECT_NEAR(P.z(), 0, 1e-5 * moduli.p_wave() * small);
    }
}

// A bar pulled along x with held sides:  P = ((lambda + 2 mu) e, lambda e, lambda e),   Psi = (lambda + 2 mu) e^2 / 2
TYPED_TEST(ElasticLaw, ConfinedBarObeysThePWaveModulus) {
    for (const Moduli& moduli : sample_moduli()) {
        const TypeParam law{moduli};
        const Vec3 P = law.principal_stress({1 + small, 1, 1});
        const Vec3 expected = Vec3(moduli.p_wave(), moduli.lambda, moduli.lambda) * small;
        EXPECT_LT((P - expected).norm(), 1e-5 * expected.norm());
        EXPECT_NEAR(law.energy_density({1 + small, 1, 1}), moduli.p_wave() * square(small) / 2,
                    1e-4 * moduli.p_wave() * square(small));
    }
}

// Simple shear F = 1 + gamma e_x e_y^T:  P_xy = mu gamma,   Psi = mu gamma^2 / 2
TYPED_TEST(ElasticLaw, ShearedBlockObeysTheShearModulus) {
    for (const Moduli& moduli : sample_moduli()) {
        const Elasticity law = TypeParam{moduli};
        Mat3 F = Mat3::Identity();
        F(0, 1) = 1e-5;
        const Svd f = svd(F);
        const Mat3 P = first_piola_stress(law, f);
        EXPECT_NEAR(P(0, 1), moduli.mu * 1e-5, 1e-4 * moduli.mu * 1e-5);
        EXPECT_NEAR(P(1, 0), moduli.mu * 1e-5, 1e-4 * moduli.mu * 1e-5);
        EXPECT_NEAR(energy_density(law, f.sigma), moduli.mu * 1e-10 / 2, 1e-3 * moduli.mu * 1e-10);
    }
}

// The same pressure from all sides:  p = K dV/V = 3 K e
TYPED_TEST(ElasticLaw, SqueezedBlockObeysTheBulkModulus) {
    for (const Moduli& moduli : sample_moduli()) {
        const Vec3 P = TypeParam{moduli}.principal_stress(Vec3::Constant(1 - small));
        for (int i = 0; i < 3; ++i) EXPECT_NEAR(P[i], -3 * moduli.bulk() * small, 1e-4 * moduli.bulk() * small);
    }
}

TYPED_TEST(ElasticLaw, IsMadeByItsName) {
    const Elasticity law = make_elasticity(TypeParam::name, Moduli::from_young_poisson(3e4, 0.2));
    ASSERT_TRUE(std::holds_alternative<TypeParam>(law));
    const TypeParam same{Moduli::from_young_poisson(3e4, 0.2)};
    const Vec3 sigma(1.2, 1, 0.9);
    EXPECT_EQ(energy_density(law, sigma), same.energy_density(sigma));
    EXPECT_EQ(principal_stress(law, sigma), same.principal_stress(sigma));
    EXPECT_EQ(principal_tangent(law, sigma), same.principal_tangent(sigma));
    EXPECT_FALSE(std::string(TypeParam::help).empty());
}

TEST(ElasticityList, HasDistinctNames) {
    const std::vector<std::string> names = elasticity_names();
    EXPECT_EQ(names.size(), std::variant_size_v<Elasticity>);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(ElasticityList, RefusesANameThatIsNotInIt) {
    EXPECT_THROW(make_elasticity("rubbery", Moduli{1, 1}), InputError);
}

TEST(VonMisesStress, OfAPulledBarIsItsTension) {
    DeformationSource source(9);
    const Mat3 R = source.rotation();
    EXPECT_NEAR(von_mises_stress(R * Vec3(5, 0, 0).asDiagonal() * R.transpose()), 5, 1e-14);
    EXPECT_NEAR(von_mises_stress(Vec3(-5, 0, 0).asDiagonal()), 5, 1e-14);
}

TEST(VonMisesStress, IgnoresPressureAndCountsShearBySquareRootOfThree) {
    EXPECT_NEAR(von_mises_stress(-7 * Mat3::Identity()), 0, 1e-14);
    Mat3 shear = Mat3::Zero();
    shear(0, 1) = shear(1, 0) = 2;
    EXPECT_NEAR(von_mises_stress(shear + 100 * Mat3::Identity()), 2 * std::sqrt(3.0), 1e-12);
}

}  // namespace
}  // namespace pliant
