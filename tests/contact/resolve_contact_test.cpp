// A point mass against planes: no penetration, Coulomb's law, holding and letting go.
#include <gtest/gtest.h>

#include <random>

#include "pliant/contact/collider.h"

namespace pliant {
namespace {

constexpr Real g = 9.81;
constexpr Real radius = 0.005;

// A half-space whose surface moves; the normal points out of it.
struct Floor {
    Vec3 normal = Vec3::UnitY();
    Vec3 velocity = Vec3::Zero();

    SurfacePoint at(const Vec3& x, Real time) const { return {normal.dot(x - time * velocity), normal, velocity}; }
};

struct PointMass {
    Vec3 position = Vec3::Zero();
    Vec3 velocity = Vec3::Zero();
    bool touches = false;
};

class Fall {
public:
    Fall(const ContactRule& rule, const Floor& floor, Real dt) : rule_(rule), floor_(floor), dt_(dt) {}

    void step(PointMass& p, const Vec3& gravity = Vec3(0, -g, 0)) {
        p.velocity += dt_ * gravity;
        const SurfacePoint now = floor_.at(p.position, time_),
                           next = floor_.at(p.position + dt_ * p.velocity, time_ + dt_);
        const ContactResult result = resolve_contact(rule_, now, next, radius, p.velocity, dt_);
        p.velocity = result.velocity;
        p.touches = result.touched;
        p.position += dt_ * p.velocity;
        time_ += dt_;
    }
    Real gap(const PointMass& p) const { return floor_.at(p.position, time_).distance - radius; }

private:
    ContactRule rule_;
    Floor floor_;
    Real dt_;
    Real time_ = 0;
};

ContactRule separate(Real friction) {
    return {ContactMode::separate, friction};
}

TEST(ResolveContact, LeavesAloneWhatDoesNotTouch) {
    const SurfacePoint far{1, Vec3::UnitY(), Vec3::Zero()};
    const Vec3 v(1, -2, 3);
    for (const ContactMode mode : {ContactMode::separate, ContactMode::slip, ContactMode::stick}) {
        const ContactResult result =
            resolve_contact({mode, 0.5}, far, {0.9, Vec3::UnitY(), Vec3::Zero()}, radius, v, 0.01);
        EXPECT_EQ(result.velocity, v);
        EXPECT_FALSE(result.touched);
    }
}

TEST(ResolveContact, SeparateNeverPenetrates) {
    std::mt19937 random(1);
    std::normal_distribution<Real> normal;
    for (int k = 0; k < 200; ++k) {
        const Floor floor{Vec3(normal(random), normal(random), normal(random)).normalized(),
                          0.5 * Vec3(normal(random), normal(random), normal(random))};
        Fall fall(separate(std::abs(normal(random))), floor, 1e-3);
        PointMass p{0.1 * floor.normal, Vec3(normal(random), normal(random), normal(random)) - 3 * floor.normal};
        for (int step = 0; step < 200; ++step) {
            fall.step(p, -g * floor.normal);
            ASSERT_GE(fall.gap(p), -1e-12) << "step " << step;
        }
        EXPECT_TRUE(p.touches);
        EXPECT_NEAR(fall.gap(p), 0, 1e-12);
    }
}

// Coulomb:  |dv_t| <= friction dv_n,  against the slip and never beyond it
TEST(ResolveContact, FrictionStaysWithinCoulombsBound) {
    std::mt19937 random(2);
    std::normal_distribution<Real> normal;
    for (int k = 0; k < 2000; ++k) {
        const Real friction = std::abs(normal(random)), dt = 1e-3;
        const Vec3 n = Vec3(normal(random), normal(random), normal(random)).normalized();
        const Vec3 v(normal(random), normal(random), normal(random)), w(normal(random), normal(random), normal(random));
        const SurfacePoint now{radius, n, w}, next{radius + dt * (v - w).dot(n), n, w};
        const ContactResult result = resolve_contact(separate(friction), now, next, radius, v, dt);
        if ((v - w).dot(n) >= 0) {
            EXPECT_EQ(result.velocity, v);
            continue;
        }
        const Vec3 slip_before = (v - w) - (v - w).dot(n) * n,
                   slip_after = (result.velocity - w) - (result.velocity - w).dot(n) * n;
        const Real dv_n = (result.velocity - v).dot(n), dv_t = (slip_after - slip_before).norm();
        EXPECT_NEAR((result.velocity - w).dot(n), 0, 1e-12);
        EXPECT_LE(dv_t, friction * dv_n + 1e-12);
        EXPECT_GE(slip_after.dot(slip_before), -1e-12);
        EXPECT_LE(slip_after.norm(), slip_before.norm() + 1e-12);
        if (slip_after.norm() > 1e-9) {
            EXPECT_NEAR(dv_t, friction * dv_n, 1e-12);
        }
    }
}

// On an incline of angle a a block sticks while tan a < mu, and else slides with  g (sin a - mu cos a).
TEST(ResolveContact, BlockOnAnInclineSticksBelowAndSlidesAboveTheFrictionAngle) {
    constexpr Real friction = 0.5, dt = 1e-3;
    for (const Real degrees : {5.0, 15.0, 26.0, 27.0, 35.0, 60.0}) {
        const Real a = degrees * pi / 180;
        const Floor incline{{std::sin(a), std::cos(a), 0}, Vec3::Zero()};
        Fall fall(separate(friction), incline, dt);
        PointMass p{radius * incline.normal};
        for (int step = 0; step < 1000; ++step) fall.step(p);
        const Real expected = std::max(Real(0), g * (std::sin(a) - friction * std::cos(a)));
        EXPECT_NEAR(p.velocity.norm(), expected, 1e-9) << degrees << " degrees";
        EXPECT_NEAR(fall.gap(p), 0, 1e-12);
        if (expected == 0) {
            EXPECT_LT((p.position - radius * incline.normal).norm(), 1e-12);
        }
    }
}

// v^2 / (2 mu g)
TEST(ResolveContact, SlidingStopsAfterCoulombsDistance) {
    for (const Real friction : {0.1, 0.5, 1.0}) {
        for (const Real v : {0.5, 2.0, 5.0}) {
            Fall fall(separate(friction), Floor(), 1e-4);
            PointMass p{{0, radius, 0}, {v, 0, 0}};
            for (int step = 0; step < 60'000 && p.velocity.x() > 0; ++step) fall.step(p);
            const Real expected = v * v / (2 * friction * g);
            EXPECT_EQ(p.velocity.x(), 0);
            EXPECT_NEAR(p.position.x(), expected, 0.01 * expected) << friction << ' ' << v;
        }
    }
}

TEST(ResolveContact, WithoutFrictionSlidingGoesOn) {
    Fall fall(separate(0), Floor(), 1e-3);
    PointMass p{{0, radius, 0}, {2, 0, -1}};
    for (int step = 0; step < 1000; ++step) fall.step(p);
    EXPECT_LT((p.velocity - Vec3(2, 0, -1)).norm(), 1e-12);
}

TEST(ResolveContact, SeparateLetsGoAtOnce) {
    Fall fall(separate(1), Floor(), 1e-3);
    PointMass p{{0, radius, 0}};
    for (int step = 0; step < 100; ++step) fall.step(p);
    EXPECT_TRUE(p.touches);
    fall.step(p, {0, 5, 0});
    EXPECT_FALSE(p.touches);
    EXPECT_NEAR(p.velocity.y(), 5e-3, 1e-15);
}

TEST(ResolveContact, SlipKeepsTheTangentialSpeedAndNeverLeaves) {
    Fall fall({ContactMode::slip, 0.5}, Floor(), 1e-3);
    PointMass p{{0, 0.05, 0}, {2, -1, 1}};
    for (int step = 0; step < 300; ++step) fall.step(p);
    EXPECT_TRUE(p.touches);
    EXPECT_LT((p.velocity - Vec3(2, 0, 1)).norm(), 1e-12);
    EXPECT_NEAR(fall.gap(p), 0, 1e-12);
    for (int step = 0; step < 300; ++step) fall.step(p, {0, 50, 0});
    EXPECT_TRUE(p.touches);
    EXPECT_NEAR(fall.gap(p), 0, 1e-12);
    EXPECT_LT((p.velocity - Vec3(2, 0, 1)).norm(), 1e-12);
}

TEST(ResolveContact, StickHoldsFast) {
    const Floor incline{Vec3(0.6, 0.8, 0), Vec3::Zero()};
    Fall fall({ContactMode::stick, 0}, incline, 1e-3);
    PointMass p{0.05 * incline.normal, {1, -2, 3}};
    while (!p.touches) fall.step(p);
    EXPECT_NEAR(fall.gap(p), 0, 1e-12);
    const Vec3 landed = p.position;
    for (int step = 0; step < 300; ++step) fall.step(p, step % 2 ? Vec3(0, 50, 30) : Vec3(0, -50, 0));
    EXPECT_TRUE(p.touches);
    EXPECT_LT((p.position - landed).norm(), 1e-12);
}

TEST(ResolveContact, StickAndSlipDoNotGrabWhatPassesBy) {
    for (const ContactMode mode : {ContactMode::slip, ContactMode::stick}) {
        Fall fall({mode, 0}, Floor(), 1e-3);
        PointMass p{{0, 1.02 * radius, 0}, {3, 0, 0}};
        fall.step(p, Vec3::Zero());
        EXPECT_FALSE(p.touches);
        EXPECT_EQ(p.velocity, Vec3(3, 0, 0));
    }
}

TEST(ResolveContact, AMovingObstaclePushesAtItsSpeed) {
    for (const ContactMode mode : {ContactMode::separate, ContactMode::slip, ContactMode::stick}) {
        const Floor lift{Vec3::UnitY(), {0, 1.5, 0}};
        Fall fall({mode, 0.5}, lift, 1e-3);
        PointMass p{{0, 0.1, 0}};
        for (int step = 0; step < 500; ++step) fall.step(p);
        EXPECT_LT((p.velocity - lift.velocity).norm(), 1e-9) << static_cast<int>(mode);
        EXPECT_NEAR(fall.gap(p), 0, 1e-10);
    }
}

TEST(ResolveContact, AMovingObstacleDragsByFrictionUntilNothingSlips) {
    const Floor belt{Vec3::UnitY(), {1, 0, 0}};
    Fall fall(separate(0.4), belt, 1e-3);
    PointMass p{{0, radius, 0}};
    for (int step = 0; step < 100; ++step) fall.step(p);
    EXPECT_NEAR(p.velocity.x(), 0.4 * g * 0.1, 1e-9);
    for (int step = 0; step < 400; ++step) fall.step(p);
    EXPECT_NEAR(p.velocity.x(), 1, 1e-12);
}

TEST(ResolveContact, AnObstacleThatGoesAwayTakesAlongOnlyWhatItHolds) {
    const Floor falling{Vec3::UnitY(), {0, -3, 0}};
    for (const ContactMode mode : {ContactMode::separate, ContactMode::slip, ContactMode::stick}) {
        Fall fall({mode, 0.5}, falling, 1e-3);
        PointMass p{{0, radius, 0}};
        for (int step = 0; step < 50; ++step) fall.step(p, Vec3::Zero());
        EXPECT_NEAR(p.velocity.y(), mode == ContactMode::separate ? 0 : -3, 1e-9);
    }
}

TEST(ResolveContact, DeepOverlapComesOutGradually) {
    for (const ContactMode mode : {ContactMode::separate, ContactMode::slip, ContactMode::stick}) {
        for (const Real depth : {0.1 * radius, radius, 20 * radius}) {
            for (const Real dt : {1e-5, 1e-3, 2e-2}) {
                Fall fall({mode, 0.3}, Floor(), dt);
                PointMass p{{0, radius - depth, 0}};
                Real fastest = 0, last_gap = fall.gap(p);
                int steps = 0;
                while (fall.gap(p) < -1e-3 * radius && steps * dt < 3) {
                    fall.step(p);
                    fastest = std::max(fastest, p.velocity.norm());
                    ASSERT_GE(fall.gap(p), last_gap - 1e-12) << "must not sink";
                    last_gap = fall.gap(p);
                    ++steps;
                }
                EXPECT_GE(fall.gap(p), -1e-3 * radius) << depth << ' ' << dt;
                EXPECT_LE(fastest, 1.001 * std::min(depth, radius) / 0.05) << depth << ' ' << dt;
            }
        }
    }
}

TEST(ResolveContact, WhatIsFiniteStaysFinite) {
    for (const Real distance : {-1e6, -1.0, 0.0, 1e-12, 1.0}) {
        for (const Real speed : {0.0, 1e-9, 1e6}) {
            for (const ContactMode mode : {ContactMode::separate, ContactMode::slip, ContactMode::stick}) {
                const SurfacePoint now{distance, Vec3::UnitX(), Vec3::Zero()},
                    next{distance - speed, Vec3::UnitX(), Vec3::Zero()};
                const Vec3 v = resolve_contact({mode, 100}, now, next, 0, Vec3(-speed, speed, 0), 1e-6).velocity;
                EXPECT_TRUE(v.allFinite());
            }
        }
    }
}

}  // namespace
}  // namespace pliant
