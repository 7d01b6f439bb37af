// Bodies that melted and set again with particles far from where they belong.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pliant/methods/sph/loose_particles.h"
#include "support/lattice.h"
#include "support/worlds.h"

namespace pliant {
namespace {

constexpr Real h = 0.02;  // spacing [m]

// Liquid until it sets, within `duration` from `at` on.
std::string setting_cube(Real at, Real duration, const std::string& timestep) {
    std::string text = "[simulation]\nmethod = \"sph\"\nduration = 10\nfps = 50\n" + timestep +
                       "[material.m]\ndensity = 1000\nshear = 2e5\nbulk = 2e5\n";
    for (const char* modulus : {"shear", "bulk"}) {
        text += fmt::format(
            "[[schedule]]\nparameter = \"material.m.{}\"\n"
            "keys = [{{ time = 0, value = 0 }}, {{ time = {}, value = 0 }}, {{ time = {}, value = 2e5 }}]\n",
            modulus, at, at + duration);
    }
    return text + fmt::format(
                      "[[body]]\nshape = {{ box = [0.16, 0.16, 0.16] }}\nspacing = {}\nmaterial = \"m\"\n"
                      "position = [0, 0.1, 0]\n[[collider]]\nshape = {{ plane = [0, 1, 0] }}\n",
                      h);
}

// The particle nearest to a place is taken away, as a splash may do. Returns which.
std::size_t take_away(World& world, const Vec3& from, const Vec3& to) {
    std::vector<Vec3> x = world.state().position;
    const auto is_nearer = [&](const Vec3& a, const Vec3& b) { return (a - from).norm() < (b - from).norm(); };
    const auto it = std::min_element(x.begin(), x.end(), is_nearer);
    *it = to;
    world.set_positions(x);
    return std::size_t(it - x.begin());
}

// Even if the body sets at once, and with steps that are given. 2 m are a hundred spacings; within a tenth of a second
// or so it flies at some 20 m/s.
TEST(LooseParticles, AFarParticleComesBackAndIsNotShotBack) {
    for (const char* step : {"", "timestep = 2e-3\n"}) {
        World world = world_of(setting_cube(0.02, 1e-3, step));
        const std::vector<Vec3> X = world.state().position;
        const std::size_t lost = take_away(world, {0, 0.1, 0}, {2, 0.5, 0});
        Real fastest = 0;
        while (world.time() < 1 - 1e-9) {
            world.step();
            fastest = std::max(fastest, world.diagnostics().largest_speed);
        }
        EXPECT_LT(fastest, 40) << step;
        // It is among its neighbours again, and they are as far from each other as they were.
        for (std::size_t j = 0; j < X.size(); ++j) {
            const Real before = (X[j] - X[lost]).norm();
            if (before < 2 * h) {
                EXPECT_NEAR((world.state().position[j] - world.state().position[lost]).norm(), before, 0.3 * h) << step;
            }
        }
    }
}

TEST(LooseParticles, GoOnBitForBitAfterARestart) {
    const std::string scene = setting_cube(0.02, 0.1, "");
    World whole = world_of(scene);
    take_away(whole, {0.06, 0.16, 0.06}, {0.7, 0.2, 0.3});
    run_until(whole, 0.1);
    World resumed = world_of(scene, 1);
    resumed.restore(whole.save());
    run_until(whole, 0.3);
    run_until(resumed, 0.3);
    EXPECT_EQ(resumed.hash(), whole.hash());
}

// A block that is liquid, and stretched, before its material is stiff.
struct Stretched {
    Model model = rubber_model(1e5, 0.3, h);
    ParticleState state = lattice_block(6, 6, 6, h, 0);
    ElasticSolids solids{model, {}};
    LooseParticles loose;
    const Moduli liquid{}, stiff = model.materials[0].moduli;
    std::vector<Vec3> rest = state.position;

    Stretched() {
        model.schedules.emplace_back(0, model.materials[0]);
        solids.prepare(state, state.size());
        loose.prepare(model, solids);
    }
    std::vector<Real> shares(Real stretch, const Moduli& moduli, Real elapsed) {
        for (std::size_t i = 0; i < rest.size(); ++i) state.position[i] = stretch * rest[i];
        const auto s = loose.shares(model, state, solids, std::span(&moduli, 1), elapsed);
        return {s.begin(), s.end()};
    }
};

// What has never been liquid, and what is near when it sets, is held as the material says, however far it is stretched
// after that.
TEST(LooseParticles, ModuliAreWhatTheyAreSaidToBe) {
    Stretched block;
    EXPECT_TRUE(block.shares(5, block.stiff, 1e-3).empty());
    EXPECT_TRUE(block.shares(1.5, block.liquid, 1e-3).empty());
    EXPECT_TRUE(block.shares(1.5, block.stiff, 1e-3).empty());
    EXPECT_TRUE(block.shares(5, block.stiff, 1e-3).empty());
}

// share = min((w h / c)^2, (2 / stretch)^2), w from 10/s on e times as much each tenth of a second; once it is near,
// each hundredth.
TEST(LooseParticles, AreHeldFirmerInTime) {
    Stretched block;
    const Real c = sound_speed(block.stiff, block.model.materials[0].density);
    block.shares(8, block.liquid, 1e-3);
    EXPECT_NEAR(block.shares(8, block.stiff, 1e-3).at(0), square(10 * h / c), 1e-12);
    EXPECT_NEAR(block.shares(8, block.stiff, 0.1).at(0), square(10 * std::exp(1) * h / c), 1e-10);
    EXPECT_NEAR(block.shares(8, block.stiff, 2).at(0), square(2.0 / 8), 1e-10);
    EXPECT_TRUE(block.shares(1.5, block.stiff, 1e-3).empty());

    block.shares(8, block.liquid, 1e-3);
    block.shares(8, block.stiff, 1e-3);
    EXPECT_NEAR(block.shares(1.5, block.stiff, 0.02).at(0), square(10 * std::exp(2) * h / c), 1e-10);
    EXPECT_TRUE(block.shares(1.5, block.stiff, 0.1).empty());
}

}  // namespace
}  // namespace pliant
