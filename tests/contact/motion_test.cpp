#include "pliant/contact/motion.h"

#include <gtest/gtest.h>

#include <random>

namespace pliant {
namespace {

const Vec3 zero = Vec3::Zero();

const Placement own_place{{1, 2, 3}, rotation_from_degrees({10, -70, 200})};

MotionSettings two_keys(const std::string& interpolation, bool repeat = false) {
    return {interpolation, repeat, {{1, {0, 0, 0}, {0, 0, 0}}, {3, {4, 0, -2}, {0, 90, 0}}}};
}

MotionSettings random_keys(const std::string& interpolation, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> number(-1, 1);
    MotionSettings settings{interpolation, false, {}};
    Real time = 0;
    for (int k = 0; k < 5; ++k) {
        settings.keys.push_back({time,
                                 {number(random), number(random), number(random)},
                                 {400 * number(random), 400 * number(random), 400 * number(random)}});
        time += 0.3 + std::abs(number(random));
    }
    return settings;
}

Real angle_between(const Quat& a, const Quat& b) {
    return a.angularDistance(b) * 180 / pi;
}

// Velocity of a point that is carried along, by central differences of the pose.
Vec3 difference_velocity(const Motion& motion, Real time, const Vec3& local) {
    constexpr Real h = 1e-6;
    const Vec3 after = motion.at(time + h, own_place).placement.to_world(local);
    const Vec3 before = motion.at(time - h, own_place).placement.to_world(local);
    return (after - before) / (2 * h);
}

TEST(RotationFromDegrees, TurnsAboutXThenYThenZ) {
    EXPECT_LT((rotation_from_degrees({90, 0, 0}) * Vec3::UnitY() - Vec3::UnitZ()).norm(), 1e-15);
    EXPECT_LT((rotation_from_degrees({0, 90, 0}) * Vec3::UnitZ() - Vec3::UnitX()).norm(), 1e-15);
    EXPECT_LT((rotation_from_degrees({0, 0, 90}) * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
    EXPECT_LT((rotation_from_degrees({90, 90, 0}) * Vec3::UnitY() - Vec3::UnitX()).norm(), 1e-15);   // y -> z -> x
    EXPECT_LT((rotation_from_degrees({0, 90, 90}) * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-15);   // z -> x -> y
    EXPECT_LT((rotation_from_degrees({90, 90, 90}) * Vec3::UnitY() - Vec3::UnitY()).norm(), 1e-15);  // y -> z -> x -> y
    EXPECT_NEAR(rotation_from_degrees({33, -170, 512}).norm(), 1, 1e-15);
}

TEST(Motion, WithoutKeysStandsStill) {
    const Motion motion;
    EXPECT_TRUE(motion.is_still());
    const MovingPose pose = motion.at(7, own_place);
    EXPECT_EQ(pose.placement.position, own_place.position);
    EXPECT_EQ(pose.placement.rotation.coeffs(), own_place.rotation.coeffs());
    EXPECT_EQ(pose.velocity_at({5, 5, 5}), Vec3::Zero());
    EXPECT_EQ(motion.largest_speed(), 0);
}

TEST(Motion, StandsAtItsKeysAtTheirTimes) {
    for (const std::string interpolation : {"smooth", "linear"}) {
        const MotionSettings settings = random_keys(interpolation, 1);
        const Motion motion(settings);
        EXPECT_FALSE(motion.is_still());
        for (const Keyframe& key : settings.keys) {
            const Placement placement = motion.at(key.time, own_place).placement;
            EXPECT_LT((placement.position - own_place.position - key.position).norm(), 1e-14);
            EXPECT_LT(angle_between(placement.rotation, rotation_from_degrees(key.rotation) * own_place.rotation),
                      1e-5);
        }
    }
}

TEST(Motion, RestsBeforeTheFirstKeyAndAfterTheLast) {
    for (const std::string interpolation : {"smooth", "linear"}) {
        const Motion motion(two_keys(interpolation));
        for (const Real time : {-5.0, 0.0, 0.999}) {
            const MovingPose pose = motion.at(time, own_place);
            EXPECT_EQ(pose.placement.position, own_place.position);
            EXPECT_EQ(pose.velocity_at({9, 9, 9}), Vec3::Zero());
        }
        for (const Real time : {3.0, 3.001, 1e9}) {
            const MovingPose pose = motion.at(time, own_place);
            EXPECT_EQ(pose.placement.position, Vec3(own_place.position + Vec3(4, 0, -2)));
            EXPECT_EQ(pose.velocity_at({9, 9, 9}), Vec3::Zero());
        }
    }
}

TEST(Motion, LinearMovesAtAnEvenSpeed) {
    const Motion motion(two_keys("linear"));
    const MovingPose pose = motion.at(1.5, Placement());
    EXPECT_LT((pose.placement.position - Vec3(1, 0, -0.5)).norm(), 1e-15);
    EXPECT_LT(angle_between(pose.placement.rotation, rotation_from_degrees({0, 22.5, 0})), 1e-5);
    for (const Real time : {1.0, 1.2, 2.0, 2.99}) {
        EXPECT_LT((motion.at(time, Placement()).linear_velocity - Vec3(2, 0, -1)).norm(), 1e-14);
        EXPECT_LT((motion.at(time, Placement()).angular_velocity - Vec3(0, pi / 4, 0)).norm(), 1e-14);
    }
}

TEST(Motion, SmoothStartsAndStopsGently) {
    const Motion motion(two_keys("smooth"));
    EXPECT_LT((motion.at(2, Placement()).placement.position - Vec3(2, 0, -1)).norm(), 1e-15);
    EXPECT_LT(motion.at(1, Placement()).linear_velocity.norm(), 1e-15);
    EXPECT_LT(motion.at(3 - 1e-9, Placement()).linear_velocity.norm(), 1e-7);
    EXPECT_LT((motion.at(2, Placement()).linear_velocity - 1.5 * Vec3(2, 0, -1)).norm(), 1e-14);
    EXPECT_LT((motion.at(1.5, Placement()).placement.position - (5.0 / 32) * Vec3(4, 0, -2)).norm(), 1e-15);
}

TEST(Motion, VelocityAndSpinAreTheDerivativesOfThePose) {
    for (const std::string interpolation : {"smooth", "linear"}) {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            const MotionSettings settings = random_keys(interpolation, seed);
            const Motion motion(settings);
            for (std::size_t k = 1; k < settings.keys.size(); ++k) {
                const Real from = settings.keys[k - 1].time, to = settings.keys[k].time;
                for (const Real u : {0.01, 0.3, 0.5, 0.77, 0.99}) {
                    const Real time = from + u * (to - from);
                    const MovingPose pose = motion.at(time, own_place);
                    for (const Vec3& local : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-1, 2, 3)}) {
                        const Vec3 v = pose.velocity_at(pose.placement.to_world(local));
                        const Vec3 expected = difference_velocity(motion, time, local);
                        ASSERT_LT((v - expected).norm(), 1e-6 * (1 + expected.norm())) << interpolation << ' ' << time;
                    }
                }
            }
        }
    }
}

TEST(Motion, TurnsMoreThanOnceWhenToldTo) {
    const Motion motion({"linear", false, {{0, zero, {0, 0, 0}}, {4, zero, {0, 0, 720}}}});
    const auto image_of_x = [&](Real time) -> Vec3 {
        return motion.at(time, Placement()).placement.rotation * Vec3::UnitX();
    };
    EXPECT_LT((image_of_x(0.5) - Vec3::UnitY()).norm(), 1e-14);
    EXPECT_LT((image_of_x(1) + Vec3::UnitX()).norm(), 1e-14);
    EXPECT_LT((image_of_x(2) - Vec3::UnitX()).norm(), 1e-14);
    EXPECT_LT((image_of_x(3) + Vec3::UnitX()).norm(), 1e-14);
    EXPECT_LT((motion.at(1.3, Placement()).angular_velocity - Vec3(0, 0, pi)).norm(), 1e-14);
}

TEST(Motion, TurnsAboutItsOwnPosition) {
    const Motion motion({"linear", false, {{0, zero, {0, 0, 0}}, {1, zero, {0, 0, 90}}}});
    const MovingPose pose = motion.at(1, own_place);
    EXPECT_EQ(pose.placement.position, own_place.position);
    const Vec3 before = own_place.to_world({1, 0, 0}) - own_place.position;
    const Vec3 after = pose.placement.to_world({1, 0, 0}) - own_place.position;
    EXPECT_LT((after - Vec3(-before.y(), before.x(), before.z())).norm(), 1e-14);
}

TEST(Motion, RepeatsAfterTheLastKey) {
    const Motion motion({"linear", true, {{1, {0, 0, 0}, zero}, {2, {1, 0, 0}, zero}, {3, {0, 0, 0}, zero}}});
    const auto x = [&](Real time) { return motion.at(time, Placement()).placement.position.x(); };
    EXPECT_EQ(x(0), 0);
    for (int period = 0; period < 50; ++period) {
        EXPECT_NEAR(x(1.25 + 2 * period), 0.25, 1e-12);
        EXPECT_NEAR(x(2.5 + 2 * period), 0.5, 1e-12);
        EXPECT_NEAR(x(3 + 2 * period), 0, 1e-12);
        EXPECT_NEAR(motion.at(2.5 + 2 * period, Placement()).linear_velocity.x(), -1, 1e-12);
    }
}

TEST(Motion, ARepeatedTurnIsSteady) {
    const Motion wheel({"linear", true, {{0, zero, {0, 0, 0}}, {0.7, zero, {360, 0, 0}}}});
    Quat last = wheel.at(0, Placement()).placement.rotation;
    for (int k = 1; k <= 300; ++k) {
        const MovingPose pose = wheel.at(0.01 * k, Placement());
        EXPECT_NEAR(angle_between(pose.placement.rotation, last), 360 * 0.01 / 0.7, 1e-9);
        EXPECT_NEAR(pose.angular_velocity.x(), 2 * pi / 0.7, 1e-12);
        last = pose.placement.rotation;
    }
}

TEST(Motion, OneKeyIsAPlaceToStand) {
    const Motion motion({"smooth", false, {{2, {1, 0, 0}, zero}}});
    for (const Real time : {0.0, 2.0, 5.0}) {
        EXPECT_EQ(motion.at(time, Placement()).placement.position, Vec3(1, 0, 0));
        EXPECT_EQ(motion.at(time, Placement()).linear_velocity, Vec3::Zero());
    }
}

TEST(Motion, LargestSpeedIsReachedAndNotPassed) {
    for (const std::string interpolation : {"smooth", "linear"}) {
        const MotionSettings settings = random_keys(interpolation, 3);
        const Motion motion(settings);
        Real fastest = 0;
        for (Real time = 0; time < settings.keys.back().time; time += 1e-3) {
            fastest = std::max(fastest, motion.at(time, own_place).linear_velocity.norm());
        }
        EXPECT_LE(fastest, motion.largest_speed() * (1 + 1e-12));
        EXPECT_GE(fastest, motion.largest_speed() * 0.999);
    }
}

TEST(MotionSettings, SayWhatIsWrongWithTheirKeys) {
    const auto problem = [](const MotionSettings& settings) {
        const auto problems = settings.problems();
        return problems.empty() ? std::string() : problems[0];
    };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_EQ(problem(two_keys("smooth")), "");
    EXPECT_TRUE(has(problem(MotionSettings()), "has no keys"));
    EXPECT_TRUE(has(problem({"smooth", false, {{0}, {2}, {1}}}), "key 3 is at 1 s"));
    EXPECT_TRUE(has(problem({"smooth", false, {{0}, {0}}}), "key 2 is at 0 s"));
    EXPECT_TRUE(has(problem({"smooth", true, {{0}}}), "one key only"));
    EXPECT_EQ(problem({"smooth", false, {{0}}}), "");
}

TEST(MotionSettings, RefuseARepetitionThatWouldJump) {
    EXPECT_FALSE(two_keys("smooth", true).problems().empty());
    const auto is_well = [](const Vec3& position, const Vec3& rotation) {
        return MotionSettings{"linear", true, {{0, zero, zero}, {1, {1, 1, 1}, {5, 5, 5}}, {2, position, rotation}}}
            .problems()
            .empty();
    };
    EXPECT_TRUE(is_well({0, 0, 0}, {0, 0, 0}));
    EXPECT_TRUE(is_well({0, 0, 0}, {360, 0, -720}));
    EXPECT_FALSE(is_well({0, 0, 0}, {180, 0, 0}));
    EXPECT_FALSE(is_well({0, 1e-3, 0}, {0, 0, 0}));
}

TEST(MotionSettings, DescribeTheirFields) {
    Keyframe key;
    for (const Field& field : Keyframe::fields()) {
        EXPECT_FALSE(field.help.empty());
        if (field.type == FieldType::vector3) field.set(&key, std::vector<double>{1, 2, 3});
    }
    EXPECT_EQ(key.position, Vec3(1, 2, 3));
    EXPECT_EQ(key.rotation, Vec3(1, 2, 3));
    EXPECT_EQ(MotionSettings::fields().size(), 2u);
}

}  // namespace
}  // namespace pliant
