// Air and water around the particles of sph.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/methods/sph/medium_forces.h"
#include "pliant/scene/world.h"
#include "support/scenes.h"

namespace pliant {
namespace {

FieldSettings air(const Vec3& wind = Vec3::Zero()) {
    FieldSettings field;
    field.name = "air";
    field.density = 1.2041;
    field.velocity = wind;
    return field;
}

// A single particle of water, as large as a drop of that diameter.
Scene rain(Real diameter) {
    Scene scene;
    scene.simulation.method = "sph";
    scene.simulation.timestep = 2e-3;
    scene.fields.push_back(air());
    FluidSettings drop;
    drop.name = "drop";
    drop.spacing = std::cbrt(pi / 6) * diameter;
    drop.shape = BoxShape{Vec3::Constant(drop.spacing)};
    drop.surface_tension = 0.0724;
    scene.fluids.push_back(drop);
    return scene;
}

// Speeds as measured [Gunn49]. The model takes a drop for as flat as it ever gets, hence too slow.
TEST(MediumForces, DropsFallAsFastAsRain) {
    for (const auto& [diameter, speed] : {std::pair(1e-3, 4.03), std::pair(2e-3, 6.49)}) {
        World world(rain(diameter));
        ASSERT_EQ(world.state().size(), 1u);
        while (world.time() < 3) world.step();
        EXPECT_NEAR(-world.state().velocity[0].y(), 0.91 * speed, 0.03 * speed);
    }
}

TEST(MediumForces, AStreamThatIsStillRelativeToADropDoesNothing) {
    EXPECT_EQ(Drop({}, 1e-3).area(air(), 0, 0), 0);
    Scene scene = rain(1e-3);
    scene.simulation.gravity = Vec3::Zero();
    scene.fields[0].velocity = {3, 0, 0};
    scene.fluids[0].velocity = {3, 0, 0};
    World world(scene);
    world.step();
    EXPECT_EQ(world.state().velocity[0], Vec3(3, 0, 0));
}

// The face that a wind meets is dragged, and nothing behind it: dp = (1/2) rho A u^2 dt.
TEST(MediumForces, WindPushesTheFaceThatItMeets) {
    Scene scene = falling_box();
    scene.simulation.method = "sph";
    scene.simulation.gravity = Vec3::Zero();
    scene.simulation.timestep = 1e-5;
    scene.fields.push_back(air({10, 0, 0}));
    World world(scene);
    const Real before = world.diagnostics().momentum.linear.x();
    world.step();
    const Real expected = 0.5 * 1.2041 * square(0.1) * square(10.0) * 1e-5;
    EXPECT_NEAR(world.diagnostics().momentum.linear.x() - before, expected, 0.01 * expected);
}

TEST(MediumForces, WaterAroundLiftsByTheWeightOfWhatIsDisplaced) {
    Scene scene = falling_box();
    scene.simulation.method = "sph";
    scene.materials[0].density = 500;
    FieldSettings water;
    water.name = "water";
    water.drag = 0;
    scene.fields.push_back(water);
    World world(scene);
    world.step();
    EXPECT_NEAR(world.diagnostics().momentum.linear.y() / total_mass(world.state()), 9.81 * world.time(), 1e-9);
}

// Whatever the step, drag does not carry a drop past the wind.
TEST(MediumForces, DragNeverOvershoots) {
    Scene scene = rain(1e-4);
    scene.simulation.gravity = Vec3::Zero();
    scene.simulation.timestep = 0.02;
    scene.fields[0].velocity = {50, 0, 0};
    scene.fields[0].density = 50;
    World world(scene);
    for (int k = 0; k < 20; ++k) {
        world.step();
        ASSERT_LE(world.state().velocity[0].x(), 50);
    }
    EXPECT_GT(world.state().velocity[0].x(), 40);
}

}  // namespace
}  // namespace pliant
