// The implicit method of mls against closed forms, for whole worlds.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/scene/world.h"
#include "support/measure.h"
#include "support/scenes.h"

namespace pliant {
namespace {

// A cube of `count` particles a side, spacing 5 cm, in empty space.
Scene cube(int count, Real young) {
    Scene scene = falling_box();
    scene.simulation.integrator = "implicit";
    scene.simulation.fps = 50;
    scene.simulation.timestep = 2e-3;
    scene.materials[0].young = young;
    scene.bodies[0].spacing = 0.05;
    scene.bodies[0].shape = BoxShape{Vec3::Constant(0.05 * count)};
    scene.bodies[0].position = Vec3::Zero();
    return scene;
}

Scene dropped_cube(int count, Real young, Real gap = 0.2) {
    Scene scene = cube(count, young);
    scene.colliders.push_back(ground());
    scene.bodies[0].position = {0, 0.025 * count + gap, 0};
    return scene;
}

void advance_to(World& world, Real time) {
    while (world.time() < time - 1e-9) world.advance_frame();
}

TEST(ImplicitFreeFall, FollowsTheClosedForm) {
    Scene scene = cube(6, 1e7);
    World world(scene);
    const auto start = world.state().position;
    advance_to(world, 0.5);
    const Real t = world.time(), dt = 2e-3;
    for (std::size_t i = 0; i < start.size(); ++i) {
        EXPECT_NEAR(world.state().position[i].y(), start[i].y() - 9.81 * t * (t + dt) / 2, 1e-9);
        EXPECT_LT((world.state().deformation[i] - Mat3::Identity()).norm(), 1e-6);
    }
}

class ImplicitSpin : public testing::TestWithParam<Real> {};

TEST_P(ImplicitSpin, KeepsMomentumForASecond) {
    Scene scene = cube(8, GetParam());
    scene.simulation.gravity = Vec3::Zero();
    scene.bodies[0].velocity = {0.3, -0.2, 0.1};
    scene.bodies[0].angular_velocity = {3, 4, 2};
    World world(scene);
    const Diagnostics before = world.diagnostics();
    advance_to(world, 1);
    const Diagnostics after = world.diagnostics();
    EXPECT_LT((after.momentum.linear - before.momentum.linear).norm(), 1e-6);
    EXPECT_LT((after.momentum.angular - before.momentum.angular).norm(), 1e-3 * before.momentum.angular.norm());
}

INSTANTIATE_TEST_SUITE_P(Young, ImplicitSpin, testing::Values(1e5, 1e7));

// Rotations at predicted positions brake: omega(t) = omega_0 / sqrt(1 + 2 omega_0^2 dt t).
TEST(PrintedMethod, BrakesRotationAsTheFormulaSays) {
    Scene scene = cube(6, 1e7);
    scene.simulation.gravity = Vec3::Zero();
    scene.mls.preset = "zhou2013";
    scene.mls.rest = "fixed";
    scene.mls.tolerance = 1e-4;
    const Real omega = 5.4;
    scene.bodies[0].angular_velocity = {0, omega, 0};
    World world(scene);
    const Real before = world.diagnostics().momentum.angular.y();
    advance_to(world, 1);
    const Real kept = world.diagnostics().momentum.angular.y() / before;
    EXPECT_NEAR(kept, 1 / std::sqrt(1 + 2 * square(omega) * 2e-3), 0.02);
    EXPECT_LT(kept, 0.96);
}

// Static tip deflection of a beam under its own weight over Timoshenko's, length over height 3.
Real cantilever(int layers, Real support) {
    const Real h = 0.3 / layers, young = 1e7;
    Scene scene = cube(1, young);
    scene.simulation.fps = 50;
    scene.mls.support = support;
    scene.mls.tolerance = 1e-4;
    scene.bodies[0].spacing = h;
    scene.bodies[0].shape = BoxShape{Vec3(0.9 + h, 0.3, 0.3)};
    scene.bodies[0].position = {0.45 - h / 2, 0, 0};  // one layer behind x = 0 is held
    PinSettings wall;
    wall.name = "wall";
    wall.body = "box";
    wall.shape = BoxShape{Vec3(2 * h, 1, 1)};
    wall.position = {-h, 0, 0};
    scene.pins.push_back(wall);
    World world(scene);
    const auto start = world.state().position;
    advance_to(world, 2.5);
    Real tip = 0;
    int count = 0;
    const Real end = 0.9 - h / 2;
    for (std::size_t i = 0; i < start.size(); ++i) {
        if (start[i].x() < end - 1e-6) continue;
        tip += start[i].y() - world.state().position[i].y();
        ++count;
    }
    // The held layer's middle is at -h/2 and the free end at L = 0.9: the length between where it is held and its end.
    const Real L = 0.9 + h / 2, b = 0.3, area = b * b, inertia = area * area / 12, q = 1000 * 9.81 * area;
    const Real shear = young / (2 * 1.3), kappa = 10 * 1.3 / (12 + 11 * 0.3);
    const Real x = L - h / 2;  // the last layer lies half a spacing inside
    const Real bending = q * x * x * (6 * L * L - 4 * L * x + x * x) / (24 * young * inertia);
    return tip / count / (bending + q * (L * x - x * x / 2) / (kappa * shear * area));
}

TEST(Cantilever, ApproachesTimoshenko) {
    const Real four = cantilever(4, 1.5), six = cantilever(6, 1.5), eight = cantilever(8, 1.5);
    RecordProperty("ratios", std::to_string(four) + " " + std::to_string(six) + " " + std::to_string(eight));
    EXPECT_NEAR(eight, 1, 0.05);
    EXPECT_NEAR(six, 1, 0.1);
    EXPECT_LT(std::abs(eight - six), std::abs(six - four));
    EXPECT_LT(std::abs(six - 1), std::abs(four - 1));
}

TEST(Cantilever, ApproachesTimoshenkoAtTheDefaultSupport) {
    const Real four = cantilever(4, 1.8), eight = cantilever(8, 1.8);
    RecordProperty("ratios", std::to_string(four) + " " + std::to_string(eight));
    EXPECT_NEAR(eight, 1, 0.05);
    EXPECT_LT(std::abs(eight - 1), std::abs(four - 1));
}

TEST(ElasticDrop, ComesBackToItsShape) {
    Scene scene = dropped_cube(10, 1e5);
    World world(scene);
    const auto start = world.state().position;
    advance_to(world, 1.6);
    EXPECT_LT(distance_to_rigid(start, world.state().position) / 0.05, 0.15);
}

TEST(ElasticDrop, OfThePrintedMethodCreeps) {
    Scene scene = dropped_cube(8, 1e5);
    scene.mls.preset = "zhou2013";
    World world(scene);
    const auto start = world.state().position;
    advance_to(world, 1.6);
    EXPECT_GT(distance_to_rigid(start, world.state().position) / 0.05, 0.3);
}

// Dropped on its bottom, a cube neither drifts nor turns.
TEST(StraightDrop, StaysWhereItIs) {
    World world(dropped_cube(8, 1e5));
    const Vec3 start = centre_of_mass(world.state());
    advance_to(world, 2);
    const Vec3 end = centre_of_mass(world.state());
    EXPECT_LT(std::hypot(end.x() - start.x(), end.z() - start.z()), 1e-3);
    EXPECT_LT(world.diagnostics().momentum.angular.norm(), 1e-2);
}

class ImplicitFloor : public testing::TestWithParam<Real> {};

TEST_P(ImplicitFloor, IsNotPenetrated) {
    Scene scene = dropped_cube(6, GetParam());
    scene.bodies[0].rotation = {10, 20, 30};
    scene.bodies[0].velocity = {1, -2, 0};
    scene.bodies[0].position.y() += 0.1;
    World world(scene);
    for (int i = 0; i < 30; ++i) {
        world.advance_frame();
        for (const Vec3& q : world.state().position)
            ASSERT_GT(q.y(), 0.999 * 0.025);  // the next step takes back what the last pass left
    }
}

INSTANTIATE_TEST_SUITE_P(Young, ImplicitFloor, testing::Values(1e4, 1e6, 1e8));

// On a plane tilted by 20 degrees a block holds at friction 0.5, and slides at 0.2 as Coulomb says.
TEST(Friction, HoldsBelowTheAngleAndSlidesAbove) {
    const Real angle = 20 * pi / 180;
    for (const Real friction : {0.5, 0.2}) {
        Scene scene = cube(6, 1e6);
        scene.simulation.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
        scene.bodies[0].position = {0, 0.15, 0};
        scene.colliders.push_back(ground());
        scene.colliders[0].friction = friction;
        World world(scene);
        advance_to(world, 0.2);
        const Real early = momentum(world.state()).linear.x() / total_mass(world.state());
        advance_to(world, 0.7);
        const Real late = momentum(world.state()).linear.x() / total_mass(world.state());
        const Real expected = friction > 0.4 ? 0 : 9.81 * (std::sin(angle) - friction * std::cos(angle));
        EXPECT_NEAR((late - early) / 0.5, expected, 0.05 * 9.81 * std::sin(angle)) << "friction " << friction;
    }
}

// How much of a shape is left after a drop, in spacings.
Real permanent_set(Real rate, Real hardening, Real dt = 2e-3, Real yield = 3e3) {
    Scene scene = dropped_cube(8, 1e5, 0.1);
    scene.bodies[0].velocity = {0, -2, 0};
    scene.simulation.timestep = dt;
    Bargteil2007Plasticity plastic;
    plastic.yield_stress = yield;
    plastic.flow_rate = rate;
    plastic.hardening = hardening;
    scene.materials[0].plastic = plastic;
    World world(scene);
    const auto start = world.state().position;
    advance_to(world, 1);
    return distance_to_rigid(start, world.state().position) / 0.05;
}

TEST(ImplicitPermanentSet, GrowsWithTheFlowRateAndFallsWithHardening) {
    const Real slow = permanent_set(10, 0), medium = permanent_set(50, 0), fast = permanent_set(180, 0),
               fastest = permanent_set(1000, 0);
    EXPECT_LT(slow, medium);
    EXPECT_LT(medium, fast);
    EXPECT_LT(fast, fastest);
    const Real hard = permanent_set(180, 1e4), harder = permanent_set(180, 1e5);
    EXPECT_GT(fast, hard);
    EXPECT_GT(hard, harder);
    EXPECT_LT(permanent_set(180, 0, 2e-3, 1e9), 0.15);
}

// At 1 ms it is 5.2 % still: the longer the step, the more of the impact's ringing is damped away before it can flow.
TEST(ImplicitPermanentSet, HardlyDependsOnTheStep) {
    EXPECT_NEAR(permanent_set(50, 0, 5e-4) / permanent_set(50, 0, 2.5e-4), 1, 0.05);
}

// A cube that flows like a liquid ends as a puddle, in which neighbours span space in one place and a plane in another.
TEST(ImplicitFlow, APuddleGainsNoEnergy) {
    for (const Real support : {1.5, 1.8, 2.5}) {
        Scene scene = dropped_cube(6, 1e5, 0.1);
        scene.simulation.timestep = 1e-3;
        scene.mls.support = support;
        scene.materials[0].poisson = 0.49;
        scene.bodies[0].rotation = {10, 20, 30};
        scene.bodies[0].velocity = {0, -2, 0};
        Bargteil2007Plasticity plastic;
        plastic.yield_stress = 200;
        plastic.flow_rate = 1e4;
        scene.materials[0].plastic = plastic;
        World world(scene);
        const auto energy = [&] {
            const Diagnostics d = world.diagnostics();
            return d.kinetic + d.elastic + d.potential;
        };
        Real last = energy();
        while (world.time() < 0.5) {
            world.advance_frame();
            const Real now = energy();
            ASSERT_LT(now, last + 1e-3 * std::abs(last)) << support << " at " << world.time();
            last = now;
        }
    }
}

// Bodies in a state that no motion leads to come back to their shape.
class Recovery : public testing::TestWithParam<std::string> {};

TEST_P(Recovery, FromAnImpossibleState) {
    Scene scene = cube(8, 1e6);
    scene.simulation.gravity = Vec3::Zero();
    World world(scene);
    const auto start = world.state().position;
    std::vector<Vec3> q = start;
    std::uint32_t seed = 1;
    for (Vec3& x : q) {
        if (GetParam() == "squashed") x.y() *= 0.02;
        if (GetParam() == "mirrored") x.y() *= -0.5;
        if (GetParam() != "scrambled") continue;
        for (int d = 0; d < 3; ++d) {
            seed = seed * 1664525u + 1013904223u;
            x[d] += 0.7 * 0.05 * (2 * Real(seed >> 8) / Real(1 << 24) - 1);
        }
    }
    world.set_positions(q);
    advance_to(world, 1);
    EXPECT_LT(distance_to_rigid(start, world.state().position) / 0.05, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Recovery, testing::Values("squashed", "mirrored", "scrambled"),
                         [](const auto& which) { return which.param; });

TEST(ImplicitBodies, StackAndComeToRest) {
    Scene scene = dropped_cube(6, 1e6, 0.001);
    for (int k = 1; k < 3; ++k) {
        scene.bodies.push_back(scene.bodies[0]);
        scene.bodies.back().name = "cube " + std::to_string(k);
        scene.bodies.back().position += Vec3(0.01 * k, 0.31 * k, -0.01);
        scene.bodies.back().rotation.y() = 20 * k;
    }
    World world(scene);
    advance_to(world, 2.5);
    Real height[3] = {};
    for (std::size_t i = 0; i < world.state().size(); ++i)
        height[world.state().body[i]] += world.state().position[i].y() / 216;
    EXPECT_NEAR(height[1] - height[0], 0.3, 0.02);
    EXPECT_NEAR(height[2] - height[1], 0.3, 0.02);
    EXPECT_LT(world.diagnostics().largest_speed, 0.05);
}

TEST(ImplicitBodies, CollideWithoutGainOfMomentumOrEnergy) {
    for (const Real young : {1e5, 1e7}) {
        Scene scene = cube(6, young);
        scene.simulation.gravity = Vec3::Zero();
        scene.simulation.friction = 0;  // acts on two points a spacing apart, and so turns a little
        scene.bodies.push_back(scene.bodies[0]);
        scene.bodies[1].name = "other";
        scene.bodies[1].position = {0.05, 0.4, 0.03};
        scene.bodies[1].velocity = {0, -2, 0.3};
        scene.bodies[1].rotation = {0, 0, 20};
        World world(scene);
        const Diagnostics start = world.diagnostics();
        for (int i = 0; i < 25; ++i) {
            world.advance_frame();
            const Diagnostics d = world.diagnostics();
            EXPECT_LT(d.kinetic + d.elastic, 1.02 * start.kinetic);
        }
        const Momentum end = world.diagnostics().momentum;
        EXPECT_LT((end.linear - start.momentum.linear).norm(), 1e-6 * start.momentum.linear.norm());
        EXPECT_LT((end.angular - start.momentum.angular).norm(), 0.01 * start.momentum.angular.norm());
    }
}

// A step turns such a body so far that moving along tangents would stretch it by more energy than there is.
TEST(StiffDrop, OnACornerGainsNoEnergyAtALongStep) {
    for (const Real poisson : {0.45, 0.49}) {
        Scene scene = falling_box();
        scene.simulation.integrator = "implicit";
        scene.simulation.timestep = 1e-2;
        scene.colliders.push_back(ground());
        scene.materials[0].young = 1e9;
        scene.materials[0].poisson = poisson;
        scene.mls.support = 2.5;
        BodySettings& box = scene.bodies[0];
        box.spacing = 0.05;
        box.sampling = "blue_noise";
        box.shape = BoxShape{Vec3::Constant(0.3)};
        box.rotation = {10, 20, 30};
        box.velocity = {0, -2, 0};
        World world(scene, {1, {}});
        const Diagnostics start = world.diagnostics();
        while (world.time() < 0.3) {
            world.step();
            const Diagnostics now = world.diagnostics();
            ASSERT_LT(now.kinetic + now.potential, 1.01 * (start.kinetic + start.potential));
            ASSERT_LT(now.elastic, 2 * (start.kinetic + start.potential));
        }
    }
}

// Every law, at every stiffness: a hard drop stays whole and within its energy.
TEST(EveryLaw, SurvivesAHardDrop) {
    for (const std::string& law : elasticity_names()) {
        for (const Real young : {1e4, 1e6, 1e8}) {
            Scene scene = dropped_cube(6, young, 0.05);
            scene.materials[0].elastic = law;
            scene.bodies[0].rotation = {10, 20, 30};
            scene.bodies[0].position.y() += 0.1;
            scene.bodies[0].velocity = {0, -3, 0};
            World world(scene);
            const Real start = world.diagnostics().kinetic + world.diagnostics().potential;
            const auto before = world.state().position;
            for (int i = 0; i < 40; ++i) {
                world.advance_frame();
                const Diagnostics d = world.diagnostics();
                ASSERT_LT(d.kinetic + d.elastic + d.potential, 1.05 * start) << law << " " << young << " " << i;
            }
            EXPECT_LT(distance_to_rigid(before, world.state().position), 0.05 * (young < 1e5 ? 2 : 0.2))
                << law << young;
        }
    }
}

TEST(Choice, IsExplicitForSoftBodiesAndImplicitForStiffOnes) {
    for (const Real young : {1e4, 1e9}) {
        Scene scene = dropped_cube(5, young);
        scene.simulation.integrator = "auto";
        scene.simulation.timestep.reset();
        World world(scene);
        const bool is_implicit = !world.step().report.solvers.empty();
        EXPECT_EQ(is_implicit, young > 1e6);
        EXPECT_EQ(world.choice().substr(0, 8), is_implicit ? "implicit" : "explicit");
    }
}

// A sheet, a string and single particles fall on a floor and stay finite, stiff or soft.
TEST(ThinParts, NeverGoUnstable) {
    for (const Real young : {1e4, 1e6, 1e8}) {
        for (const Vec3& size : {Vec3(0.5, 0.05, 0.5), Vec3(0.5, 0.05, 0.05), Vec3(0.05, 0.05, 0.05)}) {
            Scene scene = dropped_cube(1, young);
            scene.bodies[0].shape = BoxShape{size};
            scene.bodies[0].rotation = {20, 10, 15};
            scene.bodies[0].position = {0, 0.4, 0};
            World world(scene);
            for (int i = 0; i < 40; ++i) {
                world.advance_frame();
                ASSERT_LT(world.diagnostics().largest_speed, 3 * std::sqrt(2 * 9.81 * 0.5));
            }
        }
    }
}

}  // namespace
}  // namespace pliant
