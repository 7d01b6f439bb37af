#include "pliant/contact/pin.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

PinSettings turning_pin() {
    PinSettings settings;
    settings.shape = SphereShape();
    settings.position = {0.5, 1, -0.25};
    settings.rotation = {20, 40, 60};
    settings.motion =
        MotionSettings{"smooth", false, {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0.2, 0.1, 0}, {720, -360, 1080}}}};
    return settings;
}

TEST(Pin, WithoutMotionHolds) {
    PinSettings settings = turning_pin();
    settings.motion.reset();
    const Pin pin(settings);
    EXPECT_TRUE(pin.motion().is_still());
    const Vec3 x(0.7, 1.1, 0);
    EXPECT_LT(carried_velocity(x, pin.pose(0), pin.pose(1), 1).norm(), 1e-15);
}

TEST(CarriedVelocity, KeepsAPointExactlyOnATurningPin) {
    const Pin pin(turning_pin());
    const Vec3 start(0.8, 1.3, 0.2), local = pin.pose(0).placement.to_local(start);
    for (const int steps : {10, 100, 10'000}) {
        const Real dt = 1.0 / steps;
        Vec3 x = start;
        for (int k = 0; k < steps; ++k) {
            x += dt * carried_velocity(x, pin.pose(k * dt), pin.pose((k + 1) * dt), dt);
            const Vec3 expected = pin.pose((k + 1) * dt).placement.to_world(local);
            ASSERT_LT((x - expected).norm(), 1e-12) << "step " << k << " of " << steps;
        }
    }
}

TEST(CarriedVelocity, KeepsDistancesWithinThePin) {
    const Pin pin(turning_pin());
    Vec3 a(0.8, 1.3, 0.2), b(0.4, 0.9, -0.3);
    const Real before = (a - b).norm();
    constexpr int steps = 5000;
    for (int k = 0; k < steps; ++k) {
        const MovingPose now = pin.pose(Real(k) / steps), next = pin.pose(Real(k + 1) / steps);
        a += carried_velocity(a, now, next, 1.0 / steps) / steps;
        b += carried_velocity(b, now, next, 1.0 / steps) / steps;
    }
    EXPECT_NEAR((a - b).norm(), before, 1e-12);
}

TEST(CarriedVelocity, TendsToThePosesVelocity) {
    const Pin pin(turning_pin());
    const Vec3 x(0.8, 1.3, 0.2);
    const MovingPose middle = pin.pose(0.5);
    const Vec3 v = carried_velocity(x, pin.pose(0.5 - 5e-6), pin.pose(0.5 + 5e-6), 1e-5);
    EXPECT_LT((v - middle.velocity_at(x)).norm(), 1e-2 * v.norm());
}

TEST(Pin, DescribesItsFields) {
    PinSettings settings;
    for (const Field& field : PinSettings::fields()) {
        EXPECT_FALSE(field.help.empty()) << field.name;
        if (field.name == "position") field.set(&settings, std::vector<double>{1, 2, 3});
    }
    EXPECT_EQ(settings.position, Vec3(1, 2, 3));
}

}  // namespace
}  // namespace pliant
