#include "pliant/contact/rigid_bodies.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "support/colliders.h"

namespace pliant {
namespace {

constexpr Real g = 9.81, dt = 1e-3;

RigidSettings box(const Vec3& size, const Vec3& position) {
    RigidSettings settings;
    settings.name = "box";
    settings.shape = BoxShape{size};
    settings.position = position;
    return settings;
}

RigidSettings ball(Real radius, const Vec3& position) {
    RigidSettings settings;
    settings.name = "ball";
    settings.shape = SphereShape{radius};
    settings.position = position;
    return settings;
}

// Bodies and obstacles that live as long as the test.
struct Stage {
    std::vector<RigidModel> models;
    std::vector<Collider> colliders;
    RigidBodies bodies;

    Stage(const std::vector<RigidSettings>& settings, const std::vector<ColliderSettings>& obstacles,
          const Vec3& gravity = Vec3(0, -g, 0)) {
        for (const RigidSettings& s : settings) models.emplace_back(s, ShapeContext{});
        for (const ColliderSettings& c : obstacles) colliders.emplace_back(c, ShapeContext{});
        bodies = RigidBodies(models, colliders, gravity);
    }
    Stage(const Stage&) = delete;

    void run(Real duration, Real from = 0) {
        const int steps = static_cast<int>(std::lround(duration / dt));
        for (int k = 0; k < steps; ++k) bodies.step(from + k * dt, dt);
    }
};

TEST(RigidBodies, WeighWhatTheyShould) {
    Stage stage({box(Vec3(0.1, 0.2, 0.3), Vec3(1, 2, 3)), ball(0.1, Vec3::Zero())}, {});
    const Real m = 1000 * 0.1 * 0.2 * 0.3;
    EXPECT_NEAR(stage.bodies.mass(0), m, 1e-9);
    // I = m/12 (b^2 + c^2)
    const Vec3 expected = m / 12 * Vec3(0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04);
    EXPECT_NEAR((stage.bodies.inertia(0) - Mat3(expected.asDiagonal())).norm(), 0, 1e-9);
    EXPECT_NEAR((stage.bodies.centre_of_mass(0) - Vec3(1, 2, 3)).norm(), 0, 1e-12);
    const Real ball_mass = 1000 * 4 * pi / 3 * cube(0.1);
    EXPECT_NEAR(stage.bodies.mass(1) / ball_mass, 1, 2e-3);
    EXPECT_NEAR(stage.bodies.inertia(1)(0, 0) / (0.4 * ball_mass * 0.01), 1, 4e-3);  // 2/5 m r^2
}

// A cone's centre of mass lies a quarter of the height above its base.
TEST(RigidBodies, TurnAboutTheirCentreOfMass) {
    RigidSettings cone = box(Vec3::Ones(), Vec3(0, 5, 0));
    cone.shape = ConeShape{0.1, 0.2};
    cone.rotation = Vec3(0, 0, 90);
    cone.angular_velocity = Vec3(0, 0, 3);
    Stage stage({cone}, {}, Vec3::Zero());
    EXPECT_NEAR((stage.bodies.centre_of_mass(0) - Vec3(0.05, 5, 0)).norm(), 0, 5e-4);
    const Vec3 before = stage.bodies.centre_of_mass(0);
    stage.run(1);
    EXPECT_NEAR((stage.bodies.centre_of_mass(0) - before).norm(), 0, 1e-12);
    EXPECT_GT((stage.bodies.placement(0).position - Vec3(0, 5, 0)).norm(), 0.01);
}

TEST(RigidBodies, FreeFlightKeepsMomentum) {
    RigidSettings brick = box(Vec3(0.1, 0.2, 0.4), Vec3(1, 2, 3));
    brick.velocity = Vec3(3, -1, 2);
    brick.angular_velocity = Vec3(5, 7, 0.1);  // about the middle axis: it tumbles
    Stage stage({brick}, {}, Vec3::Zero());
    const Momentum before = stage.bodies.momentum();
    const Real energy = stage.bodies.kinetic_energy();
    stage.run(5);
    const Momentum after = stage.bodies.momentum();
    EXPECT_LT((after.linear - before.linear).norm() / before.linear.norm(), 1e-10);
    EXPECT_LT((after.angular - before.angular).norm() / before.angular.norm(), 1e-10);
    EXPECT_NEAR(stage.bodies.kinetic_energy() / energy, 1, 1e-4);
}

TEST(RigidBodies, FallAsTheyShould) {
    Stage stage({ball(0.1, Vec3(0, 10, 0))}, {});
    stage.run(1);
    EXPECT_NEAR(stage.bodies.velocity(0).y(), -g, 1e-9);
    EXPECT_NEAR(stage.bodies.centre_of_mass(0).y(), 10 - g / 2, g * dt);
}

TEST(RigidBodies, ForcesAndImpulsesPushAndTurn) {
    Stage stage({box(Vec3(0.2, 0.2, 0.2), Vec3::Zero())}, {}, Vec3::Zero());
    const Real m = stage.bodies.mass(0), I = stage.bodies.inertia(0)(2, 2);
    stage.bodies.apply_force(0, Vec3(m, 0, 0), Vec3(0, 0, I));
    stage.bodies.step(0, dt);
    EXPECT_NEAR((stage.bodies.velocity(0) - Vec3(dt, 0, 0)).norm(), 0, 1e-12);
    EXPECT_NEAR((stage.bodies.angular_velocity(0) - Vec3(0, 0, dt)).norm(), 0, 1e-12);
    stage.bodies.step(dt, dt);  // forces do not last
    EXPECT_NEAR((stage.bodies.velocity(0) - Vec3(dt, 0, 0)).norm(), 0, 1e-12);
    Stage hit({box(Vec3(0.2, 0.2, 0.2), Vec3::Zero())}, {}, Vec3::Zero());
    hit.bodies.apply_impulse(0, Vec3(0, m, 0), Vec3(0.1, 0, 0));
    EXPECT_NEAR((hit.bodies.velocity(0) - Vec3(0, 1, 0)).norm(), 0, 1e-12);
    EXPECT_NEAR(hit.bodies.angular_velocity(0).z(), 0.1 * m / I, 1e-9);
}

TEST(RigidBodies, ABoxComesToRestOnTheFloor) {
    RigidSettings tilted = box(Vec3(0.2, 0.1, 0.3), Vec3(0, 0.4, 0));
    tilted.rotation = Vec3(20, 30, 10);
    Stage stage({tilted}, {floor_settings(0.5)});
    stage.run(3);
    EXPECT_LT(stage.bodies.velocity(0).norm(), 1e-3);
    EXPECT_LT(stage.bodies.angular_velocity(0).norm(), 1e-2);
    EXPECT_NEAR(stage.bodies.centre_of_mass(0).y(), 0.05, 2e-4);
}

// h' = e^2 h
TEST(RigidBodies, ABallBouncesByItsRestitution) {
    for (const Real restitution : {0.0, 0.5, 0.9}) {
        RigidSettings bouncing = ball(0.1, Vec3(0, 1.1, 0));
        bouncing.restitution = restitution;
        Stage stage({bouncing}, {floor_settings(0.5)});
        const Real fall = std::sqrt(2 / g);
        stage.run(fall + 0.05);
        Real highest = 0;
        for (int k = 0; k < 1000; ++k) {
            stage.bodies.step(0, dt);
            highest = std::max(highest, stage.bodies.centre_of_mass(0).y() - 0.1);
        }
        EXPECT_NEAR(highest, square(restitution), 0.02) << restitution;
    }
}

// A block slides down a slope only if it is steeper than the friction angle: tan(alpha) > mu.
TEST(RigidBodies, FrictionHoldsOnASlope) {
    for (const bool is_steep : {false, true}) {
        ColliderSettings slope = floor_settings(0.4);
        slope.rotation = Vec3(0, 0, is_steep ? 27 : 17);  // tan = 0.51 and 0.31
        RigidSettings block = box(Vec3(0.3, 0.1, 0.3), Vec3::Zero());
        block.rotation = slope.rotation;
        block.friction = 0.4;
        block.position = rotation_from_degrees(slope.rotation) * Vec3(0, 0.0501, 0);
        Stage stage({block}, {slope});
        stage.run(1);
        const Real moved = (stage.bodies.centre_of_mass(0) - block.position).norm();
        if (is_steep) {
            const Real a = g * (std::sin(27 * pi / 180) - 0.4 * std::cos(27 * pi / 180));
            EXPECT_NEAR(moved, a / 2, 0.1 * a / 2);
        } else {
            EXPECT_LT(moved, 2e-3);
        }
    }
}

TEST(RigidBodies, TwoBoxesStandOnEachOther) {
    Stage stage({box(Vec3(0.2, 0.2, 0.2), Vec3(0, 0.101, 0)), box(Vec3(0.2, 0.2, 0.2), Vec3(0.02, 0.302, 0.01))},
                {floor_settings(0.5)});
    stage.run(3);
    EXPECT_NEAR((stage.bodies.centre_of_mass(0) - Vec3(0, 0.1, 0)).norm(), 0, 2e-3);
    EXPECT_NEAR((stage.bodies.centre_of_mass(1) - Vec3(0.02, 0.3, 0.01)).norm(), 0, 2e-3);
    EXPECT_LT(stage.bodies.largest_speed(), 1e-2);
}

// Total momentum of a collision stays, and equal balls exchange their speeds when they bounce fully.
TEST(RigidBodies, CollidingBallsExchangeMomentum) {
    RigidSettings left = ball(0.1, Vec3(-0.3, 0, 0)), right = ball(0.1, Vec3(0.3, 0, 0));
    left.velocity = Vec3(2, 0, 0);
    left.restitution = right.restitution = 1;
    Stage stage({left, right}, {}, Vec3::Zero());
    const Momentum before = stage.bodies.momentum();
    stage.run(0.5);
    EXPECT_LT((stage.bodies.momentum().linear - before.linear).norm() / before.linear.norm(), 1e-10);
    EXPECT_NEAR(stage.bodies.velocity(0).x(), 0, 1e-2);
    EXPECT_NEAR(stage.bodies.velocity(1).x(), 2, 1e-2);
}

TEST(RigidBodies, EveryShapeRestsOnATable) {
    const std::vector<ShapeSettings> shapes = {SphereShape{0.1},    CapsuleShape{0.05, 0.3}, CylinderShape{0.1, 0.1},
                                               ConeShape{0.1, 0.2}, TorusShape{0.1, 0.04},   ModelShape{"rabbit", 0.3}};
    for (const ShapeSettings& shape : shapes) {
        RigidSettings settings = box(Vec3::Ones(), Vec3(0, 0.35, 0));
        settings.shape = shape;
        ColliderSettings table;
        table.shape = BoxShape{Vec3(1, 0.2, 1)};
        Stage stage({settings}, {table});
        stage.run(1.5);
        const char* kind = std::visit([](const auto& s) { return s.kind; }, shape);
        EXPECT_GT(stage.bodies.centre_of_mass(0).y(), 0.1) << kind;
        EXPECT_LT(stage.bodies.centre_of_mass(0).y(), 0.3) << kind;
        EXPECT_LT(stage.bodies.velocity(0).norm(), 0.3) << kind;
        const Real lowest = [&] {
            Real least = 1;
            for (const Vec3& x : stage.bodies.shape(0).surface(0.02).vertices)
                least = std::min(least, stage.bodies.placement(0).to_world(x).y());
            return least;
        }();
        EXPECT_NEAR(lowest, 0.1, 4e-3) << kind;
    }
}

// Whatever the step, a heap of all kinds neither explodes nor sinks into the floor.
TEST(RigidBodies, AHeapComesToRest) {
    const std::vector<ShapeSettings> shapes = {BoxShape{Vec3(0.2, 0.1, 0.15)}, SphereShape{0.07},
                                               CapsuleShape{0.04, 0.2}, CylinderShape{0.08, 0.1},
                                               ConeShape{0.08, 0.15}};
    std::vector<RigidSettings> settings;
    for (int i = 0; i < 8; ++i) {
        settings.push_back(box(Vec3::Ones(), Vec3(0.02 * (i % 3), 0.2 + 0.22 * i, 0.015 * (i % 4))));
        settings.back().shape = shapes[std::size_t(i) % shapes.size()];
        settings.back().rotation = Vec3(31 * i, 17 * i, 7 * i);
        settings.back().density = i % 4 == 0 ? 5000 : 500;
        settings.back().velocity = Vec3(0, -1, 0);
    }
    for (const Real longer : {2, 8}) {
        Stage stage(settings, {floor_settings(0.6)});
        const Real energy = stage.bodies.kinetic_energy() + stage.bodies.potential_energy();
        Real highest = 0;
        for (Real time = 0; time < 2.5; time += longer * dt) {
            stage.bodies.step(time, longer * dt);
            highest = std::max(highest, stage.bodies.kinetic_energy() + stage.bodies.potential_energy());
        }
        EXPECT_LT(highest, 1.01 * energy) << longer;
        EXPECT_LT(stage.bodies.kinetic_energy(), 0.05 * energy) << longer;
        for (std::size_t i = 0; i < stage.bodies.size(); ++i) {
            EXPECT_GT(stage.bodies.centre_of_mass(i).y(), 0.035) << i;
            EXPECT_LT(stage.bodies.centre_of_mass(i).norm(), 8) << i;
        }
    }
}

TEST(RigidBodies, ABowlHoldsABall) {
    // A ring is hollow: a ball that fits into its hole falls to the floor and stays within.
    RigidSettings ring = box(Vec3::Ones(), Vec3(0, 0.05, 0)), marble = ball(0.04, Vec3(0.02, 0.2, 0));
    ring.shape = TorusShape{0.15, 0.05};
    marble.velocity = Vec3(0.3, 0, 0);
    Stage stage({ring, marble}, {floor_settings(0.5)});
    stage.run(2);
    const Vec3 x = stage.bodies.centre_of_mass(1);
    EXPECT_NEAR(x.y(), 0.04, 2e-3);
    EXPECT_LT(std::hypot(x.x() - stage.bodies.centre_of_mass(0).x(), x.z()), 0.11);
}

TEST(RigidBodies, AMovingObstacleCarriesThem) {
    ColliderSettings lift = floor_settings(0.5);
    lift.motion.emplace();
    lift.motion->interpolation = "linear";
    lift.motion->keys = {{0, Vec3::Zero(), Vec3::Zero()}, {2, Vec3(0.2, 1, 0), Vec3::Zero()}};
    Stage stage({box(Vec3(0.2, 0.2, 0.2), Vec3(0, 0.1001, 0))}, {lift});
    stage.run(1.5);
    EXPECT_NEAR((stage.bodies.velocity(0) - Vec3(0.1, 0.5, 0)).norm(), 0, 1e-2);
    EXPECT_NEAR((stage.bodies.centre_of_mass(0) - Vec3(0.15, 0.85, 0)).norm(), 0, 5e-3);
}

TEST(RigidBodies, GoOnFromASnapshotBitForBit) {
    RigidSettings tilted = box(Vec3(0.2, 0.1, 0.3), Vec3(0, 0.3, 0));
    tilted.rotation = Vec3(20, 30, 10);
    const std::vector<RigidSettings> settings = {tilted, ball(0.1, Vec3(0.05, 0.6, 0))};
    Stage whole(settings, {floor_settings(0.5)}), resumed(settings, {floor_settings(0.5)});
    whole.run(0.5);
    Snapshot snapshot, last, other;
    whole.bodies.save(snapshot);
    whole.run(0.5, 0.5);
    whole.bodies.save(last);
    resumed.bodies.restore(snapshot);
    Threads(1).run([&] { resumed.run(0.5, 0.5); });
    resumed.bodies.save(other);
    for (const auto& [name, array] : last.arrays()) {
        EXPECT_EQ(std::get<Snapshot::Table<double>>(array).values,
                  std::get<Snapshot::Table<double>>(other.arrays().at(name)).values)
            << name;
    }
    Stage alone({tilted}, {});
    EXPECT_THROW(alone.bodies.restore(snapshot), InputError);
}

TEST(RigidBodies, RefuseShapesWithoutEnd) {
    RigidSettings plane = box(Vec3::Ones(), Vec3::Zero());
    plane.shape = PlaneShape{};
    EXPECT_THROW(RigidModel(plane, ShapeContext{}), InputError);
}

}  // namespace
}  // namespace pliant
