// Liquids in a scene: read, checked, filled with particles behind the solid bodies.
#include "pliant/scene/fluid.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/scene/build.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/scene_file.h"
#include "support/scenes.h"

namespace pliant {
namespace {

FluidSettings milk() {
    FluidSettings fluid;
    fluid.name = "milk";
    fluid.shape = BoxShape{Vec3(0.2, 0.1, 0.2)};
    fluid.density = 1030;
    fluid.viscosity = 2e-3;
    fluid.surface_tension = 0.05;
    fluid.spacing = 0.02;
    fluid.velocity = Vec3(1, 0, 0);
    return fluid;
}

Scene box_over_milk() {
    Scene scene = falling_box();
    scene.fluids.push_back(milk());
    return scene;
}

std::string problems_of(const Scene& scene) {
    std::string text;
    for (const Problem& problem : check_scene(scene)) text += problem.path + ": " + problem.message + "\n";
    return text;
}

TEST(Fluid, IsABodyBehindTheSolidOnes) {
    Scene scene = box_over_milk();
    fill_in_names(scene);
    std::vector<std::string> warnings;
    const Model model = build_model(scene, warnings);
    ASSERT_EQ(model.bodies.size(), 2u);
    EXPECT_FALSE(model.bodies[0].liquid);
    ASSERT_TRUE(model.bodies[1].liquid);
    EXPECT_EQ(model.bodies[1].name, "milk");
    EXPECT_EQ(model.bodies[1].liquid->viscosity, 2e-3);
    EXPECT_EQ(model.bodies[1].liquid->surface_tension, 0.05);
    EXPECT_EQ(model.material_of(1).density, 1030);
    EXPECT_EQ(model.material_of(1).moduli.mu, 0);
    EXPECT_EQ(model.material_of(1).moduli.lambda, 0);

    const ParticleState state = build_particles(scene, model, warnings);
    const auto ranges = body_ranges(state, model.bodies.size());
    EXPECT_EQ(ranges[0].first, 0u);
    EXPECT_EQ(ranges[1].first, ranges[0].last);
    EXPECT_EQ(ranges[1].size(), 10u * 5 * 10);
    EXPECT_EQ(state.velocity[ranges[1].first], Vec3(1, 0, 0));
    EXPECT_NEAR(state.mass[ranges[1].first], 1030 * cube(0.02), 1e-12);
    EXPECT_EQ(estimate_size(scene, warnings).particles, state.size());

    const ParticleFrame frame = make_particle_frame(model, state, {});
    EXPECT_EQ(frame.body.back(), 1);
    EXPECT_EQ(frame.material.back(), 1);
}

TEST(Fluid, MayBeAloneInAScene) {
    Scene scene;
    scene.fluids.push_back(milk());
    fill_in_names(scene);
    EXPECT_EQ(problems_of(scene).find("has no body"), std::string::npos);
    std::vector<std::string> warnings;
    EXPECT_EQ(build_particles(scene, build_model(scene, warnings), warnings).size(), 500u);
}

TEST(Fluid, CanBePinned) {
    Scene scene = box_over_milk();
    PinSettings pin;
    pin.name = "still";
    pin.body = "milk";
    pin.shape = BoxShape{Vec3(1, 1, 0.04)};
    scene.pins.push_back(pin);
    fill_in_names(scene);
    EXPECT_EQ(problems_of(scene).find("pin"), std::string::npos);
    std::vector<std::string> warnings;
    const ParticleState state = build_particles(scene, build_model(scene, warnings), warnings);
    EXPECT_EQ(std::count(state.pin.begin(), state.pin.end(), 0), 10 * 5 * 2);
}

TEST(Fluid, IsRefusedByMethodsThatKnowNoLiquids) {
    for (const char* method : {"mls", "oriented"}) {
        Scene scene = box_over_milk();
        scene.simulation.method = method;
        fill_in_names(scene);
        EXPECT_NE(problems_of(scene).find(fmt::format("fluid: the method '{}' has no fluids", method)),
                  std::string::npos)
            << problems_of(scene);
    }
}

TEST(Fluid, ProblemsAreToldInWords) {
    Scene scene = box_over_milk();
    scene.fluids[0].name = "box";
    scene.fluids[0].colour = "blue";
    scene.fluids.push_back(milk());
    scene.fluids[1].shape = PlaneShape{};
    fill_in_names(scene);
    const std::string problems = problems_of(scene);
    EXPECT_NE(problems.find("fluid.0.name: two bodies are called 'box'"), std::string::npos) << problems;
    EXPECT_NE(problems.find("fluid.0.colour: 'blue' is not a colour"), std::string::npos) << problems;
    EXPECT_NE(problems.find("fluid.1.shape: a plane has no end"), std::string::npos) << problems;

    std::vector<std::string> warnings;
    Scene thin = box_over_milk();
    thin.fluids[0].shape = BoxShape{Vec3(1, 0.001, 1)};
    const Model model = build_model(thin, warnings);
    try {
        build_particles(thin, model, warnings);
        FAIL() << "was accepted";
    } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("fluid.milk: ")) << error.what();
    }
}

// Read with the first method that knows liquids; without one, all that is wrong with the text is that.
TEST(Fluid, IsWrittenAndReadBack) {
    Scene scene = box_over_milk();
    const auto able = methods_that_can(Ability::fluids);
    if (!able.empty()) scene.simulation.method = able[0].substr(1, able[0].size() - 2);
    fill_in_names(scene);
    const std::string text = to_toml(scene);
    EXPECT_NE(text.find("[[fluid]]\nname = \"milk\"\ndensity = 1030.0\n"), std::string::npos) << text;
    try {
        const Scene again = parse_scene(text, "test", ".");
        EXPECT_EQ(to_toml(again), text);
        ASSERT_FALSE(able.empty());
    } catch (const SceneError& error) {
        ASSERT_TRUE(able.empty()) << error.what();
        EXPECT_EQ(error.lines().size(), 1u) << error.what();
    }
}

}  // namespace
}  // namespace pliant
