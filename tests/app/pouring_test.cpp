// Runs whose particles grow in number and whose rigid bodies move: frames, resuming, pictures, meshes. By the first
// method that can do all of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "pliant/base/error.h"
#include "pliant/output/particle_format.h"
#include "pliant/run/rigid_files.h"
#include "pliant/scene/build.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/scene_file.h"
#include "program.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

const char* const tap_over_a_block = R"(
[simulation]
duration = 0.3
fps = 30
[[fluid]]
name = "water"
spacing = 0.02
[[emitter]]
fluid = "water"
size = [0.08, 0.08]
position = [0, 0.5, 0]
speed = 1
[[rigid]]
name = "block"
shape = { box = [0.1, 0.05, 0.1] }
position = [0.3, 0.3, 0]
angular_velocity = [0, 0, 4]
[[collider]]
shape = { plane = [0, 1, 0] }
[output]
checkpoint_every = 2
report = false
[render]
width = 160
height = 90
samples = 1
)";

std::string able_method() {
    for (const MethodKind& kind : method_list()) {
        if (kind.can(Ability::fluids) && kind.can(Ability::emitters) && kind.can(Ability::rigid_bodies))
            return kind.name;
    }
    return "";
}

std::map<std::string, std::string> frame_bytes(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder / "frames"))
        files[entry.path().filename().string()] = read_file(entry.path());
    return files;
}

TEST(RigidFiles, ComeBackAsTheyWere) {
    Model model;
    RigidSettings settings;
    settings.name = "block";
    model.rigids.emplace_back(settings, ShapeContext{});
    const Placement pose{Vec3(0.1, 1.0 / 3, -2e-7), Quat(0.1, 0.2, 0.3, 0.4).normalized()};
    const TemporaryFolder folder;
    write_rigid_poses(folder / "rigid.json", model, {pose});
    const auto read = read_rigid_poses(folder / "rigid.json", model);
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0].position, pose.position);
    EXPECT_LT(read[0].rotation.angularDistance(pose.rotation), 1e-12);
    model.rigids.emplace_back(settings, ShapeContext{});
    EXPECT_THROW(read_rigid_poses(folder / "rigid.json", model), InputError);
    write_file(folder / "rigid.json", "[ { \"position\": 3");
    EXPECT_THROW(read_rigid_poses(folder / "rigid.json", model), InputError);
}

class Pouring : public testing::Test {
protected:
    void SetUp() override {
        if (able_method().empty()) GTEST_SKIP() << "no method has fluids, emitters and rigid bodies";
        write_file(folder_ / "tap.toml", tap_over_a_block);
    }
    Finished run(const std::string& out, std::vector<std::string> more = {}) const {
        std::vector<std::string> words = {"run",   (folder_ / "tap.toml").string(),     "-o", (folder_ / out).string(),
                                          "--set", "simulation.method=" + able_method()};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words, folder_);
    }

    TemporaryFolder folder_;
};

TEST_F(Pouring, FramesGrowAndRigidBodiesMove) {
    const Finished done = run("out");
    ASSERT_EQ(done.code, 0) << done.output;
    const RunFolder out(folder_ / "out");
    const auto frames = out.frame_files();
    ASSERT_EQ(frames.size(), 10u);
    ASSERT_EQ(out.rigid_frame_files().size(), 10u);
    std::vector<std::size_t> counts;
    for (const auto& frame : frames) counts.push_back(particle_format_of(frame.path).read(frame.path).size());
    EXPECT_LE(counts.front(), 16u);
    EXPECT_EQ(counts.back(), 16u * 15);  // a layer every 0.02 s
    EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end()));

    std::vector<std::string> ignored;
    const Model model = build_model(read_scene(out.scene()), ignored);
    const Real first = rigid_poses_of(out, 0, model)[0].position.y();
    EXPECT_EQ(first, 0.3);
    EXPECT_LT(rigid_poses_of(out, 9, model)[0].position.y(), 0.2);

    ASSERT_EQ(run_program({"render", (folder_ / "out").string(), "-o", (folder_ / "x.png").string()}, folder_).code, 0);
    ASSERT_EQ(
        run_program({"export", (folder_ / "out").string(), "--format", "hdf5", "-o", (folder_ / "e").string()}, folder_)
            .code,
        0);
    EXPECT_GT(fs::file_size(folder_ / "e/block_00009.ply"), 100u);
    EXPECT_NE(read_file(folder_ / "e/block_00000.ply"), read_file(folder_ / "e/block_00009.ply"));
}

TEST_F(Pouring, GoesOnWithTheSameBits) {
    ASSERT_EQ(run("whole").code, 0);
    ASSERT_EQ(run("parts", {"--frames", "5"}).code, 0);
    const Finished rest = run("parts", {"--resume"});
    ASSERT_EQ(rest.code, 0) << rest.output;
    EXPECT_EQ(frame_bytes(folder_ / "whole"), frame_bytes(folder_ / "parts"));
}

TEST_F(Pouring, IsChecked) {
    const Finished check =
        run_program({"check", (folder_ / "tap.toml").string(), "--set", "simulation.method=" + able_method()}, folder_);
    EXPECT_EQ(check.code, 0) << check.output;
    EXPECT_NE(check.output.find("fluid     water"), std::string::npos) << check.output;
    EXPECT_NE(check.output.find("emitter   emitter1: about 239 particles of water at 1 m/s"), std::string::npos)
        << check.output;
    EXPECT_NE(check.output.find("rigid     block: box of 1000 kg/m^3"), std::string::npos) << check.output;
}

}  // namespace
}  // namespace pliant
