#include "pliant/scene/world.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "pliant/scene/build.h"
#include "pliant/scene/method_list.h"
#include "support/scenes.h"

namespace pliant {
namespace {

TEST(World, LivesBesideAnother) {
    World a(falling_box()), b(falling_box());
    a.advance_frame();
    b.advance_frame();
    EXPECT_EQ(a.hash(), b.hash());
    a.advance_frame();
    EXPECT_NE(a.hash(), b.hash());
}

TEST(World, EndsEveryFrameOnTime) {
    Scene scene = falling_box();
    scene.simulation.timestep = 2.3e-3;
    World world(scene);
    for (int frame = 1; frame <= 5; ++frame) {
        world.advance_frame();
        EXPECT_EQ(world.frame(), frame);
        EXPECT_NEAR(world.time(), frame / scene.simulation.fps, 1e-15);
    }
    EXPECT_EQ(world.steps(), 5 * 8);  // 1/60 s in 8 steps of at most 2.3 ms
}

TEST(World, MassIsDensityTimesVolume) {
    const World world(falling_box());
    EXPECT_EQ(world.state().size(), 125u);
    EXPECT_NEAR(total_mass(world.state()), 1000 * 0.1 * 0.1 * 0.1, 1e-12);
}

TEST(World, FramesListParticlesById) {
    const World world(falling_box());
    const ParticleFrame frame = world.particle_frame();
    ASSERT_EQ(frame.id.size(), 125u);
    for (std::size_t i = 0; i < frame.id.size(); ++i) EXPECT_EQ(frame.id[i], i);
    EXPECT_NE(frame.find_quantity("stress"), nullptr);
}

TEST(World, StartsWithVelocityAndSpin) {
    Scene scene = falling_box();
    scene.bodies[0].velocity = {1, 2, 3};
    scene.bodies[0].angular_velocity = {0, 0, 5};
    const World world(scene);
    const Momentum p = momentum(world.state());
    EXPECT_NEAR((p.linear / total_mass(world.state()) - Vec3(1, 2, 3)).norm(), 0, 1e-12);
}

TEST(World, RefusesASceneWithProblems) {
    Scene scene = falling_box();
    scene.bodies[0].material = "unobtainium";
    EXPECT_THROW(World{scene}, InputError);
    scene.bodies[0].material = "";
    EXPECT_THROW(World{scene}, InputError);
    scene = falling_box();
    scene.bodies[0].spacing = 0;
    EXPECT_THROW(World{scene}, InputError);
    scene = falling_box();
    scene.materials[0].poisson.reset();
    EXPECT_THROW(World{scene}, InputError);
    scene = falling_box();
    scene.materials[0].density = -1;
    EXPECT_THROW(World{scene}, InputError);
}

TEST(World, SaysWhichParticleStoppedBeingFinite) {
    Scene scene = falling_box();
    scene.simulation.timestep = 1e-4;
    World world(scene);
    std::vector<Vec3> velocity = world.state().velocity;
    velocity[7].x() = std::numeric_limits<Real>::infinity();
    world.set_velocities(velocity);
    try {
        world.step();
        FAIL() << "went on";
    } catch (const SimulationError& error) {
        const std::string message = error.what();
        for (const char* word : {"step 1 ", "particle ", "body 'box'", "position (", "last good frame is 0"}) {
            EXPECT_NE(message.find(word), std::string::npos) << word << " in " << message;
        }
    }
}

// A step three times too long: particles scatter and stay finite for a while.
TEST(World, SaysThatARunHasBecomeUnstable) {
    Scene scene = dropped_box();
    scene.materials[0].plastic.reset();
    scene.simulation.integrator = "explicit";
    scene.simulation.timestep = 3 * 0.02 / sound_speed(Moduli::from_young_poisson(1e5, 0.3), 1000);
    World world(scene);
    try {
        for (int step = 0; step < 2000; ++step) world.step();
        FAIL() << "went on";
    } catch (const SimulationError& error) {
        const std::string message = error.what();
        for (const char* word : {"unstable", "particle ", "body 'box'", "last good frame is", "shorter timestep"}) {
            EXPECT_NE(message.find(word), std::string::npos) << word << " in " << message;
        }
    }
}

TEST(World, RestoresOnlyWhatFits) {
    World small(falling_box());
    Scene larger = falling_box();
    larger.bodies[0].spacing = 0.01;
    EXPECT_THROW(World(larger).restore(small.save()), InputError);
    Snapshot snapshot = small.save();
    snapshot.put_real("offset", 0.001);
    EXPECT_THROW(small.restore(snapshot), InputError);
}

TEST(Pin, HoldsAndDrivesItsParticles) {
    Scene scene = falling_box();
    PinSettings pin;
    pin.shape = BoxShape{Vec3(1, 0.03, 1)};
    pin.position = {0, 0.35, 0};
    MotionSettings motion;
    motion.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {0.1, Vec3(0.1, 0, 0), Vec3(0, 90, 0)}};
    pin.motion = motion;
    scene.pins.push_back(pin);
    World world(scene);
    std::vector<Vec3> before = world.state().position;
    for (int i = 0; i < 6; ++i) world.advance_frame();
    const Quat turn = rotation_from_degrees({0, 90, 0});
    const Vec3 centre = scene.pins[0].position;
    std::size_t held = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (world.state().pin[i] == no_pin) continue;
        ++held;
        EXPECT_NEAR((world.state().position[i] - (centre + Vec3(0.1, 0, 0) + turn * (before[i] - centre))).norm(), 0,
                    1e-9);
    }
    EXPECT_EQ(held, 25u);
}

// What a check says a run takes is more than its arrays do, and not many times as much: a run that fits must not be
// refused.
TEST(World, TakesAboutTheMemoryThatWasEstimated) {
    for (const MethodKind& kind : method_list()) {
        if (kind.can(Ability::rigs)) continue;  // few particles each, with much of their own
        Scene scene = dropped_box();
        scene.simulation.method = kind.name;
        scene.materials[0].plastic.reset();
        std::vector<std::string> warnings;
        const std::size_t few = estimate_size(scene, warnings).memory;
        const std::size_t before = estimate_size(scene, warnings).particles;
        scene.bodies[0].spacing = 0.004;
        const SizeEstimate size = estimate_size(scene, warnings);
        const Real estimated = Real(size.memory - few) / Real(size.particles - before);
        World world(scene);
        for (int k = 0; k < 3; ++k) world.step();
        const Real taken = Real(world.bytes()) / Real(world.state().size());
        EXPECT_GT(estimated, taken) << kind.name;
        EXPECT_LT(estimated, 3 * taken) << kind.name;
    }
}

}  // namespace
}  // namespace pliant
