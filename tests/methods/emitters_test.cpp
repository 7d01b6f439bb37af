#include "pliant/methods/emitters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr Real spacing = 0.02;

Model tap(const EmitterSettings& settings) {
    Model model;
    model.materials.push_back({"water", 1000, {}, make_elasticity(CorotatedElasticity::name, {}), {}});
    model.bodies.push_back({"water", 0, spacing, nullptr, Liquid{}});
    model.emitters.push_back({0, settings});
    return model;
}

EmitterSettings square_tap() {
    EmitterSettings settings;
    settings.fluid = "water";
    settings.size = {0.1, 0.06};
    settings.position = Vec3(0, 1, 0);
    settings.speed = 0.5;
    return settings;
}

// Particles that fly on at the speed of the flow, over steps of these lengths again and again.
ParticleState poured(Emitters& emitters, const std::vector<Real>& steps, Real until) {
    ParticleState state;
    Real time = 0;
    for (std::size_t k = 0; time < until - 1e-12; ++k) {
        const Real dt = std::min(steps[k % steps.size()], until - time);
        emitters.emit(state, time, dt);
        for (std::size_t i = 0; i < state.size(); ++i) state.position[i] += dt * state.velocity[i];
        time += dt;
    }
    return state;
}

TEST(Emitters, LayersFollowEachOtherASpacingApartWhateverTheSteps) {
    const Model model = tap(square_tap());
    for (const std::vector<Real>& steps : {std::vector<Real>{1e-3}, {0.013}, {0.3}, {0.04}, {1e-4, 0.05, 0.007}}) {
        Emitters emitters(model);
        const ParticleState state = poured(emitters, steps, 1.01);
        ASSERT_EQ(state.size(), 5u * 3 * 26);  // a layer every 0.04 s, the first at once
        EXPECT_EQ(emitters.count_until(1.01), state.size());
        std::vector<Real> heights;
        for (const Vec3& x : state.position) heights.push_back(x.y());
        std::sort(heights.begin(), heights.end());
        for (std::size_t layer = 0; layer < 26; ++layer) {
            EXPECT_NEAR(heights[15 * layer], 1 - 0.505 + spacing * Real(layer), 1e-9);
            EXPECT_NEAR(heights[15 * layer + 14], heights[15 * layer], 1e-9);
        }
    }
}

TEST(Emitters, ParticlesAreOfTheLiquidAndNumberedOn) {
    const Model model = tap(square_tap());
    Emitters emitters(model);
    const ParticleState state = poured(emitters, {0.01}, 0.5);
    for (std::size_t i = 0; i < state.size(); ++i) {
        EXPECT_EQ(state.id[i], i);
        EXPECT_EQ(state.body[i], 0u);
        EXPECT_EQ(state.pin[i], no_pin);
        EXPECT_EQ(state.velocity[i], Vec3(0, -0.5, 0));
        EXPECT_DOUBLE_EQ(state.mass[i], 1000 * cube(spacing));
        EXPECT_DOUBLE_EQ(state.rest_volume[i], cube(spacing));
        EXPECT_LE(std::abs(state.position[i].x()), 0.04 + 1e-12);
        EXPECT_LE(std::abs(state.position[i].z()), 0.02 + 1e-12);
    }
}

// V = rate (t - start)
TEST(Emitters, ARateIsTheVolumeASecond) {
    EmitterSettings round;
    round.fluid = "water";
    round.radius = 0.1;
    round.rotation = Vec3(0, 0, 90);  // to +x
    round.rate = 0.01;
    round.start = 0.5;
    const Model model = tap(round);
    Emitters emitters(model);
    const ParticleState state = poured(emitters, {0.01}, 2.5);
    const Real volume = std::accumulate(state.rest_volume.begin(), state.rest_volume.end(), 0.0);
    EXPECT_NEAR(volume, 0.02, 0.0007);  // to a layer
    EXPECT_GT(state.velocity[0].x(), 0.3);
    EXPECT_NEAR(state.velocity[0].y(), 0, 1e-12);
    for (const Vec3& x : state.position) EXPECT_LE(std::hypot(x.y(), x.z()), 0.09 + 1e-9);
}

TEST(Emitters, StartAndEndOnTime) {
    EmitterSettings settings = square_tap();
    settings.start = 0.2;
    settings.end = 0.4;
    const Model model = tap(settings);
    Emitters emitters(model);
    EXPECT_EQ(poured(emitters, {0.01}, 0.195).size(), 0u);
    Emitters again(model);
    EXPECT_EQ(poured(again, {0.01}, 3).size(), 15u * 5);
}

TEST(Emitters, AnOpeningSmallerThanAParticleDrips) {
    EmitterSettings settings = square_tap();
    settings.size = {0.001, 0.001};
    const Model model = tap(settings);
    Emitters emitters(model);
    EXPECT_EQ(poured(emitters, {0.01}, 0.39).size(), 10u);
}

TEST(Emitters, GoOnFromASnapshot) {
    const Model model = tap(square_tap());
    Emitters whole(model), first(model), second(model);
    ParticleState expected, state;
    for (int step = 0; step < 100; ++step) whole.emit(expected, 0.013 * step, 0.013);
    for (int step = 0; step < 50; ++step) first.emit(state, 0.013 * step, 0.013);
    Snapshot snapshot;
    first.save(snapshot);
    second.restore(snapshot);
    for (int step = 50; step < 100; ++step) second.emit(state, 0.013 * step, 0.013);
    EXPECT_EQ(state.hash(), expected.hash());
    EXPECT_THROW(Emitters().restore(snapshot), InputError);
}

// Half a spacing about the sites of the lattice, which stay in no line then; a step more or less changes nothing.
TEST(Emitters, ShakenParticlesLeaveAboutTheirSites) {
    Model model = tap(square_tap());
    Emitters straight(model);
    model.emitters[0].is_shaken = true;
    Emitters shaken(model), slowly(model);
    const ParticleState lattice = poured(straight, {0.01}, 0.6), state = poured(shaken, {0.01}, 0.6);
    ASSERT_EQ(state.size(), lattice.size());
    Real farthest = 0;
    Vec3 mean = Vec3::Zero();
    for (std::size_t i = 0; i < state.size(); ++i) {
        const Vec3 off = (state.position[i] - lattice.position[i]) / spacing;
        farthest = std::max(farthest, off.cwiseAbs().maxCoeff());
        mean += off / Real(state.size());
    }
    EXPECT_LE(farthest, 0.5);
    EXPECT_GT(farthest, 0.45);
    EXPECT_LT(mean.norm(), 0.05);
    const ParticleState other = poured(slowly, {0.04, 0.003}, 0.6);
    ASSERT_EQ(other.size(), state.size());
    for (std::size_t i = 0; i < state.size(); ++i)
        EXPECT_LT((other.position[i] - state.position[i]).norm(), 1e-9 * spacing) << i;
}

}  // namespace
}  // namespace pliant
