#include "pliant/methods/oriented/plastic_shapes.h"

#include <gtest/gtest.h>

#include <random>

#include "oriented/rigs.h"
#include "pliant/math/rotation_vector.h"

namespace pliant {
namespace {

OrientedSettings stiff() {
    OrientedSettings settings;
    settings.stiffness = 1;
    settings.iterations = 2;
    return settings;
}

Rig rigid_block() {
    Rig rig = lattice_rig(4, 3, 3);
    RigGroup all;
    for (std::uint32_t i = 0; i < rig.size(); ++i) all.particles.push_back(i);
    rig.groups = {all};
    return rig;
}

// After a dent is absorbed, matching leaves everything where it is.
TEST(PlasticShapes, AnAbsorbedDentIsAtRest) {
    OrientedWorld world(rigid_block(), stiff());
    std::mt19937 random(7);
    std::uniform_real_distribution<Real> uniform(-1, 1);
    const Quat turn = rotation_from_vector(Vec3(1, -0.4, 0.7));
    ParticleState& state = world.state;
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.position[i] = turn * (state.position[i] + 0.02 * Vec3(uniform(random), uniform(random), uniform(random)));
        const Vec3 bent = 0.3 * Vec3(uniform(random), uniform(random), uniform(random));
        state.orientation[i] = turn * rotation_from_vector(bent);
    }
    RestPose rest = world.method->rest();
    absorb_dent(rest.groups[0], state, rest);
    RestPose again = rest;
    absorb_dent(again.groups[0], state, again);
    for (std::size_t i = 0; i < state.size(); ++i) {
        EXPECT_LT((again.position[i] - rest.position[i]).norm(), 1e-9);
        EXPECT_LT(again.orientation[i].angularDistance(rest.orientation[i]), 1e-7);
        for (std::size_t j = 0; j < i; ++j) {  // distances at rest are those of now
            const Real now = (state.position[i] - state.position[j]).norm();
            EXPECT_NEAR((rest.position[i] - rest.position[j]).norm(), now, 1e-12);
        }
    }
}

Real length_after_a_hit(Real dent_speed) {
    Rig rig = rigid_block();
    rig.groups[0].dent_speed = dent_speed;
    OrientedWorld world;
    world.add(rig, Vec3(0, 0.06, 0), rotation_from_vector(Vec3(0, 0, pi / 2)));
    world.add_floor();
    OrientedSettings settings;  // soft while it is dented
    settings.iterations = 2;
    settings.dent_steps = 6;
    world.start(settings, 3e4);
    for (Vec3& v : world.state.velocity) v = Vec3(0, -6, 0);
    world.run(0.5, 1.0 / 240);
    const RestPose& rest = world.method->rest();
    Real least = 1e9, most = -1e9;
    for (const Vec3& x : rest.position) least = std::min(least, x.x()), most = std::max(most, x.x());
    return most - least;
}

TEST(PlasticShapes, AHardHitLeavesADentAndASoftOneDoesNot) {
    EXPECT_NEAR(length_after_a_hit(100), 0.3, 1e-12);
    EXPECT_GT(std::abs(length_after_a_hit(1) - 0.3), 5e-3);
}

TEST(PlasticShapes, ABodyThatDentsAndCreepsGoesOnBitForBitAfterARestart) {
    const auto make = [] {
        Rig rig = rigid_block();
        rig.groups[0].particles.resize(18);  // half of it
        rig.groups[0].dent_speed = 1;
        auto world = std::make_unique<OrientedWorld>();
        world->model.gravity = Vec3(0, -9.81, 0);
        world->add(rig, Vec3(0, 0.06, 0));
        world->add_floor();
        OrientedSettings settings;
        settings.yield = 0.01;
        settings.creep = 30;
        world->start(settings, 3e4);
        for (Vec3& v : world->state.velocity) v = Vec3(1, -6, 0);
        return world;
    };
    const auto whole = make();
    whole->run(12.0 / 240, 1.0 / 240);
    Snapshot snapshot;
    whole->method->save(snapshot);
    const auto resumed = make();
    resumed->state = whole->state;
    resumed->time = whole->time;
    resumed->method->restore(snapshot);
    for (OrientedWorld* world : {whole.get(), resumed.get()}) world->run(60.0 / 240, 1.0 / 240);
    EXPECT_EQ(whole->state.hash(), resumed->state.hash());
    EXPECT_NE(whole->method->rest().position[0], rigid_block().position[0]);  // something has flowed
}

TEST(PlasticShapes, StrainBeyondYieldCreepsAndLessDoesNot) {
    const auto left = [](Real stretch) {
        OrientedWorld world(lattice_rig(6, 2, 2), stiff());
        for (Vec3& x : world.state.position) x.x() *= 1 + stretch;
        RestPose rest = world.method->rest();
        std::size_t yielding = 0;
        for (int k = 0; k < 200; ++k) yielding += creep(0.05, 20, 0.01, world.state, rest);
        const Real length = rest.position[5].x() - rest.position[0].x();
        EXPECT_EQ(yielding > 0, stretch > 0.1);
        return length / 0.5 - 1;
    };
    EXPECT_EQ(left(0.02), 0);
    EXPECT_GT(left(0.3), 0.15);
    EXPECT_LT(left(0.3), 0.3);
}

}  // namespace
}  // namespace pliant
