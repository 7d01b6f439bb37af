#include "pliant/materials/moduli.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

void expect_relatively_near(Real value, Real expected, Real tolerance = 1e-12) {
    EXPECT_NEAR(value, expected, tolerance * std::abs(expected) + 1e-300);
}

TEST(Moduli, OfSteelAreThoseOfTheTextbook) {
    const Moduli steel = Moduli::from_young_poisson(200e9, 0.3);
    EXPECT_NEAR(steel.shear(), 76.9e9, 0.05e9);
    EXPECT_NEAR(steel.bulk(), 166.7e9, 0.05e9);
    EXPECT_NEAR(steel.lambda, 115.4e9, 0.05e9);
    EXPECT_NEAR(steel.p_wave(), 269.2e9, 0.05e9);
    EXPECT_NEAR(sound_speed(steel, 7850), 5856, 1);
}

TEST(Moduli, ComeBackFromYoungAndPoisson) {
    for (const Real E : {1e-3, 1.0, 1e5, 1e13}) {
        for (const Real nu : {-0.99, -0.3, 0.0, 0.25, 0.3, 0.45, 0.4999}) {
            const Moduli m = Moduli::from_young_poisson(E, nu);
            expect_relatively_near(m.young(), E, 1e-10);
            EXPECT_NEAR(m.poisson(), nu, 1e-12);
        }
    }
}

TEST(Moduli, ComeBackFromShearAndBulk) {
    for (const Real G : {1.0, 3e4, 1e12}) {
        for (const Real ratio : {0.01, 0.5, 2.0 / 3, 1.0, 100.0}) {
            const Moduli m = Moduli::from_shear_bulk(G, ratio * G);
            expect_relatively_near(m.shear(), G);
            expect_relatively_near(m.bulk(), ratio * G);
        }
    }
}

TEST(Moduli, AgreeBetweenAllPairs) {
    for (const Real nu : {-0.5, 0.0, 0.3, 0.49}) {
        const Moduli first = Moduli::from_young_poisson(7e4, nu);
        const Moduli second = Moduli::from_shear_bulk(first.shear(), first.bulk());
        const Moduli third = Moduli::from_young_poisson(second.young(), second.poisson());
        for (const Moduli& m : {second, third}) {
            expect_relatively_near(m.mu, first.mu);
            EXPECT_NEAR(m.lambda, first.lambda, 1e-11 * first.bulk());
        }
        // K = E / (3 (1 - 2 nu)),   M = K + 4/3 G,   E = 9 K G / (3 K + G)
        const Real K = first.bulk(), G = first.shear();
        expect_relatively_near(K, 7e4 / (3 * (1 - 2 * nu)));
        expect_relatively_near(first.p_wave(), K + 4.0 / 3 * G);
        expect_relatively_near(first.young(), 9 * K * G / (3 * K + G));
    }
}

TEST(Moduli, AreConstantsWhereTheirInputsAre) {
    constexpr Moduli m = Moduli::from_young_poisson(3, 0.5 - 1.0 / 6);
    static_assert(m.young() > 2.999 && m.young() < 3.001);
    EXPECT_NEAR(m.poisson(), 1.0 / 3, 1e-15);
}

}  // namespace
}  // namespace pliant
