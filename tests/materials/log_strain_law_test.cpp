#include "pliant/materials/log_strain_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pliant {
namespace {

constexpr Moduli moduli{4e5, 6e5};

// The answer of one particle.
struct Answer {
    Vec3 strain, tau;
    Real energy, flow, opened;
    Mat3 tangent;
};
Answer ask(const LogStrainLaw& law, const Vec3& e, Real alpha = 0, Real opened = 0, Real secant_share = 0) {
    const auto wide = WideLogStrainLaw<Double4>::load([&](int) -> const LogStrainLaw& { return law; });
    auto r = respond(wide, WideVec3<Double4>{e.x(), e.y(), e.z()}, Double4(alpha), Double4(opened));
    r.approach_secant(Double4(secant_share));
    const auto vector = [](const WideVec3<Double4>& v) { return Vec3(v.x[2], v.y[2], v.z[2]); };
    const Vec3 u = vector(r.direction), one = Vec3::Ones();
    const Mat3 across = Mat3::Identity() - one * one.transpose() / 3 - u * u.transpose();
    Mat3 general;
    if (r.has_general) {
        const auto g = [&](int k) { return r.general[k][0]; };
        general << g(0), g(3), g(4), g(3), g(1), g(5), g(4), g(5), g(2);
    }
    return {vector(r.strain),
            vector(r.tau),
            r.energy[1],
            r.flow[0],
            r.opened[3],
            r.has_general ? general
                          : Mat3(r.tangential[0] * across + r.radial[0] * u * u.transpose() +
                                 r.volumetric[0] * one * one.transpose() + u * vector(r.coupling).transpose())};
}
Vec3 deviator(const Vec3& v) {
    return v - Vec3::Constant(v.mean());
}

std::vector<LogStrainLaw> laws() {
    std::vector<LogStrainLaw> list;
    list.push_back(elastic_part(moduli, {}));
    list.push_back(neo_hookean_part(moduli));
    list.push_back(elastic_part(moduli, VonMisesPlasticity{5e4, 0}));
    list.push_back(elastic_part(moduli, VonMisesPlasticity{5e4, 2e5}));
    list.push_back(elastic_part(moduli, VonMisesPlasticity{5e4, -1e4}));
    list.push_back(elastic_part(moduli, DruckerPragerPlasticity{}));
    list.push_back(elastic_part(moduli, DruckerPragerPlasticity{35, 2e4, true}));
    list.push_back(elastic_part(moduli, DruckerPragerPlasticity{35, 2e4, true, "compression"}));
    list.push_back(elastic_part(moduli, DruckerPragerPlasticity{35, 0, true, "plane_strain"}));
    list.push_back(elastic_part(moduli, SnowPlasticity{}));
    list.push_back(elastic_part(moduli, SnowPlasticity{0.15, 0.1, 5}));
    list.push_back(viscous_part(Viscous{3e5, 1e5, 400, {}}, 1e-3));
    list.push_back(liquid_part(Liquid{1000, 2, 0}, 1e5, 1e-3));
    return list;
}

std::vector<Vec3> strains() {
    std::mt19937 random(7);
    std::normal_distribution<Real> number(0, 0.2);
    std::vector<Vec3> list;
    for (int k = 0; k < 60; ++k) list.emplace_back(number(random), number(random), number(random));
    for (const Real t : {-0.3, -0.05, 0.0, 0.2}) list.emplace_back(t, t, t);  // no shear
    return list;
}

TEST(LogStrainLaw, StressIsTheSlopeOfThePotential) {
    constexpr Real step = 1e-6;
    for (const LogStrainLaw& law : laws()) {
        if (!law.has_potential()) continue;
        for (const Vec3& e : strains()) {
            if (!law.holds_tension && std::abs(e.sum()) < 1e-4) continue;  // where a liquid tears
            const Answer answer = ask(law, e, 0.03);
            for (int i = 0; i < 3; ++i) {
                const Vec3 d = step * Vec3::Unit(i);
                const Real slope = (ask(law, e + d, 0.03).energy - ask(law, e - d, 0.03).energy) / (2 * step);
                EXPECT_NEAR(slope, answer.tau[i], 1e-6 * (answer.tau.norm() + 1e4));
            }
        }
    }
}

TEST(LogStrainLaw, TangentIsTheSlopeOfStress) {
    constexpr Real step = 1e-7;
    for (const LogStrainLaw& law : laws()) {
        if (law.hardening < 0) continue;  // taken for zero, see LogResponse
        for (const Vec3& e : strains()) {
            if (std::abs(e.sum()) < 1e-4 || deviator(e).norm() < 1e-6) continue;  // tips
            const Answer answer = ask(law, e, 0.03);
            if (answer.tangent.isZero()) continue;
            for (int i = 0; i < 3; ++i) {
                const Vec3 d = step * Vec3::Unit(i);
                const Vec3 slope = (ask(law, e + d, 0.03).tau - ask(law, e - d, 0.03).tau) / (2 * step);
                EXPECT_LT((slope - answer.tangent.col(i)).norm(), 2e-6 * 3e6);
            }
        }
    }
}

// phi(b) <= phi(a) + tau(a) (b - a) + (b - a) S (b - a) / 2, whichever side of the yield surface a and b are on.
TEST(LogStrainLaw, SecantLiesAboveThePotentialOfMatterThatFlows) {
    for (const Real hardening : {0.0, 2e5}) {
        const LogStrainLaw law = elastic_part(moduli, VonMisesPlasticity{5e4, hardening});
        for (const Vec3& a : strains()) {
            const Answer from = ask(law, a, 0, 0, 1);
            for (const Vec3& b : strains()) {
                const Vec3 way = b - a;
                const Real model = from.energy + from.tau.dot(way) + way.dot(from.tangent * way) / 2;
                EXPECT_LE(ask(law, b).energy, model + 1e-9 * (std::abs(model) + 1));
            }
        }
    }
}

TEST(LogStrainLaw, IsHenckysLawWithoutFlow) {
    const LogStrainLaw law = elastic_part(moduli, {});
    const HenckyElasticity hencky{moduli};
    for (const Vec3& e : strains()) {
        const Answer answer = ask(law, e);
        const Vec3 sigma = e.array().exp();
        EXPECT_LT((answer.tau - hencky.strain_stress(sigma)).norm(), 1e-9 * moduli.mu);
        EXPECT_NEAR(answer.energy, hencky.energy_density(sigma), 1e-12 * moduli.mu);
        EXPECT_LT((answer.strain - e).norm(), 1e-15);
    }
}

// Also far out, flattened and inverted, and next to rest, where its energy is a small difference.
TEST(LogStrainLaw, IsTheNeoHookeanLaw) {
    const LogStrainLaw law = neo_hookean_part(moduli);
    const NeoHookeanElasticity rubber{moduli};
    std::vector<Vec3> stretches = {{3, 0.6, 0.6}, {5, 2, 0.3}, {1, 0.1, 0.05}, {1.2, 0.4, -0.3}, {1, 1, 1}};
    for (const Vec3& e : strains()) stretches.push_back(e.array().exp());
    for (const Real small : {1e-3, 1e-6}) stretches.emplace_back(1 + small, 1 - 2 * small, 1 + 3 * small);
    for (const Vec3& sigma : stretches) {
        const Vec3 slope = HenckyElasticity::strain_slope(sigma);
        const Answer answer = ask(law, HenckyElasticity::strain(sigma));
        const Vec3 P = answer.tau.cwiseProduct(slope), exact = rubber.principal_stress(sigma);
        EXPECT_LT((P - exact).norm(), 1e-13 * (moduli.mu + exact.norm()));
        EXPECT_NEAR(answer.energy, rubber.energy_density(sigma), 1e-15 * moduli.mu + 1e-9 * answer.energy);
        Mat3 tangent = slope.asDiagonal() * answer.tangent * slope.asDiagonal();
        tangent.diagonal() += answer.tau.cwiseProduct(HenckyElasticity::strain_curvature(sigma));
        const Mat3 wanted = rubber.principal_tangent(sigma);
        EXPECT_LT((tangent - wanted).norm(), 1e-12 * wanted.norm());
    }
}

// Below the knee as above: h as HenckyElasticity has it, and back.
TEST(LogStrainLaw, StrainOfStretchesAndBack) {
    for (const Real s : {-1.0, -0.01, 0.1, 0.19, 0.21, 0.9, 1.0, 3.0, 40.0}) {
        const WideVec3<Double4> sigma{s, 1.1 * s, 0.9 * s};
        const auto h = log_strain(sigma);
        const Vec3 plain(s, 1.1 * s, 0.9 * s), strain = HenckyElasticity::strain(plain);
        EXPECT_NEAR(h.value.y[1], strain.y(), 1e-14);
        EXPECT_NEAR(h.slope.z[0], HenckyElasticity::strain_slope(plain).z(), 1e-14);
        EXPECT_NEAR(h.curvature.x[3], HenckyElasticity::strain_curvature(plain).x(), 1e-12);
        EXPECT_NEAR(stretch_of(h.value).y[2], 1.1 * s, 1e-14 * (1 + std::abs(s)));
    }
}

// Of a strain that is held: shape and volume decay by 1 / (1 + dt / relaxation time) a step, and by the exponential in
// the limit of short steps.
TEST(LogStrainLaw, ViscousPartRelaxesAsTheClosedFormSays) {
    const Viscous viscous{3e5, 2e5, 4e3, 5e3};
    const Vec3 start(0.2, -0.1, 0.05);
    for (const Real dt : {1e-3, 1e-4, 1e-5}) {
        const LogStrainLaw law = viscous_part(viscous, dt);
        const int steps = static_cast<int>(std::lround(0.02 / dt));
        Vec3 e = start;
        for (int k = 0; k < steps; ++k) e = ask(law, e).strain;
        const Real shape = std::pow(1 + dt * viscous.shear / viscous.viscosity, -steps);
        const Real volume = std::pow(1 + dt * viscous.bulk / *viscous.bulk_viscosity, -steps);
        EXPECT_LT((deviator(e) - shape * deviator(start)).norm(), 1e-12);
        EXPECT_NEAR(e.sum(), volume * start.sum(), 1e-12);
        const Real exact = std::exp(-0.02 * viscous.shear / viscous.viscosity);
        EXPECT_NEAR(shape / exact, 1, 1.5 * 0.02 / 2 * dt * square(viscous.shear / viscous.viscosity));
    }
    const Answer held = ask(viscous_part(viscous, 1e-3), start);  // its stress is that of the strain that is left
    EXPECT_LT((deviator(held.tau) - 2 * viscous.shear * deviator(held.strain)).norm(), 1e-6);
    EXPECT_NEAR(held.tau.mean(), viscous.bulk * held.strain.sum(), 1e-6);
}

// The standard linear solid under a shear stress that is put on and kept, with G and the part that relaxes G1, eta:
//     strain(t) = stress / 2 G (1 - G1 / (G + G1) exp(-t / T)),   T = eta (G + G1) / (G G1)
TEST(LogStrainLaw, CreepsAsTheStandardLinearSolid) {
    const Viscous viscous{3e5, 0, 4e3, {}};
    const LogStrainLaw elastic = elastic_part(moduli, {});
    const Real dt = 2e-4, G = moduli.mu, G1 = viscous.shear, T = viscous.viscosity * (G + G1) / (G * G1), stress = 1e4;
    const LogStrainLaw relaxing = viscous_part(viscous, dt);
    const Vec3 shear(1, -1, 0);
    Real strain = 0, part = 0;  // of the whole, and of what the viscous part has not yet forgotten
    for (int k = 1; k <= 400; ++k) {
        // Both parts are linear: the strain at which they bear the stress together.
        const Real stiff = ask(elastic, shear).tau.x(), soft = ask(relaxing, shear).tau.x();
        const Real change = (stress - stiff * strain - soft * part) / (stiff + soft);
        strain += change;
        part = ask(relaxing, (part + change) * shear).strain.x();
        const Real t = k * dt, exact = stress / (2 * G) * (1 - G1 / (G + G1) * std::exp(-t / T));
        EXPECT_NEAR(strain, exact, 0.01 * exact);
    }
}

// Steady shear at the rate D bears dev tau = 2 eta D.
TEST(LogStrainLaw, ViscosityIsThatOfTheTextbooks) {
    const Viscous viscous{3e5, 0, 40, {}};
    const Real dt = 1e-5, rate = 5;
    const LogStrainLaw law = viscous_part(viscous, dt);
    Vec3 e = Vec3::Zero(), tau = Vec3::Zero();
    for (int k = 0; k < 1000; ++k) {
        const Answer answer = ask(law, e + dt * rate * Vec3(1, -1, 0));
        e = answer.strain, tau = answer.tau;
    }
    EXPECT_NEAR(tau.x(), 2 * viscous.viscosity * rate, 1e-3 * tau.x());
    const Answer liquid = ask(liquid_part(Liquid{1000, 40, 0}, 1e5, dt), dt * rate * Vec3(1, -1, 0));
    EXPECT_NEAR(liquid.tau.x(), 2 * 40 * rate, 1e-9);
    EXPECT_LT(liquid.strain.norm(), 1e-15);
}

// Pressed, snow bears three times log(1 - critical compression) of volume strain and packs by the rest; packed, it is
// stiffer; pulled, it opens and is softer. Shear strain ends where it breaks, and nothing is lost on the way.
TEST(LogStrainLaw, SnowPacksHardensAndBreaks) {
    const SnowPlasticity snow{0.025, 0.0075, 10};
    const LogStrainLaw law = elastic_part(moduli, snow);
    const Answer pressed = ask(law, Vec3::Constant(-0.1));
    EXPECT_NEAR(pressed.strain.sum(), 3 * std::log(0.975), 1e-12);
    EXPECT_NEAR(pressed.opened + pressed.strain.sum(), -0.3, 1e-12);
    EXPECT_GT(pressed.flow, 0);
    const Answer packed = ask(law, pressed.strain, 0, pressed.opened);
    EXPECT_NEAR(packed.tau.mean() / pressed.tau.mean(), std::exp(10 * (1 - std::exp(pressed.opened))), 1e-9);
    EXPECT_NEAR(packed.tau.mean() / pressed.tau.mean(), law.packed(pressed.opened), 1e-9);
    EXPECT_EQ(packed.flow, 0);

    const Answer pulled = ask(law, Vec3::Constant(0.1));
    EXPECT_NEAR(pulled.strain.sum(), 3 * std::log(1.0075), 1e-12);
    EXPECT_GT(pulled.opened, 0.2);
    EXPECT_LT(ask(law, pulled.strain, 0, pulled.opened).tau.mean(), 0.2 * pulled.tau.mean());

    const Answer sheared = ask(law, Vec3(0.2, 0, -0.2));
    EXPECT_NEAR(sheared.strain.norm(), (0.025 + 0.0075) / std::sqrt(2.0), 1e-12);
    EXPECT_EQ(sheared.opened, 0);
    const Vec3 gentle(0.005, -0.004, -0.01);
    EXPECT_LT((ask(law, gentle).strain - gentle).norm(), 1e-15);
    for (const Real opened : {-50.0, 50.0}) EXPECT_TRUE(ask(law, gentle, 0, opened).tau.allFinite());
}

TEST(LogStrainLaw, VonMisesBearsItsYieldStressAndKeepsVolume) {
    const LogStrainLaw law = elastic_part(moduli, VonMisesPlasticity{5e4, 0});
    for (const Vec3& e : strains()) {
        const Answer answer = ask(law, e);
        const Real q = std::sqrt(1.5) * deviator(answer.tau).norm();
        EXPECT_LE(q, 5e4 * (1 + 1e-10));
        if (answer.flow > 0) {
            EXPECT_NEAR(q, 5e4, 5e-6);
        }
        EXPECT_NEAR(answer.strain.sum(), e.sum(), 1e-14);
        EXPECT_LT((answer.tau - ask(elastic_part(moduli, {}), answer.strain).tau).norm(), 1e-6);
    }
}

TEST(LogStrainLaw, HardeningIsUniaxial) {
    const Real hardening = 2e5;
    const LogStrainLaw law = elastic_part(moduli, VonMisesPlasticity{5e4, hardening});
    const Answer answer = ask(law, Vec3(0.4, -0.2, -0.2), 0.1);
    const Real alpha = 0.1 + std::sqrt(2.0 / 3.0) * answer.flow;
    EXPECT_NEAR(std::sqrt(1.5) * deviator(answer.tau).norm(), 5e4 + hardening * alpha, 1e-6);
}

// As the paper and its public code have it: |dev tau| <= Y + X gamma, with gamma the norm of what has flowed.
TEST(LogStrainLaw, YieldMayBeGivenByTheNormOfTheDeviator) {
    for (const Real X : {0.0, 3e4}) {
        const LogStrainLaw law = elastic_part(moduli, VonMisesPlasticity{2e4, X, "deviator_norm"});
        const Vec3 e(0.4, -0.1, -0.2);
        const Answer answer = ask(law, e);
        const Real gamma = (deviator(e) - deviator(answer.strain)).norm();
        ASSERT_GT(gamma, 0.1);
        EXPECT_NEAR(deviator(answer.tau).norm(), 2e4 + X * gamma, 1e-6);
    }
}

// The largest and the least stress of flowing sand are to each other as (1 - sin phi) to (1 + sin phi): of round cones
// only in the one case that they are made for.
TEST(LogStrainLaw, SandHoldsNoTensionAndShearsUpToItsCone) {
    for (const std::string cone : {"mohr_coulomb", "plane_strain", "compression"}) {
        const DruckerPragerPlasticity sand{35, 0, true, cone};
        const LogStrainLaw law = elastic_part(moduli, sand);
        const Real ratio = (1 - sand.sine()) / (1 + sand.sine());
        const auto ratio_of = [](const Vec3& tau) { return tau.maxCoeff() / tau.minCoeff(); };
        std::size_t flowing = 0;
        for (const Vec3& e : strains()) {
            const Answer answer = ask(law, e);
            if (e.sum() >= 0) {
                EXPECT_EQ(answer.tau.norm(), 0);
                EXPECT_NEAR(answer.opened, e.sum(), 1e-14);
                continue;
            }
            EXPECT_NEAR(answer.strain.sum(), e.sum(), 1e-14);
            if (answer.flow == 0) {
                EXPECT_LT((answer.strain - e).norm(), 1e-15);
            } else {
                ++flowing;
                EXPECT_LT(deviator(answer.tau).cross(deviator(e)).norm(), 1e-9 * moduli.mu);
            }
            if (cone == "mohr_coulomb") {
                EXPECT_GE(ratio_of(answer.tau), ratio * (1 - 1e-9));
                EXPECT_EQ(answer.flow > 0, std::abs(ratio_of(answer.tau) - ratio) < 1e-9);
            }
        }
        EXPECT_GT(flowing, 5u);
        const Real plane = ratio_of(ask(law, Vec3(0.2, -0.05, -0.3)).tau);
        const Real pressed = ratio_of(ask(law, Vec3(0.2, 0.2, -0.55)).tau);
        EXPECT_EQ(std::abs(plane - ratio) < 1e-9, cone != "compression");
        EXPECT_EQ(std::abs(pressed - ratio) < 1e-9, cone != "plane_strain");
        EXPECT_LE(plane, ratio * (1 + 1e-9));  // the round cone of compression is stronger
        EXPECT_GE(pressed, ratio * (1 - 1e-9));
    }
}

// What was pulled apart bears only when it has closed again.
TEST(LogStrainLaw, SandRemembersTheGapsItOpened) {
    const LogStrainLaw law = elastic_part(moduli, DruckerPragerPlasticity{});
    const Answer apart = ask(law, Vec3(0.03, 0.03, 0.03));
    EXPECT_NEAR(apart.opened, 0.09, 1e-14);
    EXPECT_EQ(ask(law, Vec3::Constant(-0.02), 0, apart.opened).tau.norm(), 0);
    const Answer closed = ask(law, Vec3::Constant(-0.04), 0, apart.opened);
    EXPECT_NEAR(closed.tau.x(), 3 * moduli.bulk() * -0.01, 1e-6);
    EXPECT_EQ(closed.opened, 0);
}

TEST(LogStrainLaw, CohesionIsTheTensionFromAllSides) {
    const Real cohesion = 2e4;
    const LogStrainLaw law = elastic_part(moduli, DruckerPragerPlasticity{30, cohesion, true});
    EXPECT_NEAR(ask(law, Vec3::Constant(0.5)).tau.x(), cohesion, 1e-6);
    EXPECT_NEAR(ask(law, Vec3::Constant(0.001)).tau.x(), 3 * moduli.bulk() * 0.001, 1e-6);
}

}  // namespace
}  // namespace pliant
