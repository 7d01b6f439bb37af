#include "pliant/contact/collider.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

const Vec3 zero = Vec3::Zero();

Collider make(const ShapeSettings& shape, const Vec3& position = Vec3::Zero(), const Vec3& rotation = Vec3::Zero(),
              std::optional<MotionSettings> motion = std::nullopt) {
    ColliderSettings settings;
    settings.name = "obstacle";
    settings.shape = shape;
    settings.position = position;
    settings.rotation = rotation;
    settings.motion = std::move(motion);
    return Collider(settings, ShapeContext());
}

BoxShape box(Real x, Real y, Real z) {
    BoxShape shape;
    shape.size = {x, y, z};
    return shape;
}

TEST(Collider, StillSphereMeasuresFromItsPlace) {
    SphereShape ball;
    ball.radius = 0.5;
    const Collider collider = make(ball, {1, 2, 3});
    const MovingPose pose = collider.pose(0);
    const SurfacePoint outside = collider.surface_at({3, 2, 3}, pose);
    EXPECT_NEAR(outside.distance, 1.5, 1e-14);
    EXPECT_LT((outside.normal - Vec3::UnitX()).norm(), 1e-14);
    EXPECT_EQ(outside.velocity, Vec3::Zero());
    const SurfacePoint inside = collider.surface_at({1, 1.9, 3}, pose);
    EXPECT_NEAR(inside.distance, -0.4, 1e-14);
    EXPECT_LT((inside.normal + Vec3::UnitY()).norm(), 1e-14);
}

TEST(Collider, TurnedBoxHasTurnedSides) {
    const Collider collider = make(box(2, 0.2, 0.4), {0, 1, 0}, {0, 0, 90});  // its long side stands upright
    const MovingPose pose = collider.pose(0);
    const SurfacePoint above = collider.surface_at({0, 2.5, 0}, pose);
    EXPECT_NEAR(above.distance, 0.5, 1e-14);
    EXPECT_LT((above.normal - Vec3::UnitY()).norm(), 1e-14);
    const SurfacePoint beside = collider.surface_at({0.3, 1.2, 0}, pose);
    EXPECT_NEAR(beside.distance, 0.2, 1e-14);
    EXPECT_LT((beside.normal - Vec3::UnitX()).norm(), 1e-14);
}

TEST(Collider, PlaneIsTiltedByItsRotation) {
    const Collider collider = make(PlaneShape(), {0, 0, 0}, {0, 0, 30});
    const SurfacePoint point = collider.surface_at({0, 1, 0}, collider.pose(0));
    EXPECT_NEAR(point.distance, std::cos(pi / 6), 1e-14);
    EXPECT_LT((point.normal - Vec3(-0.5, std::cos(pi / 6), 0)).norm(), 1e-14);
}

TEST(Collider, MovesAsItsKeysSay) {
    SphereShape ball;
    ball.radius = 1;
    const Collider collider =
        make(ball, {0, 0, 0}, zero, MotionSettings{"linear", false, {{0, zero, zero}, {2, {6, 0, 0}, zero}}});
    EXPECT_FALSE(collider.motion().is_still());
    const SurfacePoint point = collider.surface_at({6, 0, 0}, collider.pose(1));
    EXPECT_NEAR(point.distance, 2, 1e-14);
    EXPECT_LT((point.velocity - Vec3(3, 0, 0)).norm(), 1e-14);
    EXPECT_NEAR(collider.surface_at({6, 0, 0}, collider.pose(5)).distance, -1, 1e-14);
}

// d(distance)/dt of a fixed point is minus the surface's speed along the normal there.
TEST(Collider, DistanceChangesByTheSpeedOfATurningSurface) {
    const MotionSettings motion{"smooth", false, {{0, {0, 0, 0}, {0, 0, 0}}, {1, {0.3, -0.2, 0.5}, {200, -90, 500}}}};
    const Collider collider = make(box(1, 0.6, 0.4), {0.2, 0.1, 0}, {15, 25, 35}, motion);
    constexpr Real h = 1e-6;
    int compared = 0;
    for (const Vec3& x : {Vec3(1, 0.2, 0.1), Vec3(-0.8, 0.9, 0.3), Vec3(0.3, -1, 0.2), Vec3(0.1, 0.4, -1.2)}) {
        for (Real time = 0.05; time < 1; time += 0.09) {
            const SurfacePoint before = collider.surface_at(x, collider.pose(time - h));
            const SurfacePoint after = collider.surface_at(x, collider.pose(time + h));
            const SurfacePoint point = collider.surface_at(x, collider.pose(time));
            if (point.distance < 0.01) continue;
            const Vec3 surface = x - point.distance * point.normal;
            const Vec3 velocity = collider.pose(time).velocity_at(surface);
            EXPECT_NEAR((after.distance - before.distance) / (2 * h), -velocity.dot(point.normal), 1e-6) << time;
            EXPECT_LT((point.velocity - collider.pose(time).velocity_at(x)).norm(), 1e-12);
            ++compared;
        }
    }
    EXPECT_GT(compared, 30);
}

TEST(Collider, TakesItsRuleFromItsSettings) {
    ColliderSettings settings;
    settings.shape = SphereShape();
    settings.friction = 0.7;
    settings.name = "floor";
    const std::pair<const char*, ContactMode> modes[] = {
        {"separate", ContactMode::separate}, {"slip", ContactMode::slip}, {"stick", ContactMode::stick}};
    for (const auto& [name, mode] : modes) {
        settings.contact = name;
        const Collider collider(settings, ShapeContext());
        EXPECT_EQ(collider.rule().mode, mode);
        EXPECT_EQ(collider.rule().friction, 0.7);
        EXPECT_EQ(collider.name(), "floor");
    }
}

TEST(Collider, DescribesEveryModeItKnows) {
    for (const Field& field : ColliderSettings::fields()) {
        EXPECT_FALSE(field.help.empty()) << field.name;
        if (field.name != "contact") continue;
        EXPECT_EQ(field.choices, (std::vector<std::string>{"separate", "slip", "stick"}));
    }
}

}  // namespace
}  // namespace pliant
