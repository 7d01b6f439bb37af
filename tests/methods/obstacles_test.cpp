#include "pliant/methods/obstacles.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "pliant/base/parallel.h"
#include "support/colliders.h"

namespace pliant {
namespace {

const Vec3 zero = Vec3::Zero();
constexpr Real g = 9.81;
constexpr Real spacing = 0.01;

ColliderSettings box_settings(const Vec3& size, const Vec3& position, std::optional<MotionSettings> motion,
                              const std::string& contact = "separate") {
    ColliderSettings settings;
    BoxShape box;
    box.size = size;
    settings.shape = box;
    settings.position = position;
    settings.contact = contact;
    settings.friction = 0.3;
    settings.motion = std::move(motion);
    return settings;
}

MotionSettings linear(const std::vector<Keyframe>& keys) {
    return {"linear", false, keys};
}

// Particles of one body that feel obstacles and a field of gravity, and nothing else.
struct Bench {
    Model model;
    ParticleState state;
    Real time = 0;
    Real dt = 1e-3;

    Bench() { model.bodies.push_back({"body", 0, spacing}); }

    void add(const ColliderSettings& settings) { model.colliders.emplace_back(settings, ShapeContext()); }
    std::size_t add_particle(const Vec3& x, const Vec3& v = Vec3::Zero()) {
        const std::size_t i = state.size();
        state.resize(i + 1);
        state.position[i] = x;
        state.velocity[i] = v;
        state.mass[i] = 1;
        return i;
    }
    std::size_t step(const Vec3& gravity = Vec3(0, -g, 0)) {
        for (Vec3& v : state.velocity) v += dt * gravity;
        const std::size_t touching = apply_obstacles(model, state, time, dt);
        for (std::size_t i = 0; i < state.size(); ++i) state.position[i] += dt * state.velocity[i];
        time += dt;
        return touching;
    }
};

void add_random_particles(Bench& bench, int count, Real size, Real speed) {
    std::mt19937 random(4);
    std::normal_distribution<Real> normal;
    const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
    for (int k = 0; k < count; ++k) {
        const Vec3 x = size * vector();
        bench.add_particle(x, speed * vector());
    }
}

TEST(Obstacles, WithoutAnyNothingChanges) {
    Bench bench;
    add_random_particles(bench, 100, 1, 1);
    const std::uint64_t before = bench.state.hash();
    EXPECT_EQ(apply_obstacles(bench.model, bench.state, 0, 1e-3), 0u);
    EXPECT_EQ(bench.state.hash(), before);
}

TEST(Obstacles, AFloorCarriesEveryParticleAtHalfASpacing) {
    Bench bench;
    bench.add(floor_settings(0.5));
    for (int k = 0; k < 20; ++k) bench.add_particle({0.02 * k, 0.006 + 0.01 * k, 0}, {0.3, -0.1 * k, 0});
    std::size_t touching = 0;
    for (int step = 0; step < 1000; ++step) {
        touching = bench.step();
        for (const Vec3& x : bench.state.position) ASSERT_GE(x.y(), spacing / 2 - 1e-12);
    }
    EXPECT_EQ(touching, 20u);
    for (std::size_t i = 0; i < bench.state.size(); ++i) {
        EXPECT_NEAR(bench.state.position[i].y(), spacing / 2, 1e-12);
        EXPECT_LT(bench.state.velocity[i].norm(), 1e-12);
    }
}

TEST(Obstacles, EachBodyHasItsOwnRadius) {
    Bench bench;
    bench.model.bodies.push_back({"coarse", 0, 4 * spacing});
    bench.add(floor_settings(0.5));
    bench.add_particle({0, 0.1, 0});
    bench.add_particle({1, 0.1, 0});
    bench.state.body[1] = 1;
    for (int step = 0; step < 500; ++step) bench.step();
    EXPECT_NEAR(bench.state.position[0].y(), spacing / 2, 1e-12);
    EXPECT_NEAR(bench.state.position[1].y(), 2 * spacing, 1e-12);
}

TEST(Obstacles, InACornerBothWallsHold) {
    Bench bench;
    bench.add(floor_settings(0));
    ColliderSettings wall = floor_settings(0);
    wall.rotation = {0, 0, -90};  // faces +x
    bench.add(wall);
    bench.add_particle({0.1, 0.1, 0});
    for (int step = 0; step < 1000; ++step) {
        bench.step({-g, -g, 0});
        ASSERT_GE(bench.state.position[0].x(), spacing / 2 - 1e-12);
        ASSERT_GE(bench.state.position[0].y(), spacing / 2 - 1e-12);
    }
    EXPECT_LT(bench.state.velocity[0].norm(), 1e-12);
}

TEST(Obstacles, APaddlePushesWithoutBeingEntered) {
    Bench bench;
    bench.add(box_settings({0.2, 1, 1}, {-0.2, 0, 0}, linear({{0, zero, zero}, {1, {2, 0, 0}, zero}})));
    const std::size_t hit = bench.add_particle({0, 0, 0});
    for (int step = 0; step < 900; ++step) {
        bench.step(zero);
        const MovingPose pose = bench.model.colliders[0].pose(bench.time);
        ASSERT_GE(bench.model.colliders[0].surface_at(bench.state.position[hit], pose).distance, spacing / 2 - 1e-12);
    }
    EXPECT_NEAR(bench.state.velocity[hit].x(), 2, 1e-9);
    for (int step = 0; step < 200; ++step) bench.step(zero);  // the paddle stops at 1 s, the particle flies on
    EXPECT_NEAR(bench.state.velocity[hit].x(), 2, 1e-9);
}

TEST(Obstacles, ATurningPaddleThrows) {
    Bench bench;
    bench.add(box_settings({1, 0.1, 0.2}, {0, 0, 0}, linear({{0, zero, zero}, {1, zero, {0, 0, 180}}})));
    const std::size_t hit = bench.add_particle({0.4, 0.06, 0});
    Real deepest = 0;
    for (int step = 0; step < 200; ++step) {
        bench.step(zero);
        const MovingPose pose = bench.model.colliders[0].pose(bench.time);
        deepest = std::min(deepest,
                           bench.model.colliders[0].surface_at(bench.state.position[hit], pose).distance - spacing / 2);
    }
    EXPECT_GT(bench.state.velocity[hit].norm(), 0.9 * pi * 0.4);
    EXPECT_GT(deepest, -1e-5);
}

TEST(Obstacles, WhatSticksIsCarriedAroundExactly) {
    Bench bench;
    bench.add(box_settings({1, 0.1, 0.2}, {0.1, 0.2, 0.3}, linear({{0, zero, zero}, {1, {0.3, 0, 0}, {0, 0, 720}}}),
                           "stick"));
    const std::size_t held = bench.add_particle({0.45, 0.255, 0.3});
    const Collider& collider = bench.model.colliders[0];
    const Vec3 local = collider.pose(0).placement.to_local(bench.state.position[held]);
    for (int step = 0; step < 1000; ++step) {
        EXPECT_EQ(bench.step(), 1u);
        const Vec3 expected = collider.pose(bench.time).placement.to_world(local);
        ASSERT_LT((bench.state.position[held] - expected).norm(), 1e-4) << "step " << step;
    }
}

TEST(Obstacles, WhatSticksStaysWhenTheObstacleStartsAndStopsAtOnce) {
    for (const Real end : {0.06, 0.1, 0.2}) {
        Bench bench;
        bench.dt = 0.01;
        const Real way = 5 * (end - 0.05);
        bench.add(
            box_settings({1, 1, 1}, {0, -0.5, 0}, linear({{0.05, zero, zero}, {end, {0, -way, 0}, zero}}), "stick"));
        bench.add_particle({0, spacing / 2, 0});
        for (int step = 0; step < 30; ++step) EXPECT_EQ(bench.step(zero), 1u) << step;
        EXPECT_NEAR(bench.state.position[0].y(), spacing / 2 - way, 1e-9) << end;
        EXPECT_LT(bench.state.velocity[0].norm(), 1e-12);
    }
}

// Far particles are passed over; that must never change a result.
TEST(Obstacles, LookingOnlyNearbyChangesNothing) {
    for (const std::string contact : {"separate", "slip", "stick"}) {
        Bench bench;
        const MotionSettings motion{"smooth", false, {{0, zero, zero}, {0.1, {0.2, 0.1, 0}, {90, 30, 0}}}};
        bench.add(box_settings({0.2, 0.1, 0.3}, {0, 0, 0}, motion, contact));
        add_random_particles(bench, 3000, 0.15, 2);
        const ParticleState before = bench.state;
        const Collider& collider = bench.model.colliders[0];
        for (const Real time : {0.0, 0.05, 0.095, 0.2}) {
            bench.state = before;
            const Real dt = 0.01;
            const MovingPose now = collider.pose(time), next = collider.pose(time + dt);
            std::size_t expected_touching = 0;
            const std::size_t touching = apply_obstacles(bench.model, bench.state, time, dt);
            for (std::size_t i = 0; i < before.size(); ++i) {
                const Vec3 &x = before.position[i], &v = before.velocity[i];
                SurfacePoint end = collider.surface_at(x + dt * v, next);
                end.velocity = carried_velocity(x, now, next, dt);
                const ContactResult result =
                    resolve_contact(collider.rule(), collider.surface_at(x, now), end, spacing / 2, v, dt);
                expected_touching += result.touched;
                ASSERT_LT((bench.state.velocity[i] - result.velocity).norm(), 1e-12) << contact << " particle " << i;
            }
            EXPECT_EQ(touching, expected_touching);
            EXPECT_GT(touching, 10u);
        }
    }
}

TEST(Obstacles, PinnedParticlesFollowTheirPinThroughAnything) {
    Bench bench;
    bench.add(floor_settings(0.5));
    PinSettings pin;
    pin.shape = SphereShape();
    pin.position = {0, 0.1, 0};
    pin.motion = linear({{0, zero, zero}, {1, {0, -0.5, 0}, {0, 360, 0}}});
    bench.model.pins.emplace_back(pin);
    const std::size_t pinned = bench.add_particle({0.05, 0.12, 0}), free = bench.add_particle({1, spacing / 2, 0});
    bench.state.pin[pinned] = 0;
    const Vec3 local = bench.model.pins[0].pose(0).placement.to_local(bench.state.position[pinned]);
    for (int step = 0; step < 1000; ++step) {
        EXPECT_EQ(bench.step(), 1u);  // the free one; the pinned one is not counted
        const Vec3 expected = bench.model.pins[0].pose(bench.time).placement.to_world(local);
        ASSERT_LT((bench.state.position[pinned] - expected).norm(), 1e-11);
    }
    EXPECT_NEAR(bench.state.position[pinned].y(), 0.12 - 0.5, 1e-11);
    EXPECT_NEAR(bench.state.position[free].y(), spacing / 2, 1e-12);
}

TEST(Obstacles, BlockOfParticlesSlidesDownAnInclineByCoulombsLaw) {
    for (const Real degrees : {20.0, 40.0}) {
        Bench bench;
        ColliderSettings incline = floor_settings(0.5);
        incline.rotation = {0, 0, -degrees};
        bench.add(incline);
        const Mat3 R = rotation_from_degrees(incline.rotation).toRotationMatrix();
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 4; ++k) bench.add_particle(R * Vec3(0.01 * i, spacing / 2, 0.01 * k));
        }
        for (int step = 0; step < 1000; ++step) bench.step();
        const Real a = degrees * pi / 180;
        const Real expected = std::max(Real(0), g * (std::sin(a) - 0.5 * std::cos(a)));
        for (const Vec3& v : bench.state.velocity) EXPECT_NEAR(v.norm(), expected, 1e-9);
    }
}

TEST(Obstacles, HaveTheSameBitsAtAnyThreadCount) {
    std::set<std::uint64_t> hashes;
    for (const int threads : {1, 2, 4, 7}) {
        Bench bench;
        bench.add(floor_settings(0.5));
        bench.add(box_settings({0.2, 0.1, 0.3}, {0, 0.1, 0}, linear({{0, zero, zero}, {1, {0.5, 0, 0}, {0, 500, 0}}})));
        add_random_particles(bench, 3000, 0.2, 1);
        Threads(threads).run([&] {
            for (int step = 0; step < 50; ++step) bench.step();
        });
        hashes.insert(bench.state.hash());
    }
    EXPECT_EQ(hashes.size(), 1u);
}

}  // namespace
}  // namespace pliant
