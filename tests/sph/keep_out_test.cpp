// Nothing gets through obstacles that are thicker than a spacing, however violent it is.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/worlds.h"

namespace pliant {
namespace {

constexpr Real h = 0.02;  // spacing [m]

std::string head(const std::string& timestep) {
    return "[simulation]\nmethod = \"sph\"\nduration = 10\nfps = 50\n" + timestep;
}

std::string drop(const char* shape, const char* position, const char* velocity) {
    return fmt::format("[[fluid]]\nshape = {{ {} }}\nspacing = {}\nposition = {}\nvelocity = {}\n", shape, h, position,
                       velocity);
}

// How far below the surface of any obstacle the deepest particle is [spacings].
Real deepest(const World& world) {
    Real depth = -std::numeric_limits<Real>::infinity();
    for (const Collider& collider : world.model().colliders) {
        for (const Vec3& x : world.state().position)
            depth = std::max(depth, -collider.surface_at(x, collider.pose(world.time())).distance / h);
    }
    return depth;
}

Real deepest_until(World& world, Real time) {
    Real depth = deepest(world);
    while (world.time() < time - 1e-9) {
        world.step();
        depth = std::max(depth, deepest(world));
    }
    return depth;
}

const std::string box =
    "[[collider]]\nshape = { plane = [0, 1, 0] }\n"
    "[[collider]]\nshape = { plane = [1, 0, 0] }\nposition = [-0.12, 0, 0]\n"
    "[[collider]]\nshape = { plane = [-1, 0, 0] }\nposition = [0.12, 0, 0]\n"
    "[[collider]]\nshape = { plane = [0, 0, 1] }\nposition = [0, 0, -0.12]\n"
    "[[collider]]\nshape = { plane = [0, 0, -1] }\nposition = [0, 0, 0.12]\n";

// Steps of the method's own and steps in which the drop falls by two spacings.
TEST(KeepOut, AViolentDropStaysInItsBox) {
    for (const char* step : {"", "timestep = 4e-3\n"}) {
        World world = world_of(head(step) + box + drop("sphere = 0.08", "[0.02, 0.12, 0.01]", "[3, -10, 1]"));
        EXPECT_LT(deepest_until(world, 0.2), 0.01) << step;
    }
}

// A particle at a tip has few neighbours and is not dense before it has reached the samples: pressure lets it pass.
TEST(KeepOut, ABodyOnItsTipDoesNotSinkThroughTheFloor) {
    World world = world_of(head("timestep = 2e-3\n") +
                           "[material.m]\ndensity = 1000\nshear = 2e5\nbulk = 2e5\n"
                           "[[body]]\nshape = { box = [0.16, 0.16, 0.16] }\nspacing = 0.02\nmaterial = \"m\"\n"
                           "position = [0, 0.17, 0]\nrotation = [45, 0, 35.26]\nvelocity = [0, -3, 0]\n"
                           "[[collider]]\nshape = { plane = [0, 1, 0] }\n");
    EXPECT_LT(deepest_until(world, 0.3), 0.01);
}

// The wall is 1.2 spacings thick; the drop crosses it in a step.
TEST(KeepOut, NothingJumpsOverAThinWall) {
    World world =
        world_of(head("timestep = 4e-3\n") + "[[collider]]\nshape = { box = [0.024, 2, 2] }\nposition = [0.1, 0, 0]\n" +
                 drop("sphere = 0.06", "[0, 0, 0]", "[20, 0, 0]"));
    EXPECT_LT(deepest_until(world, 0.1), 0.01);
    for (const Vec3& x : world.state().position) EXPECT_LT(x.x(), 0.1);
}

// A piston that is faster than the method's own step would allow.
TEST(KeepOut, AnObstacleThatMovesTakesAllAlong) {
    World world = world_of(head("timestep = 4e-3\n") + box +
                           "[[collider]]\nshape = { box = [0.04, 8, 0.4] }\nposition = [-0.14, 4, 0]\n"
                           "motion = { interpolation = \"linear\", keys = [{ time = 0 }, { time = 0.05, position = "
                           "[0.16, 0, 0] }] }\n" +
                           drop("box = [0.24, 0.08, 0.24]", "[0, 0.04, 0]", "[0, 0, 0]"));
    EXPECT_LT(deepest_until(world, 0.2), 0.01);
    for (const Vec3& x : world.state().position) EXPECT_GT(x.x(), 0.02);
}

// In the corner below a lid, between obstacles that overlap.
TEST(KeepOut, WhatWasStoppedIsFreeToLeave) {
    World world = world_of(head("timestep = 2e-3\n") + box +
                           "[[collider]]\nshape = { box = [0.4, 0.1, 0.4] }\nposition = [0, 0.35, 0]\n" +
                           drop("sphere = 0.06", "[0.05, 0.22, 0.05]", "[15, 15, 15]"));
    EXPECT_LT(deepest_until(world, 1), 0.01);
    for (const Vec3& x : world.state().position) EXPECT_LT(x.y(), 0.28);
}

// What began within an obstacle is not thrown out.
TEST(KeepOut, WhatBeganWithinAnObstacleComesToNoSpeed) {
    World world = world_of(head("timestep = 2e-3\ngravity = [0, 0, 0]\n") +
                           "[material.m]\ndensity = 1000\nshear = 2e5\nbulk = 2e5\n"
                           "[[body]]\nshape = { box = [0.16, 0.16, 0.16] }\nspacing = 0.02\nmaterial = \"m\"\n"
                           "[[collider]]\nshape = { plane = [0, 1, 0] }\n");
    const Real before = deepest(world);
    EXPECT_LT(deepest_until(world, 0.2), before + 0.01);
    EXPECT_LT(world.diagnostics().largest_speed, 1e-3);
}

}  // namespace
}  // namespace pliant
