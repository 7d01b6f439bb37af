// Closed forms and conservation, for whole worlds.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/scene/world.h"
#include "support/scenes.h"

namespace pliant {
namespace {

Scene gerszewski(Scene scene) {
    scene.simulation.integrator = "gerszewski09";
    return scene;
}

TEST(FreeFall, FollowsSymplecticEulerExactly) {
    // v_n = -g n dt, so y_n = y_0 - g dt^2 n (n + 1) / 2 = y_0 - g t (t + dt) / 2.
    Scene scene = gerszewski(falling_box());
    scene.simulation.fps = 100;
    scene.simulation.timestep = 1e-3;
    World world(scene);
    const auto start = world.state().position;
    for (int i = 0; i < 50; ++i) world.advance_frame();
    const Real t = world.time(), dt = 1e-3;
    for (std::size_t i = 0; i < start.size(); ++i) {
        EXPECT_NEAR(world.state().position[i].y(), start[i].y() - 9.81 * t * (t + dt) / 2, 1e-9);
        EXPECT_NEAR(world.state().position[i].x(), start[i].x(), 1e-9);
    }
    EXPECT_LT(world.diagnostics().elastic, 1e-12);
}

TEST(FreeSpin, KeepsMomentumAndNearlyAllSpin) {
    Scene scene = gerszewski(falling_box());
    scene.simulation.gravity = Vec3::Zero();
    scene.bodies[0].position = Vec3::Zero();
    scene.bodies[0].velocity = {0.3, 0.2, -0.1};
    scene.bodies[0].angular_velocity = {1, 5, 2};
    World world(scene);
    const Diagnostics before = world.diagnostics();
    while (world.time() < 1) world.advance_frame();
    const Diagnostics after = world.diagnostics();
    EXPECT_LT((after.momentum.linear - before.momentum.linear).norm(), 1e-12);
    EXPECT_LT((after.momentum.angular - before.momentum.angular).norm(), 1e-10 * before.momentum.angular.norm());
}

TEST(Bar, RingsAtTheSpeedOfSound) {
    // A free bar's first longitudinal mode has period 2 L / c with c = sqrt(E / rho).
    Scene scene = gerszewski(falling_box());
    scene.simulation.gravity = Vec3::Zero();
    scene.simulation.fps = 2000;
    scene.simulation.duration = 1;
    scene.mls.viscosity = 0;
    scene.materials[0].poisson = 0;
    const Real L = 0.8;
    scene.bodies[0].shape = BoxShape{Vec3(L, 0.1, 0.1)};
    scene.bodies[0].position = Vec3::Zero();
    Real crossing = 0;
    World world(scene);
    // The mode's velocity: v = 0.05 sin(pi x / L).
    std::vector<Vec3> velocity = world.state().velocity;
    for (std::size_t i = 0; i < velocity.size(); ++i)
        velocity[i] = Vec3(0.05 * std::sin(pi * world.state().position[i].x() / L), 0, 0);
    world.set_velocities(velocity);
    const auto mode = [&] {
        Real sum = 0;
        for (std::size_t i = 0; i < velocity.size(); ++i) sum += world.state().velocity[i].dot(velocity[i]);
        return sum;
    };
    Real last = mode();
    while (crossing == 0 && world.time() < 1) {
        world.advance_frame();
        const Real now = mode();
        if (now <= 0) crossing = world.time() - scene.frame_duration() * now / (now - last);
        last = now;
    }
    const Real quarter = 2 * L / std::sqrt(1e5 / 1000) / 4;
    EXPECT_NEAR(crossing / quarter, 1, 0.06);
}

class OwnStep : public testing::TestWithParam<Real> {};

TEST_P(OwnStep, IsStableAtEveryStiffness) {
    Scene scene = gerszewski(dropped_box());
    scene.materials[0].plastic.reset();
    scene.materials[0].young = GetParam();
    scene.bodies[0].velocity = Vec3::Zero();
    World world(scene);
    const Real start = world.diagnostics().potential;
    const Real mass = total_mass(world.state());
    const int frames = GetParam() > 1e6 ? 12 : 60;
    for (int i = 0; i < frames; ++i) {
        world.advance_frame();
        const Diagnostics d = world.diagnostics();
        EXPECT_LT(d.kinetic + d.elastic + d.potential, start + 0.02 * mass * 9.81 * 0.1) << "frame " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Young, OwnStep, testing::Values(1e3, 1e4, 1e5, 1e6, 1e7, 1e8));

class OwnStepPlastic : public testing::TestWithParam<std::pair<Real, Real>> {};

TEST_P(OwnStepPlastic, IsStableWhileFlowing) {
    Scene scene = gerszewski(dropped_box());
    Bargteil2007Plasticity plastic;
    plastic.yield_stress = GetParam().first;
    plastic.flow_rate = GetParam().second;
    scene.materials[0].plastic = plastic;
    World world(scene);
    for (int i = 0; i < 60; ++i) {
        world.advance_frame();
        ASSERT_LT(world.diagnostics().largest_speed, 3 * 2.5) << "frame " << i;
    }
    EXPECT_LT(world.diagnostics().largest_speed, 1.5);
}

INSTANTIATE_TEST_SUITE_P(YieldAndRate, OwnStepPlastic,
                         testing::Values(std::pair(5e3, 25.0), std::pair(1e3, 350.0), std::pair(2e2, 1e4)));

// How far the particles are from the best rigid fit of their start, in spacings.
Real permanent_set(Scene scene, int frames = 60) {
    World world(scene);
    const auto start = world.state().position;
    const Vec3 c0 = centre_of_mass(world.state());
    for (int i = 0; i < frames; ++i) world.advance_frame();
    const Vec3 c1 = centre_of_mass(world.state());
    Mat3 A = Mat3::Zero();
    for (std::size_t i = 0; i < start.size(); ++i) A += (world.state().position[i] - c1) * (start[i] - c0).transpose();
    const Svd s = svd(A);
    const Mat3 R = s.U * s.V.transpose();
    Real sum = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
        sum += (world.state().position[i] - c1 - R * (start[i] - c0)).squaredNorm();
    return std::sqrt(sum / Real(start.size())) / scene.bodies[0].spacing;
}

TEST(PermanentSet, GrowsWithTheFlowRateAndFallsWithHardening) {
    const auto with = [](Real rate, Real hardening) {
        Scene scene = gerszewski(dropped_box());
        scene.simulation.gravity = {0, -9.81, 0};
        Bargteil2007Plasticity plastic;
        plastic.yield_stress = 1e3;
        plastic.flow_rate = rate;
        plastic.hardening = hardening;
        scene.materials[0].plastic = plastic;
        return permanent_set(scene);
    };
    EXPECT_LT(with(10, 0), with(50, 0));
    EXPECT_LT(with(50, 0), with(300, 0));
    EXPECT_GT(with(300, 0), with(300, 2e4));
    EXPECT_GT(with(300, 2e4), with(300, 2e5));
}

TEST(PermanentSet, HardlyDependsOnTheStep) {
    Scene coarse = gerszewski(dropped_box()), fine = gerszewski(dropped_box());
    coarse.simulation.timestep = 4e-4;
    fine.simulation.timestep = 2e-4;
    const Real a = permanent_set(coarse), b = permanent_set(fine);
    EXPECT_NEAR(a / b, 1, 0.1);
}

TEST(BodyContact, ASecondCubeRestsOnTheFirst) {
    Scene scene = gerszewski(falling_box());
    scene.colliders.push_back(ground());
    scene.bodies[0].position = {0, 0.05, 0};
    scene.bodies.push_back(scene.bodies[0]);
    scene.bodies[1].name = "upper";
    scene.bodies[1].position = {0.005, 0.16, 0.003};
    World world(scene);
    for (int i = 0; i < 60; ++i) world.advance_frame();
    Vec3 centre[2] = {Vec3::Zero(), Vec3::Zero()};
    for (std::size_t i = 0; i < world.state().size(); ++i)
        centre[world.state().body[i]] += world.state().position[i] / 125;
    EXPECT_GT(centre[1].y() - centre[0].y(), 0.08);
    EXPECT_NEAR(centre[1].x(), 0.005, 0.01);
    EXPECT_LT(world.diagnostics().largest_speed, 0.2);
}

// Without friction and gravity, what two bodies have in energy must not grow when they meet, however stiff the push.
TEST(BodyContact, GainsNoEnergyAtAnyStiffness) {
    for (const Real stiffness : {0.5, 1.0, 10.0}) {
        Scene scene = gerszewski(falling_box());
        scene.simulation.gravity = Vec3::Zero();
        scene.mls.contact_stiffness = stiffness;
        scene.bodies.push_back(scene.bodies[0]);
        scene.bodies[1].name = "upper";
        scene.bodies[1].position.y() += 0.13;
        scene.bodies[1].velocity.y() = -1.5;
        World world(scene);
        const Real start = world.diagnostics().kinetic;
        for (int i = 0; i < 20; ++i) {
            world.advance_frame();
            const Diagnostics d = world.diagnostics();
            EXPECT_LT(d.kinetic + d.elastic, 1.02 * start) << "stiffness " << stiffness << ", frame " << i;
        }
    }
}

// A plate that would pass a particle within a few of the steps that stiffness alone allows.
TEST(Obstacle, HitsTheBodyHoweverFastItMoves) {
    Scene scene = gerszewski(falling_box());
    scene.simulation.gravity = Vec3::Zero();
    scene.simulation.duration = 0.02;
    scene.simulation.fps = 500;
    ColliderSettings plate;
    plate.name = "plate";
    plate.shape = BoxShape{Vec3(0.02, 0.4, 0.4)};
    plate.position = {-0.15, 0.3, 0};
    plate.motion = MotionSettings{"linear", false, {{0, Vec3::Zero(), Vec3::Zero()}, {0.01, {1, 0, 0}, Vec3::Zero()}}};
    scene.colliders.push_back(plate);
    World world(scene);
    while (world.time() < 0.009) world.advance_frame();
    const Real speed = momentum(world.state()).linear.x() / total_mass(world.state());
    EXPECT_GT(speed, 90);  // it is pushed along at the plate's 100 m/s
}

TEST(Floor, IsNotPenetrated) {
    World world(gerszewski(dropped_box()));
    for (int i = 0; i < 40; ++i) {
        world.advance_frame();
        for (const Vec3& q : world.state().position) ASSERT_GT(q.y(), 0.01 - 1e-9);  // half a spacing
    }
}

}  // namespace
}  // namespace pliant
