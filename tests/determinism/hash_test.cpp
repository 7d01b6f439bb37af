// The same bits at any number of threads and across a restart, for every method.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "pliant/particles/snapshot.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/world.h"
#include "support/scenes.h"

namespace pliant {
namespace {

struct Choice {
    std::string method, integrator;
};

std::vector<Choice> all_choices() {
    std::vector<Choice> choices;
    for (const MethodKind& kind : method_list()) {
        for (const std::string& integrator : kind.integrators) choices.push_back({kind.name, integrator});
    }
    return choices;
}

// Two plastic bodies that meet above a floor, finer than a block of the parallel loops.
Scene busy_scene(const Choice& choice) {
    Scene scene = dropped_box();
    scene.simulation.method = choice.method;
    scene.simulation.integrator = choice.integrator;
    scene.bodies[0].spacing = 0.01;
    scene.bodies.push_back(scene.bodies[0]);
    scene.bodies[1].name = "upper";
    scene.bodies[1].sampling = "blue_noise";
    scene.bodies[1].position = {0.02, 0.25, 0.01};
    scene.bodies[1].velocity = {0, -6, 0};
    if (!find_method(choice.method).can(Ability::flow_rates)) {
        for (MaterialSettings& material : scene.materials) material.plastic = VonMisesPlasticity{2e3, 0};
    }
    return scene;
}

class EveryMethod : public testing::TestWithParam<Choice> {};

TEST_P(EveryMethod, GivesEqualHashesAtOneTwoAndFourThreads) {
    std::vector<std::uint64_t> hashes[3];
    const int threads[3] = {1, 2, 4};
    for (int run = 0; run < 3; ++run) {
        World world(busy_scene(GetParam()), {threads[run], {}});
        for (int frame = 0; frame < 4; ++frame) {
            world.advance_frame();
            hashes[run].push_back(world.hash());
        }
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST_P(EveryMethod, GoesOnBitForBitAfterARestartInTheMiddleOfAFrame) {
    World whole(busy_scene(GetParam()));
    whole.advance_frame();
    for (int i = 0; i < 3; ++i) whole.step();
    const auto file = std::filesystem::temp_directory_path() /
                      ("pliant_restart_" + GetParam().method + "_" + GetParam().integrator + ".h5");
    write_snapshot(file, whole.save());
    World resumed(busy_scene(GetParam()), {1, {}});
    resumed.restore(read_snapshot(file));
    std::filesystem::remove(file);
    EXPECT_EQ(resumed.hash(), whole.hash());
    for (int frame = 0; frame < 2; ++frame) {
        whole.advance_frame();
        resumed.advance_frame();
        EXPECT_EQ(resumed.hash(), whole.hash());
    }
    EXPECT_EQ(resumed.diagnostics().elastic, whole.diagnostics().elastic);
}

// What is searched with a margin and kept for a while must not show: from any moment of a collision the end is the
// same.
TEST_P(EveryMethod, GoesOnBitForBitFromEveryMomentOfACollision) {
    Scene scene = busy_scene(GetParam());
    scene.bodies[0].spacing = scene.bodies[1].spacing = 0.02;
    scene.bodies[0].position.y() = 0.06;
    scene.bodies[1].position = {0.02, 0.19, 0.01};
    scene.bodies[0].velocity = {0.3, 0, 0};
    scene.bodies[1].velocity = {-0.3, -1, 0.1};
    World whole(scene);
    std::vector<Snapshot> moments;
    while (whole.frame() < 5) {
        whole.step();
        if (whole.steps() % 2 == 0 && moments.size() < 20) moments.push_back(whole.save());
    }
    for (const Snapshot& moment : moments) {
        World resumed(scene);
        resumed.restore(moment);
        while (resumed.frame() < 5) resumed.step();
        EXPECT_EQ(resumed.hash(), whole.hash());
    }
}

TEST_P(EveryMethod, FallsFreelyAndKeepsMomentum) {
    Scene scene = falling_box();
    scene.simulation.method = GetParam().method;
    scene.simulation.integrator = GetParam().integrator;
    scene.bodies[0].angular_velocity = {1, 2, 3};
    World world(scene);
    const Diagnostics before = world.diagnostics();
    for (int i = 0; i < 6; ++i) world.advance_frame();
    const Vec3 expected = before.momentum.linear + total_mass(world.state()) * world.time() * scene.simulation.gravity;
    const Real precision = GetParam().method == "oriented" ? 1e-6 : 1e-9;  // which solves in float
    EXPECT_LT((world.diagnostics().momentum.linear - expected).norm(), precision * expected.norm());
}

// A box that is carried aside by its uppermost layer, which lets go in the middle of a frame.
Scene released_scene(const Choice& choice) {
    Scene scene = falling_box();
    scene.simulation.method = choice.method;
    scene.simulation.integrator = choice.integrator;
    PinSettings pin;
    pin.shape = BoxShape{Vec3(1, 0.03, 1)};
    pin.position = {0, 0.35, 0};
    pin.motion = MotionSettings{"linear", false, {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0.5, 0, 0), Vec3::Zero()}}};
    pin.end = 0.04;
    scene.pins.push_back(pin);
    return scene;
}

bool holds_any(const World& world) {
    const auto& pin = world.state().pin;
    return std::any_of(pin.begin(), pin.end(), [](std::int32_t p) { return p != no_pin; });
}

// p(t) = p(end) + m g (t - end)
TEST_P(EveryMethod, FallsFreelyOnceItsPinLetsGo) {
    const Scene scene = released_scene(GetParam());
    World world(scene);
    while (world.time() < 0.04 - 1e-9) {
        world.step();
        EXPECT_TRUE(holds_any(world));
    }
    EXPECT_NEAR(world.time(), 0.04, 1e-12);
    const Vec3 before = world.diagnostics().momentum.linear;
    EXPECT_GT(before.x(), 0.2 * total_mass(world.state()));
    for (int i = 0; i < 4; ++i) world.advance_frame();
    EXPECT_FALSE(holds_any(world));
    const Vec3 expected = before + total_mass(world.state()) * (world.time() - 0.04) * scene.simulation.gravity;
    const Real precision = GetParam().method == "oriented" ? 1e-6 : 1e-9;  // which solves in float
    EXPECT_LT((world.diagnostics().momentum.linear - expected).norm(), precision * expected.norm());
}

void expect_same_bits_across_release(const Scene& scene) {
    World whole(scene, {1, {}}), with_others(scene, {4, {}});
    std::vector<Snapshot> moments = {whole.save()};
    while (whole.frame() < 4) {
        whole.step();
        moments.push_back(whole.save());
        with_others.step();
        ASSERT_EQ(with_others.hash(), whole.hash()) << "at " << whole.time() << " s";
    }
    const std::size_t every = std::max<std::size_t>(1, moments.size() / 12);
    for (std::size_t k = 0; k < moments.size(); k += every) {
        World resumed(scene);
        resumed.restore(moments[k]);
        while (resumed.frame() < 4) resumed.step();
        EXPECT_EQ(resumed.hash(), whole.hash()) << "from step " << k;
    }
    with_others.restore(moments[0]);  // back to where the pin still holds
    while (with_others.frame() < 4) with_others.step();
    EXPECT_EQ(with_others.hash(), whole.hash());
}

TEST_P(EveryMethod, GoesOnBitForBitAcrossTheReleaseOfAPin) {
    expect_same_bits_across_release(released_scene(GetParam()));
}

TEST(PrefactoredElasticity, GoesOnBitForBitAcrossTheReleaseOfAPin) {
    Scene scene = released_scene({"sph", "implicit"});
    scene.sph.elasticity = "prefactored";
    expect_same_bits_across_release(scene);
}

std::string choice_name(const testing::TestParamInfo<Choice>& info) {
    return info.param.method + "_" + info.param.integrator;
}

INSTANTIATE_TEST_SUITE_P(All, EveryMethod, testing::ValuesIn(all_choices()), choice_name);

}  // namespace
}  // namespace pliant
