#include "pliant/methods/mls/gerszewski2009.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/math/svd.h"
#include "support/lattice.h"

namespace pliant {
namespace {

constexpr Real h = 0.05, E = 1e5;

ParticleState block(int a, int b, int c, Real jitter) {
    return lattice_block(a, b, c, h, jitter);
}

struct Fixture {
    explicit Fixture(ParticleState s, MlsSettings settings = {})
        : model(rubber_model(E, 0.3, h)), state(std::move(s)), method(settings, model) {
        method.prepare(state);
    }
    Model model;
    ParticleState state;
    Gerszewski2009 method;
};

Vec3 total(const std::vector<Vec3>& force) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& f : force) sum += f;
    return sum;
}

TEST(Gerszewski2009, RigidMotionCausesNoForce) {
    ParticleState state = block(6, 6, 6, 0.2);
    const Mat3 R = Eigen::AngleAxisd(2.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.position[i] = R * state.position[i] + Vec3(3, -2, 5);
        state.deformation[i] = R;
        state.velocity[i] = Vec3(1, 2, 3) + Vec3(0.3, -2, 1).cross(state.position[i]);  // and no viscous one either
    }
    Fixture f(state);
    f.method.compute_forces(f.state, 1e-4);
    for (const Vec3& force : f.method.forces()) EXPECT_LT(force.norm(), 1e-9 * E * h * h);
}

TEST(Gerszewski2009, PassesThePatchTest) {
    // v = A q gives grad v = A exactly for any neighbourhood that spans space, so F = 1 + dt A.
    ParticleState state = block(6, 6, 6, 0.2);
    Mat3 A;
    A << 0.3, -0.2, 0.1, 0.5, -0.1, 0.2, -0.3, 0.4, 0.2;
    for (std::size_t i = 0; i < state.size(); ++i) state.velocity[i] = A * state.position[i];
    MlsSettings no_stabilisers;
    no_stabilisers.viscosity = 0;
    Fixture f(state, no_stabilisers);
    f.method.step(f.state, 0, 1e-2);
    for (const Mat3& F : f.state.deformation) EXPECT_LT((F - Mat3::Identity() - 1e-2 * A).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Gerszewski2009, ForceIsMinusTheDerivativeOfTheEnergy) {
    // dE = sum_i V_i P_i : (grad du)_i F_i  for a small displacement du, and must be -sum_i f_i . du_i.
    ParticleState state = block(5, 5, 5, 0.2);
    std::mt19937 random(3);
    std::normal_distribution<Real> noise;
    for (Mat3& F : state.deformation) F = Mat3::Identity() + 0.1 * Mat3::NullaryExpr([&] { return noise(random); });
    MlsSettings no_stabilisers;
    no_stabilisers.viscosity = 0;
    Fixture f(state, no_stabilisers);
    f.method.compute_forces(f.state, 1e-4);
    const std::vector<Vec3> force = f.method.forces();

    const auto energy_after = [&](const std::vector<Vec3>& du, Real epsilon) {
        Fixture moved(state, no_stabilisers);
        for (std::size_t i = 0; i < state.size(); ++i) {
            // With dt = 1 and the forces cancelled, one step deforms by exactly epsilon du.
            moved.state.velocity[i] = epsilon * du[i] - force[i] / state.mass[i];
        }
        moved.method.step(moved.state, 0, 1);
        return moved.method.elastic_energy(moved.state);
    };
    std::vector<Vec3> du(state.size());
    Real work = 0;
    for (std::size_t i = 0; i < du.size(); ++i) {
        du[i] = h * Vec3(noise(random), noise(random), noise(random));
        work -= force[i].dot(du[i]);
    }
    const Real epsilon = 1e-5;
    const Real difference = (energy_after(du, epsilon) - energy_after(du, -epsilon)) / (2 * epsilon);
    EXPECT_NEAR(difference / work, 1, 1e-6);
}

TEST(Gerszewski2009, ForcesKeepLinearAndAngularMomentum) {
    ParticleState state = block(5, 5, 5, 0.3);
    std::mt19937 random(11);
    std::normal_distribution<Real> noise;
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.deformation[i] = Mat3::Identity() + 0.1 * Mat3::NullaryExpr([&] { return noise(random); });
        state.velocity[i] = Vec3(noise(random), noise(random), noise(random));
    }
    MlsSettings all;
    all.pressure = 0.5;
    Fixture f(state, all);
    f.method.compute_forces(f.state, 1e-4);
    Real largest = 0;
    Vec3 torque = Vec3::Zero();
    for (std::size_t i = 0; i < state.size(); ++i) {
        largest = std::max(largest, f.method.forces()[i].norm());
        torque += f.state.position[i].cross(f.method.forces()[i]);
    }
    EXPECT_LT(total(f.method.forces()).norm(), 1e-11 * largest);
    EXPECT_LT(torque.norm(), 1e-11 * largest);
}

