// pliant model, as a user meets it.
#include <gtest/gtest.h>

#include "pliant/methods/oriented/rig_file.h"
#include "program.h"

namespace pliant {
namespace {

bool says(const Finished& run, const std::string& part) {
    return run.output.find(part) != std::string::npos;
}

TEST(Model, MakesARigOfABuiltInModelAndReportsIt) {
    TemporaryFolder folder;
    const std::string file = (folder / "bear.toml").string();
    const Finished run = run_program({"model", "gummy-bear", "-o", file, "--particles", "60"}, folder);
    ASSERT_EQ(run.code, 0) << run.output;
    for (const char* part : {"particles", "edges", "radii", "volume", "skin", "pieces     1\n", "time"})
        EXPECT_TRUE(says(run, part)) << part << " is not in " << run.output;
    const Rig rig = read_rig(file);
    EXPECT_NEAR(double(rig.size()), 60, 4);
    EXPECT_GT(rig.edges.size(), rig.size());
}

TEST(Model, OverwritesOnlyWhenForced) {
    TemporaryFolder folder;
    const std::string file = (folder / "rope.rig").string();
    write_file(file, "mine");
    const std::vector<std::string> words = {"model", "rope", "-o", file, "--spacing", "0.1"};
    const Finished refused = run_program(words, folder);
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(says(refused, "--force")) << refused.output;
    EXPECT_EQ(read_file(file), "mine");
    std::vector<std::string> forced = words;
    forced.push_back("--force");
    EXPECT_EQ(run_program(forced, folder).code, 0);
    EXPECT_GT(read_rig(file).size(), 5u);
}

TEST(Model, ReadsAMeshAndASheet) {
    TemporaryFolder folder;
    write_file(folder / "sheet.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 3 2\nf 1 4 3\n");
    const std::string mesh = (folder / "sheet.obj").string(), file = (folder / "sheet.toml").string();
    const Finished solid = run_program({"model", mesh, "-o", file, "--spacing", "0.2"}, folder);
    EXPECT_EQ(solid.code, 2) << solid.output;
    EXPECT_TRUE(says(solid, "--thickness")) << solid.output;
    const Finished sheet = run_program({"model", mesh, "-o", file, "--spacing", "0.2", "--thickness", "0.01"}, folder);
    ASSERT_EQ(sheet.code, 0) << sheet.output;
    EXPECT_EQ(read_rig(file).skin.vertices.size(), 4u);
}

TEST(Model, SaysWhatToDo) {
    TemporaryFolder folder;
    const std::string file = (folder / "x.toml").string();
    const Finished name = run_program({"model", "octopuss", "-o", file}, folder);
    EXPECT_EQ(name.code, 2);
    EXPECT_TRUE(says(name, "did you mean 'octopus'")) << name.output;
    const Finished kind = run_program({"model", "octopus", "-o", (folder / "x.obj").string()}, folder);
    EXPECT_EQ(kind.code, 2);
    EXPECT_TRUE(says(kind, ".toml or a .rig")) << kind.output;
    const Finished spacing = run_program({"model", "octopus", "-o", file, "--spacing", "-1"}, folder);
    EXPECT_EQ(spacing.code, 2);
    EXPECT_TRUE(says(spacing, "--spacing")) << spacing.output;
}

}  // namespace
}  // namespace pliant
