#include "pliant/methods/oriented/mueller2011.h"

#include <gtest/gtest.h>

#include <random>

#include "oriented/rigs.h"
#include "pliant/math/rotation_vector.h"

namespace pliant {
namespace {

OrientedSettings stiff(int iterations = 4, Real s = 1) {
    OrientedSettings settings;
    settings.stiffness = s;
    settings.iterations = iterations;
    return settings;
}

Real angle_between(const Quat& a, const Quat& b) {
    return vector_from_rotation(a * b.conjugate()).norm();
}

TEST(Mueller2011, ALoneParticleFliesAndSpinsAsInClosedForm) {
    OrientedWorld world(lone_rig(Vec3(0.05, 0.04, 0.03)), stiff());
    world.model.gravity = Vec3(0, -9.81, 0);
    world.state.velocity[0] = Vec3(1, 2, -3);
    world.state.spin[0] = Vec3(0, 7.3, 0);
    const Real dt = 1.0 / 240, T = 10;
    world.run(T, dt);
    // symplectic Euler: x = v T + g T (T + dt) / 2
    const Vec3 x = Vec3(1, 2, -3) * T + Vec3(0, -9.81, 0) * T * (T + dt) / 2;
    EXPECT_LT((world.state.position[0] - x).norm(), 1e-6 * x.norm());
    EXPECT_LT(angle_between(world.state.orientation[0], rotation_from_vector(Vec3(0, 73, 0))), 1e-6);
    EXPECT_LT((world.state.spin[0] - Vec3(0, 7.3, 0)).norm(), 1e-6);
}

TEST(Mueller2011, AWholeBodyThatIsMovedAndTurnedIsAtRest) {
    for (const Rig& rig : {lattice_rig(8, 1, 1), lattice_rig(5, 5, 1), lattice_rig(4, 4, 4)}) {
        OrientedWorld world;
        world.add(rig, Vec3(0.3, -0.2, 0.5), rotation_from_vector(Vec3(0.5, 1.1, -2)));
        world.start(stiff());
        const auto before = world.state;
        world.run(0.01, 0.01);
        for (std::size_t i = 0; i < world.state.size(); ++i) {
            EXPECT_LT((world.state.position[i] - before.position[i]).norm(), 1e-6);
            EXPECT_LT(angle_between(world.state.orientation[i], before.orientation[i]), 1e-5);
        }
    }
}

TEST(Mueller2011, LinearMomentumStays) {
    std::mt19937 random(3);
    std::normal_distribution<Real> normal;
    for (const bool has_springs : {false, true}) {
        for (const int iterations : {1, 4}) {
            OrientedSettings settings = stiff(iterations);
            if (has_springs) settings.stiffness.reset();
            settings.torsion = settings.stretch = iterations > 1 ? 0.5 : 0;
            OrientedWorld world(lattice_rig(4, 4, 4), settings, 1e4);
            for (Vec3& v : world.state.velocity)
                v = Vec3(1, 0.5, 2) + 0.3 * Vec3(normal(random), normal(random), normal(random));
            const Vec3 before = momentum(world.state).linear;
            world.run(1000 / 240.0, 1.0 / 240);
            EXPECT_LT((momentum(world.state).linear - before).norm(), 1e-10 * before.norm())
                << has_springs << iterations;
        }
    }
}

// A ball: E = (1/2) (2/5) m r^2 omega^2, L = (2/5) m r^2 omega; an ellipsoid about its long axis: I = m/5 (b^2 + c^2).
TEST(Mueller2011, SpinHasEnergyAndMomentum) {
    OrientedWorld ball(lone_rig());
    ball.state.spin[0] = Vec3(0, 3, 4);
    const Real I = 0.4 * ball.state.mass[0] * 0.05 * 0.05;
    EXPECT_NEAR(ball.method->spin(ball.state).energy, I * 25 / 2, 1e-12 * I);
    EXPECT_LT((ball.method->spin(ball.state).momentum - I * Vec3(0, 3, 4)).norm(), 1e-12 * I);

    OrientedWorld cigar;
    cigar.add(lone_rig(Vec3(0.06, 0.03, 0.02)), Vec3::Zero(), rotation_from_vector(Vec3(0, 0, pi / 2)));
    cigar.start();
    cigar.state.spin[0] = Vec3(0, 2, 0);
    const Real along = cigar.state.mass[0] / 5 * (0.03 * 0.03 + 0.02 * 0.02);
    EXPECT_NEAR(cigar.method->spin(cigar.state).energy, along * 2, 1e-9 * along);
    EXPECT_LT((cigar.method->spin(cigar.state).momentum - along * Vec3(0, 2, 0)).norm(), 1e-9 * along);
}

// omega(t) = omega0 / sqrt(1 + 2 omega0^2 dt t)
TEST(Mueller2011, AsInThePaperSpinIsBrakedByTheKnownAmount) {
    OrientedSettings settings = stiff(1);
    settings.keeps_spin = false;
    Rig rig = lattice_rig(3, 3, 3);
    RigGroup all;
    for (std::uint32_t i = 0; i < rig.size(); ++i) all.particles.push_back(i);
    rig.groups.push_back(all);
    rig.edges.clear();
    OrientedWorld world(rig, settings);
    world.turn(Vec3(0, 4, 0));
    const Real dt = 1.0 / 60;
    world.run(2.5, dt);
    const Real spin = momentum(world.state).angular.norm() / 4;
    world.turn(Vec3(0, 4, 0));
    OrientedWorld fresh(rig, settings);
    fresh.turn(Vec3(0, 4, 0));
    const Real share = 4 * spin / momentum(fresh.state).angular.norm();
    EXPECT_NEAR(share, 1 / std::sqrt(1 + 2 * 16 * dt * 2.5), 0.02);
}

TEST(Mueller2011, SpinIsKept) {
    for (const bool is_rigid : {true, false}) {
        Rig rig = lattice_rig(3, 3, 3);
        RigGroup all;
        for (std::uint32_t i = 0; i < rig.size(); ++i) all.particles.push_back(i);
        if (is_rigid) rig.groups.push_back(all);
        OrientedWorld world(rig, stiff(2));
        world.turn(Vec3(0, 4, 0));
        const Vec3 before = momentum(world.state).angular;
        world.run(10, 1.0 / 60);
        EXPECT_LT((momentum(world.state).angular - before).norm(), 0.01 * before.norm()) << is_rigid;
    }
}

TEST(Mueller2011, ATwistAtRestStays) {
    Rig rig;
    for (int k = 0; k < 10; ++k) {
        add_particle(rig, Vec3(0.1 * k, 0, 0), Vec3(0.05, 0.04, 0.03), rotation_from_vector(Vec3(0.5 * k, 0, 0)));
    }
    link_near(rig, 0.11);
    OrientedSettings settings = stiff();
    settings.torsion = 1;
    OrientedWorld world(rig, settings);
    world.run(1, 1.0 / 60);
    for (std::size_t k = 0; k < 10; ++k) {
        EXPECT_LT(angle_between(world.state.orientation[k], rig.orientation[k]), 1e-4);
        EXPECT_LT((world.state.position[k] - rig.position[k]).norm(), 1e-5);
    }
}

// A free chain whose middle is turned against its ends: torsion brings the turns together sooner than without.
TEST(Mueller2011, TorsionEvensOutTurns) {
    const auto spread = [](Real torsion) {
        OrientedSettings settings = stiff(1);
        settings.torsion = torsion;
        OrientedWorld world(lattice_rig(9, 1, 1), settings);
        for (std::size_t i = 0; i < 9; ++i)
            world.state.orientation[i] = rotation_from_vector(Vec3(0.3 * Real(i), 0, 0));
        world.run(1.0 / 60, 1.0 / 60);
        return angle_between(world.state.orientation[0], world.state.orientation[8]);
    };
    EXPECT_LT(spread(1), spread(0));
}

TEST(Mueller2011, ASlidingBallEndsRollingAtFiveSevenths) {
    OrientedWorld world;
    world.model.gravity = Vec3(0, -9.81, 0);
    world.add(lone_rig(), Vec3(0, 0.05, 0));
    world.add_floor(0.3);
    world.start(stiff(1));
    world.state.velocity[0] = Vec3(1, 0, 0);
    world.run(2, 1.0 / 240);
    EXPECT_NEAR(world.state.velocity[0].x(), 5.0 / 7, 2e-3);
    EXPECT_NEAR(world.state.spin[0].z(), -5.0 / 7 / 0.05, 0.05);
    EXPECT_NEAR(world.state.position[0].y(), 0.05, 1e-4);
}

TEST(Mueller2011, AnEllipsoidRestsAtItsSupportHeight) {
    OrientedWorld world;
    world.model.gravity = Vec3(0, -9.81, 0);
    const Quat turn =
        rotation_from_vector(Vec3(0, 0, pi / 2));  // the long axis upright: a balance that nothing disturbs
    world.add(lone_rig(Vec3(0.06, 0.03, 0.03)), Vec3(0, 0.07, 0), turn);
    world.add_floor(0.5);
    world.start(stiff(2));
    world.run(0.5, 1.0 / 240);
    EXPECT_NEAR(world.state.position[0].y(), 0.06, 1e-5);
}

TEST(Mueller2011, ATiltedEllipsoidFallsOver) {
    OrientedWorld world;
    world.model.gravity = Vec3(0, -9.81, 0);
    world.add(lone_rig(Vec3(0.06, 0.03, 0.03)), Vec3(0, 0.07, 0), rotation_from_vector(Vec3(0, 0, pi / 2 - 0.1)));
    world.add_floor(0.5);
    world.start(stiff(2));
    world.run(6, 1.0 / 240);
    EXPECT_LT(world.state.position[0].y(), 0.045);
    EXPECT_GT(world.state.position[0].y(), 0.029);
}

// Below the angle of friction a block stays, above it slides with g (sin a - mu cos a).
TEST(Mueller2011, FrictionOnASlopeIsCoulombs) {
    const auto slide = [](Real degrees) {
        OrientedWorld world;
        const Real a = degrees * pi / 180;
        world.model.gravity = 9.81 * Vec3(std::sin(a), -std::cos(a), 0);
        world.add(lattice_rig(3, 3, 3), Vec3(0, 0.05, 0));
        world.add_floor(0.5);
        world.start(stiff(4));
        world.run(1, 1.0 / 240);
        return centre_of_mass(world.state).x() - 0.1;
    };
    EXPECT_LT(std::abs(slide(24)), 2e-3);
    const Real a = 35 * pi / 180, expected = 9.81 * (std::sin(a) - 0.5 * std::cos(a)) / 2;
    EXPECT_NEAR(slide(35), expected, 0.05 * expected);
}

// Terminal speed: (1/2) rho C A v^2 = (m - rho V) g
TEST(Mueller2011, ABallSinksInWaterAtItsTerminalSpeedAndALightOneRises) {
    OrientedWorld world;
    world.model.gravity = Vec3(0, -9.81, 0);
    FieldSettings water;
    world.model.fields = {water};
    world.add(lone_rig());
    world.add(lone_rig(), Vec3(1, 0, 0));
    world.state.mass[0] *= 3;
    world.state.mass[1] *= 0.5;
    world.start(stiff(1));
    world.run(3, 1.0 / 1920);
    const Real volume = world.state.rest_volume[0], area = pi * 0.05 * 0.05;
    EXPECT_NEAR(world.state.velocity[0].y(), -std::sqrt(2 * 2 * volume * 9.81 / area), 0.01);
    EXPECT_NEAR(world.state.velocity[1].y(), std::sqrt(2 * 0.5 * volume * 9.81 / area), 0.01);
}

TEST(Mueller2011, TwoBallsPushEachOtherApartAndKeepTheirMomentum) {
    OrientedWorld world;
    world.add(lone_rig(), Vec3(0, 0, 0));
    world.add(lone_rig(), Vec3(0.2, 0.01, 0));
    world.start(stiff(4));
    world.state.velocity[0] = Vec3(1, 0, 0);
    world.run(0.5, 1.0 / 240);
    EXPECT_GT((world.state.position[1] - world.state.position[0]).norm(), 0.1 - 1e-4);
    EXPECT_LT((momentum(world.state).linear - world.state.mass[0] * Vec3(1, 0, 0)).norm(), 1e-10);
}

// Two rigid groups: with one particle in common any relative turn is free, with two only the one about their line.
Vec3 relative_turn(int shared, const Vec3& spin) {
    Rig rig;
    const std::vector<Vec3> joint = {Vec3(0, 0, 0), Vec3(0, 0, 0.2)};
    for (int k = 0; k < shared; ++k) add_particle(rig, joint[std::size_t(k)], Vec3::Constant(0.03));
    RigGroup left, right;
    for (int k = 0; k < shared; ++k) {
        left.particles.push_back(std::uint32_t(k));
        right.particles.push_back(std::uint32_t(k));
    }
    for (const Real side : {-1.0, 1.0}) {
        for (const Vec3& x : {Vec3(0.2, 0.1, 0), Vec3(0.2, -0.1, 0.2), Vec3(0.3, 0, 0.1), Vec3(0.2, 0.1, 0.2)}) {
            (side < 0 ? left : right).particles.push_back(std::uint32_t(rig.size()));
            add_particle(rig, Vec3(side * x.x(), x.y(), x.z()), Vec3::Constant(0.03));
        }
    }
    rig.groups = {left, right};
    OrientedSettings settings = stiff(20);
    settings.self_collision = false;
    OrientedWorld world(rig, settings);
    // the right part turns about the joint
    for (const std::uint32_t i : right.particles) {
        if (i < std::uint32_t(shared)) continue;
        world.state.velocity[i] = spin.cross(world.state.position[i] - joint[0]);
        world.state.spin[i] = spin;
    }
    const std::size_t a = left.particles.back(), b = right.particles.back();
    world.run(0.2, 1.0 / 480);
    for (int k = 0; k < shared; ++k) {  // the joint holds: rest distances in both groups
        for (const RigGroup& group : rig.groups) {
            const std::size_t i = group.particles.back();
            const Real now = (world.state.position[i] - world.state.position[std::size_t(k)]).norm();
            EXPECT_NEAR(now, (rig.position[i] - rig.position[std::size_t(k)]).norm(), 2e-3);
        }
    }
    return vector_from_rotation(world.state.orientation[a].conjugate() * world.state.orientation[b]);
}

TEST(Mueller2011, OneSharedParticleIsABallJoint) {
    for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) {
        EXPECT_GT(relative_turn(1, 2 * axis).norm(), 0.2) << axis.transpose();
    }
}

TEST(Mueller2011, TwoSharedParticlesAreAHinge) {
    EXPECT_GT(relative_turn(2, Vec3(0, 0, 2)).z(), 0.2);
    for (const Vec3& spin : {Vec3(2, 0, 0), Vec3(0, 2, 0), Vec3(1, 1, 1)}) {
        EXPECT_LT(relative_turn(2, spin).head<2>().norm(), 2e-3) << spin.transpose();
    }
}

// kappa is such that a bar pulled by its ends stretches by F / (E A).
TEST(Mueller2011, StiffnessFromTheMaterialDoesNotDependOnStepAndIterations) {
    const auto sag = [](Real dt, int iterations) {
        OrientedSettings settings;
        settings.iterations = iterations;
        settings.damping = 5;
        OrientedWorld world;
        world.model.gravity = Vec3(0, -9.81, 0);
        world.add(lattice_rig(3, 10, 3));
        for (std::size_t i = 0; i < world.state.size(); ++i) {
            if (world.state.position[i].y() > 0.85) world.state.pin[i] = 0;
        }
        PinSettings pin;
        pin.shape = BoxShape{};
        world.model.pins.emplace_back(pin);
        world.start(settings, 1e5);
        world.run(2, dt);
        Real lowest = 0;
        for (const Vec3& x : world.state.position) lowest = std::min(lowest, x.y());
        return -lowest;
    };
    const Real reference = sag(1.0 / 960, 8);
    EXPECT_GT(reference, 0);
    EXPECT_NEAR(sag(1.0 / 240, 4), reference, 0.1 * reference);
    EXPECT_NEAR(sag(1.0 / 480, 2), reference, 0.1 * reference);
}

TEST(Mueller2011, StaysFiniteWhateverTheStartAndTheSettings) {
    std::mt19937 random(5);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    for (const Rig& rig : {lone_rig(), lattice_rig(8, 1, 1), lattice_rig(5, 5, 1), lattice_rig(4, 4, 4)}) {
        for (const Real s : {0.0, 0.1, 0.5, 1.0}) {
            for (const Real rate : {30.0, 120.0, 480.0}) {
                for (const int iterations : {1, 4, 16}) {
                    for (const bool is_point : {true, false}) {
                        OrientedWorld world;
                        world.model.gravity = Vec3(0, -9.81, 0);
                        world.add(rig);
                        world.add_floor();
                        world.start(stiff(iterations, s));
                        for (Vec3& x : world.state.position) {
                            x = is_point ? Vec3(0, 1, 0) : Vec3(uniform(random), 1 + uniform(random), uniform(random));
                        }
                        world.run(20 / rate, 1 / rate);
                        ASSERT_EQ(first_not_finite(world.state), world.state.size());
                        ASSERT_LT(largest_speed(world.state), 1000);
                    }
                }
            }
        }
    }
}

}  // namespace
}  // namespace pliant
