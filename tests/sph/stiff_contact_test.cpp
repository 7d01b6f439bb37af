// Where sound gets further than a few particles in a step, contact with obstacles is part of the elastic solve.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/worlds.h"

namespace pliant {
namespace {

std::string scene(Real young, Real timestep, const std::string& gravity, const std::string& body,
                  const std::string& collider) {
    return fmt::format(
               "[simulation]\nmethod = \"sph\"\nduration = 10\nfps = 50\ntimestep = {}\ngravity = {}\n"
               "[material.m]\ndensity = 1000\nyoung = {}\npoisson = 0.3\n"
               "[[body]]\nspacing = 0.02\nmaterial = \"m\"\n",
               timestep, gravity, young) +
           body + "[[collider]]\nshape = { plane = [0, 1, 0] }\n" + collider;
}

const std::string falls = "[0, -9.81, 0]";

Vec3 mean_velocity(const World& world) {
    return world.diagnostics().momentum.linear / total_mass(world.state());
}

// The most energy that there is within half a second of a fall on a corner or flat, over what there was before.
Real growth(Real young, Real dt, const std::string& spin) {
    World world = world_of(scene(young, dt, falls,
                                 "shape = { box = [0.2, 0.2, 0.2] }\nposition = [0, 0.16, 0]\n"
                                 "velocity = [0.3, -2, 0]\nangular_velocity = " +
                                     spin + "\n",
                                 "friction = 0.4\n"));
    const auto energy = [&] {
        const Diagnostics d = world.diagnostics();
        return d.kinetic + d.elastic + d.potential;
    };
    const Real before = energy(), kinetic = world.diagnostics().kinetic;
    Real most = before, lowest = 1;
    while (world.time() < 0.5) {
        world.step();
        most = std::max(most, energy());
        for (const Vec3& x : world.state().position) lowest = std::min(lowest, x.y());
    }
    EXPECT_GT(lowest, 0.008) << young << " Pa, " << dt << " s";
    return (most - before) / kinetic;
}

// A stiff body is stopped as a whole. Were only those particles stopped that touch, the others would go on against them
// and store ten times the energy of the fall at 1e7 Pa, and a hundred thousand times at 1e11.
TEST(StiffContact, AnImpactStoresNoMoreEnergyThanThereIs) {
    for (const Real dt : {2e-3, 5e-3}) {
        for (const Real young : {1e7, 1e9, 1e11}) {
            EXPECT_LT(growth(young, dt, "[0, 0, 0]"), 1e-3) << young << " Pa, " << dt << " s";
        }
        EXPECT_LT(growth(1e7, dt, "[1, 0, 2]"), 1e-3) << dt << " s";
    }
    EXPECT_LT(growth(1e9, 2e-3, "[1, 0, 2]"), 1e-3);  // with longer steps what turns stretches, as rotations are held
}

// a = g (sin - mu cos) on a slope, or none below the angle of friction.
TEST(StiffContact, FrictionOnASlopeIsCoulombs) {
    const Real angle = 20 * pi / 180, g = 9.81;
    const std::string slope = fmt::format("[{}, {}, 0]", g * std::sin(angle), -g * std::cos(angle));
    for (const Real mu : {0.0, 0.2, 0.5}) {
        World world =
            world_of(scene(1e8, 2e-3, slope, "shape = { box = [0.24, 0.12, 0.24] }\nposition = [0, 0.06, 0]\n",
                           fmt::format("friction = {}\n", mu)));
        run_until(world, 0.1);
        const Real before = mean_velocity(world).x();
        run_until(world, 0.4);
        const Real gained = (mean_velocity(world).x() - before) / 0.3;
        const Real expected = std::max(Real(0), g * (std::sin(angle) - mu * std::cos(angle)));
        EXPECT_NEAR(gained, expected, 0.03 * g) << mu;
    }
}

// What sticks to an obstacle or slips along it may leave it, as soft bodies may.
TEST(StiffContact, NothingClingsToAnObstacle) {
    for (const char* contact : {"stick", "slip"}) {
        World world =
            world_of(scene(1e8, 2e-3, "[0, 5, 0]", "shape = { box = [0.12, 0.12, 0.12] }\nposition = [0, 0.06, 0]\n",
                           fmt::format("contact = \"{}\"\n", contact)));
        run_until(world, 0.2);
        EXPECT_NEAR(mean_velocity(world).y(), 5 * 0.2, 1e-3) << contact;
    }
}

TEST(StiffContact, StickHoldsAlongTheSurface) {
    World world =
        world_of(scene(1e8, 2e-3, "[2, -9.81, 0]", "shape = { box = [0.12, 0.12, 0.12] }\nposition = [0, 0.06, 0]\n",
                       "contact = \"stick\"\n"));
    run_until(world, 0.3);
    EXPECT_LT(mean_velocity(world).norm(), 0.01);
}

// A floor that rises carries a stiff body along.
TEST(StiffContact, AMovingObstacleCarriesItsSpeed) {
    World world = world_of(scene(1e9, 2e-3, falls, "shape = { box = [0.12, 0.12, 0.12] }\nposition = [0, 0.06, 0]\n",
                                 "motion = { interpolation = \"linear\", keys = [{ time = 0 }, { time = 1, position = "
                                 "[0, 0.5, 0] }] }\n"));
    run_until(world, 0.3);
    EXPECT_NEAR(mean_velocity(world).y(), 0.5, 0.05);
}

// What a weight presses onto a stiff slab through the pressure solve is borne by the floor.
TEST(StiffContact, TheFloorBearsWhatLiesOnABody) {
    World world =
        world_of(scene(2.5e6, 2e-3, falls, "shape = { box = [0.2, 0.04, 0.2] }\nposition = [0, 0.02, 0]\n", "") +
                 "[[rigid]]\ndensity = 5000\nshape = { box = [0.16, 0.16, 0.16] }\nposition = [0, 0.12, 0]\n");
    run_until(world, 0.4);
    for (const Vec3& x : world.state().position) EXPECT_GT(x.y(), 0.006);
    EXPECT_GT(world.rigid_poses()[0].position.y(), 0.11);
    EXPECT_LT(world.diagnostics().largest_speed, 0.05);
}

TEST(StiffContact, WhatWasPlacedAroundAnObstacleLiesStill) {
    World world = world_of(scene(1e9, 2e-3, falls,
                                 "shape = { box = [0.16, 0.16, 0.16] }\nposition = [0, 0.005, 0]\n"
                                 "rotation = [10, 0, 10]\n",
                                 ""));
    const Real before = centre_of_mass(world.state()).y();
    run_until(world, 0.3);
    EXPECT_NEAR(centre_of_mass(world.state()).y(), before, 1e-3);
    EXPECT_LT(world.diagnostics().largest_speed, 0.05);
}

TEST(StiffContact, GivesTheSameBitsAtAnyNumberOfThreadsAndAfterARestart) {
    const std::string text = scene(1e8, 2e-3, falls,
                                   "shape = { box = [0.2, 0.2, 0.2] }\nsampling = \"blue_noise\"\n"
                                   "position = [0, 0.12, 0]\nvelocity = [1, -2, 0]\nangular_velocity = [1, 0, 2]\n",
                                   "friction = 0.4\n");
    World whole = world_of(text, 1), other = world_of(text, 3);
    for (int k = 0; k < 30; ++k) {
        whole.step();
        other.step();
    }
    EXPECT_EQ(whole.hash(), other.hash());
    World resumed = world_of(text, 2);
    resumed.restore(whole.save());
    for (int k = 0; k < 30; ++k) {
        whole.step();
        resumed.step();
    }
    EXPECT_EQ(whole.hash(), resumed.hash());
}

}  // namespace
}  // namespace pliant
