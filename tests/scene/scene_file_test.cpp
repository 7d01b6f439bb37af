#include "pliant/scene/scene_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "pliant/scene/schema.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

const char* const jelly = R"(
[simulation]
duration = 0.5
fps = 50
timestep = 1e-3

[material.jelly]
young = 1e4
poisson = 0.4
plastic = { model = "bargteil07", yield_stress = 1e3, hardening = -20 }

[[body]]
shape = { box = [0.1, 0.2, 0.3] }
spacing = 0.02
material = "jelly"

[[body]]
name = "second"
shape = { sphere = 0.1 }
spacing = 0.02
material = "jelly"

[[collider]]
shape = { plane = [0, 1, 0], offset = -0.5 }
motion = { keys = [ { time = 0 }, { time = 1, position = [0, 1, 0], rotation = [0, 90, 0] } ] }
)";

Scene parse(const std::string& text, const std::vector<std::string>& changes = {}) {
    return parse_scene(text, "test.toml", ".", changes);
}

std::string message_of(const std::string& text, const std::vector<std::string>& changes = {}) {
    try {
        parse(text, changes);
    } catch (const SceneError& error) {
        return error.what();
    }
    return "";
}

TEST(SceneFile, ReadsEverySettingItIsGiven) {
    const Scene scene = parse(jelly);
    EXPECT_EQ(scene.simulation.duration, 0.5);
    EXPECT_EQ(scene.simulation.timestep, 1e-3);
    ASSERT_EQ(scene.materials.size(), 1u);
    EXPECT_EQ(scene.materials[0].name, "jelly");
    EXPECT_EQ(std::get<Bargteil2007Plasticity>(*scene.materials[0].plastic).hardening, -20);
    ASSERT_EQ(scene.bodies.size(), 2u);
    EXPECT_EQ(scene.bodies[0].name, "body1");
    EXPECT_EQ(std::get<BoxShape>(*scene.bodies[0].shape).size, Vec3(0.1, 0.2, 0.3));
    ASSERT_TRUE(scene.colliders[0].motion.has_value());
    EXPECT_EQ(scene.colliders[0].motion->keys[1].rotation, Vec3(0, 90, 0));
    EXPECT_EQ(scene.simulation.integrator, "auto");
    EXPECT_EQ(scene.frame_count(), 25);
}

TEST(SceneFile, WrittenAndReadAgainIsTheSameScene) {
    const std::string once = to_toml(parse(jelly));
    EXPECT_EQ(to_toml(parse(once)), once);
    EXPECT_NE(once.find("hardening = -20.0"), std::string::npos);
    EXPECT_NE(once.find("plane = [0.0, 1.0, 0.0]"), std::string::npos);
}

TEST(SceneFile, EveryGallerySceneReads) {
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(PLIANT_SOURCE_DIR) / "scenes")) {
        if (entry.path().extension() != ".toml") continue;
        EXPECT_NO_THROW({
            const std::string once = to_toml(read_scene(entry.path()));
            EXPECT_EQ(to_toml(parse(once)), once);
        }) << entry.path();
        ++count;
    }
    EXPECT_GE(count, 4);
}

TEST(Change, SetsNumbersTextsAndLists) {
    const Scene scene =
        parse(jelly, {"simulation.duration=0.25", "body.second.spacing=0.03", "body.0.sampling=bcc",
                      "simulation.gravity=[0, -1.6, 0]", "output.format=\"hdf5\"", "material.jelly.young=5e4"});
    EXPECT_EQ(scene.simulation.duration, 0.25);
    EXPECT_EQ(scene.bodies[1].spacing, 0.03);
    EXPECT_EQ(scene.bodies[0].sampling, "bcc");
    EXPECT_EQ(scene.simulation.gravity, Vec3(0, -1.6, 0));
    EXPECT_EQ(scene.output.format, "hdf5");
    EXPECT_EQ(scene.materials[0].young, 5e4);
}

TEST(Change, AStarMeansAllOfAList) {
    const Scene scene = parse(jelly, {"body.*.spacing=0.03"});
    ASSERT_GT(scene.bodies.size(), 1u);
    for (const auto& body : scene.bodies) EXPECT_EQ(body.spacing, 0.03);
}

TEST(Change, AStarMeansAllTablesWithNames) {
    const std::string two = std::string(jelly) + "[material.\"no. 2\"]\nyoung = 1e6\npoisson = 0.3\n";
    const Scene scene = parse(two, {"material.*.poisson=0.2"});
    ASSERT_EQ(scene.materials.size(), 2u);
    for (const auto& material : scene.materials) EXPECT_EQ(material.poisson, 0.2) << material.name;
}

TEST(Change, ErrorsNameTheOptionInsteadOfALine) {
    EXPECT_EQ(message_of(jelly, {"simulation.duration=-1"}),
              "--set simulation.duration=-1: simulation.duration: must be above 0 and at most 100000, but is -1 s");
    EXPECT_NE(message_of(jelly, {"body.third.spacing=1"}).find("there is no 'third' in the list"), std::string::npos);
    EXPECT_NE(message_of(jelly, {"duration"}).find("write it as key=value"), std::string::npos);
    EXPECT_NE(message_of(jelly, {"simulation.duration=[1,"}).find("is not a value"), std::string::npos);
    EXPECT_NE(message_of(jelly, {"simulation.methd=mls"}).find("did you mean 'method'?"), std::string::npos);
}

TEST(SceneFile, TellsAbsentFilesAndFolders) {
    EXPECT_THROW(read_scene("/nowhere/at/all.toml"), SceneError);
    EXPECT_THROW(read_scene(fs::temp_directory_path()), SceneError);
}

TEST(Schema, NamesEverySettingWithItsHelp) {
    const std::string markdown = schema_markdown();
    for (const char* word : {"`[simulation]`", "`[[body]]`", "`[material.NAME]`", "`yield_stress`", "`gravity`",
                             "kg/m^3", "**required**"}) {
        EXPECT_NE(markdown.find(word), std::string::npos) << word;
    }
    EXPECT_EQ(schema_json().front(), '{');
}

}  // namespace
}  // namespace pliant
