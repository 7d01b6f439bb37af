// Bodies find back to their shape from anywhere, within what docs/oriented.md promises.
#include <gtest/gtest.h>

#include <random>

#include "oriented/rigs.h"
#include "pliant/methods/oriented/plastic_shapes.h"

namespace pliant {
namespace {

struct Start {
    const char* name;
    Real spread;   // of random positions, in spacings
    bool at_rest;  // around the places at rest, or around one point
};

Real worst_strain(const OrientedWorld& world) {
    Real worst = 0;
    for (std::size_t i = 0; i < world.state.size(); ++i) {
        worst = std::max(worst, fit_group(i, world.state, world.method->rest()).strain());
    }
    return worst;
}

Real strain_left(const Rig& rig, Real stiffness, const Start& start, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    OrientedSettings settings;
    settings.stiffness = stiffness;
    settings.iterations = 4;
    settings.self_collision = false;
    settings.damping = 2;
    OrientedWorld world(rig, settings);
    for (Vec3& x : world.state.position) {
        const Vec3 noise = 0.1 * start.spread * Vec3(uniform(random), uniform(random), uniform(random));
        x = start.at_rest ? Vec3(x + noise) : noise;
    }
    world.run(10, 1.0 / 120);
    return worst_strain(world);
}

TEST(Recovery, OfScrambledAndCollapsedBodies) {
    const std::vector<std::pair<const char*, Rig>> rigs = {
        {"chain", lattice_rig(10, 1, 1)}, {"sheet", lattice_rig(6, 6, 1)}, {"block", lattice_rig(4, 4, 4)}};
    for (const Start& start :
         {Start{"scrambled by a spacing", 1, true}, Start{"in one point", 0, false}, Start{"anywhere", 5, false}}) {
        for (const auto& [name, rig] : rigs) {
            for (const Real stiffness : {0.15, 0.5, 1.0}) {
                for (unsigned seed = 1; seed <= 3; ++seed) {
                    EXPECT_LT(strain_left(rig, stiffness, start, seed), 1e-3)
                        << name << ", " << start.name << ", s = " << stiffness << ", seed " << seed;
                }
            }
        }
    }
}

}  // namespace
}  // namespace pliant
