// Rigid bodies among material points.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pliant/base/error.h"
#include "support/worlds.h"

namespace pliant {
namespace {

Vec3 place_of_rigid(const World& world) {
    return world.rigid_poses()[0].position;
}

// Over the next step [m/s].
Real speed_of_rigid(World& world) {
    const Vec3 before = place_of_rigid(world);
    const Real dt = world.step().dt;
    return (place_of_rigid(world) - before).norm() / dt;
}

std::string head(const std::string& integrator, const std::string& gravity = "") {
    return "[simulation]\nmethod = \"mpm\"\nduration = 4\nfps = 100\nintegrator = \"" + integrator + "\"\n" + gravity;
}
std::string on_grid(const std::string& grid) {
    return "[mpm]\ngrid = \"" + grid + "\"\n";
}

// A soft cube and a ball meet off centre in empty space: what the one loses the other gets, momentum of both kinds.
class RigidAndSoft : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(RigidAndSoft, KeepTheirMomentumWhenTheyMeet) {
    World world = world_of(
        head(std::get<0>(GetParam()), "gravity = [0, 0, 0]\n") + on_grid(std::get<1>(GetParam())) +
        "[material.soft]\ndensity = 1000\nyoung = 1e5\npoisson = 0.3\n"
        "[[body]]\nshape = { box = [0.2, 0.2, 0.2] }\nspacing = 0.02\nmaterial = \"soft\"\nvelocity = [1, 0, 0]\n"
        "[[rigid]]\nshape = { sphere = 0.06 }\ndensity = 5000\nposition = [0.2, 0.04, 0.01]\nvelocity = [-1, 0, 0]\n"
        "friction = 0.5\n");
    const Diagnostics before = world.diagnostics();
    const Real block = 8;
    run_until(world, 0.25);
    const Diagnostics after = world.diagnostics();
    EXPECT_LT(momentum(world.state()).linear.x(), 0.5 * block);  // it was pushed back
    EXPECT_LT((after.momentum.linear - before.momentum.linear).norm(), 1e-6 * block);
    EXPECT_LT((after.momentum.angular - before.momentum.angular).norm(), 1e-2 * block * 0.1);
    EXPECT_LT(after.kinetic + after.elastic, 1.001 * before.kinetic);
}
INSTANTIATE_TEST_SUITE_P(Integrators, RigidAndSoft,
                         testing::Combine(testing::Values("newton", "explicit"), testing::Values("moving", "rest")),
                         [](const auto& which) { return std::get<0>(which.param) + "_" + std::get<1>(which.param); });

// A plate of a tenth or of twenty times a cushion's density lies on it at rest, pressed in by its weight.
TEST(RigidOnSoft, RestsAndPressesByItsWeight) {
    for (const auto& [density, grid] : std::vector<std::pair<Real, std::string>>{
             {100, "moving"}, {20000, "moving"}, {100, "rest"}, {20000, "rest"}}) {
        World world = world_of(head("newton") + "timestep = 1e-2\n" + on_grid(grid) +
                               "[material.soft]\ndensity = 1000\nyoung = 1e5\npoisson = 0\n"
                               "[[body]]\nshape = { box = [0.2, 0.1, 0.2] }\nspacing = 0.0125\nmaterial = \"soft\"\n"
                               "position = [0, 0.05, 0]\n"
                               "[[rigid]]\nshape = { box = [0.22, 0.06, 0.22] }\ndensity = " +
                               std::to_string(density) +
                               "\nposition = [0, 0.131, 0]\n"
                               "[[collider]]\nshape = { plane = [0, 1, 0] }\n");
        run_until(world, 0.2);
        const Real early = place_of_rigid(world).y();
        run_until(world, 1.5);
        EXPECT_LT(speed_of_rigid(world), 5e-3) << density << grid;
        EXPECT_LT(std::abs(place_of_rigid(world).y() - early), 0.01) << density << grid;
        // dh = m g h / (E A), within a cell: so exactly is known where surfaces are
        const Real weight = density * 0.22 * 0.22 * 0.06 * 9.81, sinks = weight * 0.1 / (1e5 * 0.04);
        EXPECT_NEAR(place_of_rigid(world).y(), 0.13 - sinks, 0.025) << density << grid;
    }
}

// The solve knows of the ground that a rigid body stands on by the last step: what lies on it does not sink in.
TEST(SoftOnRigid, StaysOnABoxThatStandsOnTheGround) {
    for (const char* integrator : {"newton", "explicit"}) {
        World world = world_of(head(integrator) +
                               "[material.soft]\ndensity = 1000\nyoung = 1e5\npoisson = 0.3\n"
                               "[[body]]\nshape = { box = [0.16, 0.16, 0.16] }\nspacing = 0.02\nmaterial = \"soft\"\n"
                               "position = [0.01, 0.29, 0]\n"
                               "[[rigid]]\nshape = { box = [0.24, 0.2, 0.24] }\ndensity = 300\nposition = [0, 0.1, 0]\n"
                               "[[collider]]\nshape = { plane = [0, 1, 0] }\n");
        run_until(world, 0.4);
        const Real early = centre_of_mass(world.state()).y();
        run_until(world, 1.6);
        EXPECT_NEAR(place_of_rigid(world).y(), 0.1, 5e-3) << integrator;
        EXPECT_GT(centre_of_mass(world.state()).y(), 0.28 - 0.04) << integrator;
        EXPECT_NEAR(centre_of_mass(world.state()).y(), early, 6e-3) << integrator;
    }
}

TEST(RigidOnSoft, SameBitsAtAnyNumberOfThreadsAndAcrossARestart) {
    const std::string scene =
        head("newton") +
        "[material.soft]\ndensity = 1000\nyoung = 1e5\npoisson = 0.3\n"
        "[[body]]\nshape = { box = [0.2, 0.1, 0.2] }\nspacing = 0.02\nmaterial = \"soft\"\nposition = [0, 0.05, 0]\n"
        "[[rigid]]\nshape = { sphere = 0.04 }\ndensity = 3000\nposition = [0.03, 0.15, 0]\nvelocity = [0.5, -1, 0]\n"
        "[[collider]]\nshape = { plane = [0, 1, 0] }\n";
    std::vector<std::uint64_t> hashes;
    std::vector<Vec3> places;
    for (const int threads : {1, 2, 4}) {
        World world = world_of(scene, threads);
        run_until(world, 0.1);
        const Snapshot middle = world.save();
        run_until(world, 0.2);
        World other = world_of(scene, threads);
        other.restore(middle);
        run_until(other, 0.2);
        for (World* w : {&world, &other}) {
            hashes.push_back(w->hash());
            places.push_back(place_of_rigid(*w));
        }
    }
    for (std::size_t k = 1; k < hashes.size(); ++k) {
        EXPECT_EQ(hashes[k], hashes[0]);
        EXPECT_EQ(places[k], places[0]);
    }
}

// Half as dense as the water around it: its middle is at the level of the water, less the cell of 5 cm by which this
// creeps in (at half the spacing less than 3 cm).
TEST(RigidInWater, FloatsHalfImmersed) {
    std::string scene = head("auto") +
                        "[[fluid]]\nshape = { box = [0.4, 0.3, 0.4] }\nspacing = 0.025\nposition = [0, 0.15, 0]\n"
                        "[[rigid]]\nshape = { box = [0.16, 0.16, 0.16] }\ndensity = 500\nposition = [0, 0.36, 0]\n"
                        "[[collider]]\nshape = { plane = [0, 1, 0] }\nfriction = 0\n";
    for (const char* wall : {"[1, 0, 0], offset = -0.2", "[-1, 0, 0], offset = -0.2", "[0, 0, 1], offset = -0.2",
                             "[0, 0, -1], offset = -0.2"}) {
        scene += std::string("[[collider]]\nshape = { plane = ") + wall + " }\nfriction = 0\n";
    }
    World world = world_of(scene);
    run_until(world, 1);
    Real mean = 0;
    int count = 0;
    while (world.time() < 2.5) {
        world.advance_frame();
        mean += place_of_rigid(world).y();
        ++count;
    }
    const Real level = 0.3 + 0.5 * cube(0.16) / square(0.4);
    EXPECT_NEAR(mean / count, level, 0.055);
}

// Sand has no potential, and ADMM no rigid bodies.
TEST(RigidInSand, IsExplicitByItselfAndSinksIn) {
    const std::string rest =
        "[material.sand]\ndensity = 1500\nyoung = 1e6\npoisson = 0.3\nplastic = { model = \"drucker_prager\" }\n"
        "[[body]]\nshape = { box = [0.3, 0.1, 0.3] }\nspacing = 0.02\nmaterial = \"sand\"\nposition = [0, 0.05, 0]\n"
        "[[rigid]]\nshape = { sphere = 0.05 }\ndensity = 4000\nposition = [0, 0.17, 0]\nvelocity = [0, -1, 0]\n"
        "[[collider]]\nshape = { plane = [0, 1, 0] }\ncontact = \"stick\"\n";
    EXPECT_THROW(world_of(head("admm") + rest), InputError);
    World world = world_of(head("auto") + rest);
    run_until(world, 0.6);
    EXPECT_LT(speed_of_rigid(world), 0.05);
    EXPECT_LT(place_of_rigid(world).y(), 0.15);
    EXPECT_GT(place_of_rigid(world).y(), 0.055);
}

}  // namespace
}  // namespace pliant
