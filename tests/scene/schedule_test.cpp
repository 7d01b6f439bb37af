// Stiffness over time, from the scene file to the model.
#include <gtest/gtest.h>

#include "pliant/methods/scheduled_material.h"
#include "pliant/scene/build.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/scene_file.h"
#include "support/scenes.h"

namespace pliant {
namespace {

Scene melting_box() {
    Scene scene = falling_box();
    scene.schedules.push_back({"material.rubber.shear", "linear", {{0, 1e4}, {1, 0}}});
    scene.schedules.push_back({"material.rubber.bulk", "linear", {{0, 1e5}, {1, 0}}});
    MaterialSettings slate;
    slate.name = "slate";
    slate.mu = 2e5;
    slate.lambda = 1e5;
    scene.materials.push_back(slate);
    fill_in_names(scene);
    return scene;
}

std::string problems_of(const Scene& scene) {
    std::string text;
    for (const Problem& problem : check_scene(scene)) text += problem.path + ": " + problem.message + "\n";
    return text;
}

TEST(Schedules, DriveTheMaterialThatTheyName) {
    std::vector<std::string> warnings;
    const Model model = build_model(melting_box(), warnings);
    ASSERT_EQ(model.schedules.size(), 1u);
    EXPECT_NEAR(scheduled_moduli(model, 0, 0.5).shear(), 5e3, 1e-9);
    EXPECT_NEAR(scheduled_moduli(model, 0, 0.5).bulk(), 5e4, 1e-9);
    EXPECT_EQ(scheduled_moduli(model, 1, 0.5).mu, 2e5);
    EXPECT_EQ(scheduled_moduli(model, 1, 0.5).lambda, 1e5);
}

TEST(Schedules, ProblemsAreToldInWords) {
    Scene scene = melting_box();
    EXPECT_NE(problems_of(scene).find("schedule: the method 'mls' has no schedules"), std::string::npos)
        << problems_of(scene);
    scene.schedules.push_back({"material.ruber.young", "linear", {{0, 1e4}}});
    scene.schedules.push_back({"material.rubber.young", "linear", {{0, 1e4}}});
    scene.schedules.push_back({"material.rubber.density", "linear", {{0, 1e4}}});
    const std::string problems = problems_of(scene);
    EXPECT_NE(problems.find("schedule.2.parameter: there is no material 'ruber'; did you mean 'rubber'?"),
              std::string::npos)
        << problems;
    EXPECT_NE(problems.find("schedule.3.parameter: material.rubber.shear and material.rubber.young do not go together"),
              std::string::npos)
        << problems;
    EXPECT_NE(problems.find("schedule.4.parameter: a density cannot change"), std::string::npos) << problems;
}

// By `mpm` alone, and not on a grid at rest where nothing may melt.
TEST(Schedules, OfWhatFlowsAreForMethodsThatKnowThem) {
    Scene scene = falling_box();
    scene.simulation.method = "sph";
    scene.simulation.integrator = "";
    scene.materials[0].plastic = VonMisesPlasticity{1e3, 0};
    scene.schedules.push_back({"material.rubber.plastic.yield_stress", "linear", {{0, 1e4}, {1, 0}}});
    fill_in_names(scene);
    EXPECT_NE(problems_of(scene).find("the method 'sph' has no schedules of what flows: take the method 'mpm'"),
              std::string::npos)
        << problems_of(scene);
    scene.simulation.method = "mpm";
    scene.simulation.integrator = "";
    fill_in_names(scene);
    EXPECT_EQ(problems_of(scene), "");
}

TEST(Schedules, MeltNothingOnAGridAtRest) {
    Scene scene = melting_box();
    scene.simulation.method = "mpm";
    scene.simulation.integrator = "";
    fill_in_names(scene);
    EXPECT_EQ(problems_of(scene), "");
    std::vector<std::string> warnings;
    build_model(scene, warnings);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("material.rubber: it melts, and keeps its volume"), std::string::npos) << warnings[0];
    scene.mpm.grid = "rest";
    EXPECT_NE(problems_of(scene).find("keep the shear modulus of 'rubber' above 0"), std::string::npos)
        << problems_of(scene);
}

// Read with the first method that knows schedules; without one, all that is wrong with the text is that.
TEST(Schedules, AreWrittenAndReadBack) {
    Scene scene = melting_box();
    const auto able = methods_that_can(Ability::schedules);
    if (!able.empty()) scene.simulation.method = able[0].substr(1, able[0].size() - 2);
    scene.simulation.integrator = "";
    fill_in_names(scene);
    const std::string text = to_toml(scene);
    EXPECT_NE(text.find("keys = [{ time = 0.0, value = 10000.0 }, { time = 1.0, value = 0.0 }]"), std::string::npos)
        << text;
    try {
        EXPECT_EQ(to_toml(parse_scene(text, "test", ".")), text);
        ASSERT_FALSE(able.empty());
    } catch (const SceneError& error) {
        ASSERT_TRUE(able.empty()) << error.what();
        EXPECT_EQ(error.lines().size(), 1u) << error.what();
    }
}

}  // namespace
}  // namespace pliant