TEST(Gerszewski2009, ThinAndLonelyParticlesStayFinite) {
    for (const auto& [a, b, c] :
         {std::tuple(12, 12, 1), std::tuple(24, 1, 1), std::tuple(2, 1, 1), std::tuple(1, 1, 1)}) {
        Fixture f(block(a, b, c, a > 2 ? 0.05 : 0));
        for (std::size_t i = 0; i < f.state.size(); ++i)
            f.state.velocity[i] = Vec3(0.1, 0.5, -0.2).cross(f.state.position[i]);
        for (int step = 0; step < 2000; ++step) f.method.step(f.state, 0, f.method.largest_timestep(f.state));
        EXPECT_EQ(first_not_finite(f.state), f.state.size());
        EXPECT_LT(largest_speed(f.state), 2) << a << " x " << b << " x " << c;
    }
}

TEST(Gerszewski2009, LonelyParticlesMeetOthers) {
    ParticleState state = block(2, 1, 1, 0);
    state.position[1].x() = 3 * h;
    state.velocity[1].x() = -1;
    Fixture f(state);
    for (int step = 0; step < 2000; ++step) f.method.step(f.state, 0, f.method.largest_timestep(f.state));
    EXPECT_EQ(first_not_finite(f.state), f.state.size());
    EXPECT_LT(largest_speed(f.state), 1.5);
}

TEST(Gerszewski2009, ParticlesInOnePlaceStayFinite) {
    ParticleState state = block(4, 4, 4, 0);
    for (std::size_t i = 0; i < 8; ++i) state.position[i] = state.position[0];
    Fixture f(state);
    for (int step = 0; step < 200; ++step) f.method.step(f.state, 0, f.method.largest_timestep(f.state));
    EXPECT_EQ(first_not_finite(f.state), f.state.size());
}

TEST(Gerszewski2009, ASheetTurnsWithItsNeighbours) {
    // A flat sheet knows nothing of its normal direction; F must follow the rotation there too and stay a rotation.
    Fixture f(block(9, 9, 1, 0));  // lies in x and y
    const Vec3 spin(2, 1, 0);      // in the plane: a principal axis, so it stays
    const Vec3 centre = centre_of_mass(f.state);
    for (std::size_t i = 0; i < f.state.size(); ++i) f.state.velocity[i] = spin.cross(f.state.position[i] - centre);
    const Real end = 0.5;
    const int steps = 2000;
    for (int s = 0; s < steps; ++s) f.method.step(f.state, 0, end / steps);
    const Mat3 expected = Eigen::AngleAxisd(spin.norm() * end, spin.normalized()).toRotationMatrix();
    for (const Mat3& F : f.state.deformation) EXPECT_LT((F - expected).norm(), 0.05);
}

TEST(Gerszewski2009, ViscosityTakesEnergyAndNoMomentum) {
    const auto energy_after = [](Real viscosity) {
        MlsSettings settings;
        settings.viscosity = viscosity;
        Fixture f(block(5, 5, 5, 0), settings);
        std::mt19937 random(5);
        std::normal_distribution<Real> noise(0, 0.1);
        for (Vec3& v : f.state.velocity) v = Vec3(noise(random), noise(random), noise(random));
        const Momentum before = momentum(f.state);
        for (int i = 0; i < 200; ++i) f.method.step(f.state, 0, 5e-4);
        EXPECT_LT((momentum(f.state).linear - before.linear).norm(), 1e-10);
        return kinetic_energy(f.state) + f.method.elastic_energy(f.state);
    };
    EXPECT_LT(energy_after(0.1), 0.7 * energy_after(0));
}

TEST(Gerszewski2009, PressureKeepsParticlesApart) {
    // Squeezed without elastic stress (F = 1), the body swells again only through the pressure.
    ParticleState state = block(6, 6, 6, 0);
    MlsSettings settings;
    settings.pressure = 0.5;
    Fixture f(state, settings);
    for (Vec3& q : f.state.position) q *= 0.8;
    for (int i = 0; i < 400; ++i) f.method.step(f.state, 0, 2e-4);
    EXPECT_GT(bounds(f.state).diagonal().norm(), 0.82 * bounds(state).diagonal().norm());
}

}  // namespace
}  // namespace pliant
