// pliant run, as a user meets it: exit codes, interruption, kill, resume, full disk, damaged checkpoints.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "program.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const char* const small_scene = R"(
[simulation]
duration = 0.3
fps = 60
[material.rubber]
young = 1e5
poisson = 0.3
plastic = { model = "bargteil07", yield_stress = 2e3 }
[[body]]
name = "cube"
shape = { box = [0.1, 0.1, 0.1] }
spacing = 0.0125
material = "rubber"
position = [0, 0.12, 0]
rotation = [10, 20, 30]
[[collider]]
shape = { plane = [0, 1, 0] }
[output]
checkpoint_every = 3
report = false
[render]
width = 160
height = 90
samples = 1
)";

struct Errand {
    TemporaryFolder folder;
    std::string scene = (folder / "cube.toml").string();
    std::string out = (folder / "out").string();

    explicit Errand(const std::string& text = small_scene) { write_file(scene, text); }

    std::vector<std::string> run(std::vector<std::string> more = {}) const {
        std::vector<std::string> words = {"run", scene, "-o", out};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
};

// The state's hash at the end of each frame, from stats.jsonl.
std::map<int, std::string> frame_hashes(const fs::path& folder) {
    std::map<int, std::string> hashes;
    std::istringstream lines(read_file(folder / "stats.jsonl"));
    for (std::string line; std::getline(lines, line);) {
        const auto record = nlohmann::json::parse(line);
        if (record.contains("hash")) hashes[record["frame"]] = record["hash"];
    }
    return hashes;
}

std::map<std::string, std::string> frame_bytes(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder / "frames"))
        files[entry.path().filename().string()] = read_file(entry.path());
    return files;
}

TEST(Run, LeavesEverythingAUserLooksFor) {
    Errand errand;
    const Finished run = run_program(errand.run({"--set", "output.report=true", "--frames", "4"}), errand.folder);
    ASSERT_EQ(run.code, 0) << run.output;
    for (const char* name : {"scene.toml", "run.json", "stats.jsonl", "checkpoint.h5", "report.html"}) {
        EXPECT_GT(fs::file_size(fs::path(errand.out) / name), 0u) << name;
    }
    EXPECT_EQ(frame_bytes(errand.out).size(), 5u);
    const auto information = nlohmann::json::parse(read_file(fs::path(errand.out) / "run.json"));
    EXPECT_EQ(information["status"], "finished");
    EXPECT_EQ(information["particles"], 512);
    EXPECT_NE(run.output.find("frame 4/4"), std::string::npos) << run.output;
    EXPECT_EQ(run.output.find('\r'), std::string::npos) << "no bar where there is no terminal";
}

// What a method chose by itself, and why, stands beside what the scene asked for.
TEST(Run, SaysWhatTheMethodChose) {
    Errand errand;
    const Finished run =
        run_program(errand.run({"--set", "simulation.method=mpm", "--set", "simulation.integrator=auto", "--set",
                                "material.rubber.plastic={ model = \"von_mises\", yield_stress = 1e4 }", "--set",
                                "output.report=true", "--frames", "1"}),
                    errand.folder);
    ASSERT_EQ(run.code, 0) << run.output;
    const auto information = nlohmann::json::parse(read_file(fs::path(errand.out) / "run.json"));
    EXPECT_EQ(information["integrator"], "auto");
    const std::string chosen = information.value("chosen", "");
    EXPECT_NE(chosen.find("integrator explicit: "), std::string::npos) << chosen;
    EXPECT_NE(read_file(fs::path(errand.out) / "report.html").find("integrator explicit: "), std::string::npos);
}

TEST(Run, DoesNotOverwriteAnotherRunWithoutForce) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "1"}), errand.folder).code, 0);
    const auto before = frame_bytes(errand.out);
    const Finished again = run_program(errand.run({"--frames", "2"}), errand.folder);
    EXPECT_EQ(again.code, 2);
    EXPECT_NE(again.output.find("--resume"), std::string::npos);
    EXPECT_NE(again.output.find("--force"), std::string::npos);
    EXPECT_EQ(frame_bytes(errand.out), before);
    EXPECT_EQ(run_program(errand.run({"--frames", "2", "--force"}), errand.folder).code, 0);
    EXPECT_EQ(frame_bytes(errand.out).size(), 3u);
}

TEST(Run, LosesNothingWhenForcedAndRefused) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "1"}), errand.folder).code, 0);
    const auto before = frame_bytes(errand.out);
    const Finished large = run_program(errand.run({"--force", "--set", "body.cube.spacing=3e-4"}), errand.folder);
    EXPECT_EQ(large.code, 2) << large.output;
    EXPECT_EQ(frame_bytes(errand.out), before);
    EXPECT_TRUE(fs::exists(fs::path(errand.out) / "checkpoint.h5"));
}

TEST(Run, GoesOnWhenNobodyListens) {
    Errand errand;
    const std::string command = std::string(PLIANT_BINARY_DIR) + "/pliant run " + errand.scene + " -o " + errand.out +
                                " --frames 6 2>&1 | head -1 > /dev/null; exit ${PIPESTATUS[0]}";
    EXPECT_EQ(std::system(("bash -c '" + command + "'").c_str()), 0);
    EXPECT_EQ(frame_bytes(errand.out).size(), 7u);
    EXPECT_EQ(nlohmann::json::parse(read_file(fs::path(errand.out) / "run.json"))["status"], "finished");
}

TEST(Run, TellsACommandToGoOnThatAShellUnderstands) {
    Errand errand;
    Program program(errand.run({"--force", "--set", "simulation.gravity=[0, -1.6, 0]"}), errand.folder / "output.txt");
    while (program.is_running() && !fs::exists(fs::path(errand.out) / "frames" / "particles_00001.ply"))
        std::this_thread::sleep_for(1ms);
    program.send(SIGINT);
    ASSERT_EQ(program.wait(), 130) << program.output();
    const std::string words = program.output(), mark = "Go on with: ";
    ASSERT_NE(words.find(mark), std::string::npos);
    const std::string hint = words.substr(words.find(mark) + mark.size());
    EXPECT_EQ(hint.find("--force"), std::string::npos) << hint;
    write_file(errand.folder / "go_on.sh", hint);
    EXPECT_EQ(std::system(("bash " + (errand.folder / "go_on.sh").string() + " > /dev/null 2>&1").c_str()), 0) << hint;
    EXPECT_EQ(frame_hashes(errand.out).size(), 18u);
}

TEST(Run, LeavesForeignFilesAloneWhenForced) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "1"}), errand.folder).code, 0);
    write_file(fs::path(errand.out) / "frames" / "notes.txt", "mine");
    ASSERT_EQ(run_program(errand.run({"--frames", "1", "--force"}), errand.folder).code, 0);
    EXPECT_EQ(read_file(fs::path(errand.out) / "frames" / "notes.txt"), "mine");
}

TEST(Run, GivesExitCodeTwoForBadInput) {
    Errand errand;
    EXPECT_EQ(run_program({"run", "/nowhere.toml"}, errand.folder).code, 2);
    EXPECT_EQ(run_program(errand.run({"--set", "simulation.duratoin=1"}), errand.folder).code, 2);
    EXPECT_EQ(run_program(errand.run({"--no-such-option"}), errand.folder).code, 2);
    const Finished dance = run_program({"dance"}, errand.folder);
    EXPECT_EQ(dance.code, 2);
    EXPECT_EQ(dance.output,
              "there is no command 'dance'; there are: run, check, render, export, model, reproduce, list, schema\n");
    EXPECT_EQ(run_program(errand.run({"--resume"}), errand.folder).code, 2);
    EXPECT_EQ(run_program({"render", errand.folder.path().string()}, errand.folder).code, 2);
    EXPECT_EQ(run_program({"--version"}, errand.folder).code, 0);
    EXPECT_EQ(run_program({"--help"}, errand.folder).code, 0);
}

TEST(Run, GivesExitCodeOneAndKeepsFramesWhenTheSimulationFails) {
    Errand errand;
    const Finished run = run_program(errand.run({"--set", "simulation.integrator=explicit", "--set",
                                                 "simulation.timestep=0.01", "--set", "material.rubber.young=1e9"}),
                                     errand.folder);
    EXPECT_EQ(run.code, 1) << run.output;
    EXPECT_NE(run.output.find("step"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find("kept in"), std::string::npos) << run.output;
    EXPECT_GE(frame_bytes(errand.out).size(), 1u);
    EXPECT_EQ(nlohmann::json::parse(read_file(fs::path(errand.out) / "run.json"))["status"], "failed");
}

TEST(Run, IsRefusedWhenItWouldNotFitInMemoryOrOnTheDisk) {
    Errand errand;
    const Finished memory = run_program(errand.run({"--set", "body.cube.spacing=3e-4"}), errand.folder);
    EXPECT_EQ(memory.code, 2);
    EXPECT_NE(memory.output.find("of memory for"), std::string::npos) << memory.output;
    EXPECT_NE(memory.output.find("are free"), std::string::npos);
    const Finished disk =
        run_program(errand.run({"--set", "simulation.fps=1e6", "--set", "body.cube.spacing=0.001"}), errand.folder);
    EXPECT_EQ(disk.code, 2);
    EXPECT_NE(disk.output.find("would write about"), std::string::npos) << disk.output;
}

TEST(Run, EndsTheStepAndGoesOnBitForBitAfterCtrlC) {
    Errand whole, cut;
    ASSERT_EQ(run_program(whole.run(), whole.folder).code, 0);
    Program program(cut.run(), cut.folder / "output.txt");
    while (program.is_running() && !fs::exists(fs::path(cut.out) / "frames" / "particles_00005.ply"))
        std::this_thread::sleep_for(1ms);
    program.send(SIGINT);
    ASSERT_EQ(program.wait(), 130) << program.output();
    EXPECT_NE(program.output().find("--resume"), std::string::npos);
    ASSERT_EQ(run_program(cut.run({"--resume"}), cut.folder).code, 0);
    EXPECT_EQ(frame_hashes(cut.out), frame_hashes(whole.out));
    EXPECT_EQ(frame_hashes(cut.out).size(), 18u);
    EXPECT_EQ(frame_bytes(cut.out), frame_bytes(whole.out));
}

TEST(Run, GoesOnBitForBitAfterKillAtTwentyRandomMoments) {
    Errand whole, cut;
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(run_program(whole.run(), whole.folder).code, 0);
    const auto span =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
    std::mt19937 random(20);
    std::uniform_int_distribution<long> moment(0, span);
    int killed = 0;
    for (int round = 0; round < 200 && killed < 20; ++round) {
        const bool begun = fs::exists(fs::path(cut.out) / "run.json");
        Program program(cut.run(begun ? std::vector<std::string>{"--resume"} : std::vector<std::string>{"--force"}),
                        cut.folder / "output.txt");
        std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
        program.send(SIGKILL);
        const int code = program.wait();
        ASSERT_TRUE(code == 1000 + SIGKILL || code == 0) << program.output();
        killed += code != 0;
        if (code == 0) fs::remove_all(cut.out);  // it was quicker: begin again
    }
    ASSERT_EQ(killed, 20);
    const bool begun = fs::exists(fs::path(cut.out) / "run.json");
    ASSERT_EQ(run_program(cut.run(begun ? std::vector<std::string>{"--resume"} : std::vector<std::string>{"--force"}),
                          cut.folder)
                  .code,
              0);
    EXPECT_EQ(frame_hashes(cut.out), frame_hashes(whole.out));
    EXPECT_EQ(frame_bytes(cut.out), frame_bytes(whole.out));
}

TEST(Run, GivesTheSameFramesAtAnyNumberOfThreads) {
    Errand one, four;
    ASSERT_EQ(run_program(one.run({"--threads", "1", "--frames", "6"}), one.folder).code, 0);
    ASSERT_EQ(run_program(four.run({"--threads", "4", "--frames", "6"}), four.folder).code, 0);
    EXPECT_EQ(frame_hashes(one.out), frame_hashes(four.out));
    EXPECT_EQ(frame_bytes(one.out), frame_bytes(four.out));
}

TEST(Resume, RefusesADamagedCheckpointAndLosesNothing) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "6"}), errand.folder).code, 0);
    const fs::path checkpoint = fs::path(errand.out) / "checkpoint.h5";
    const std::string good = read_file(checkpoint);
    const auto frames = frame_bytes(errand.out);
    std::string flipped = good;
    flipped[good.size() / 2] ^= 4;
    for (const std::string& bad : {good.substr(0, good.size() / 3), flipped, std::string()}) {
        write_file(checkpoint, bad);
        const Finished refused = run_program(errand.run({"--resume"}), errand.folder);
        EXPECT_EQ(refused.code, 2) << refused.output;
        EXPECT_NE(refused.output.find("checkpoint.h5"), std::string::npos) << refused.output;
        EXPECT_EQ(frame_bytes(errand.out), frames);
        EXPECT_EQ(read_file(checkpoint), bad);
    }
    write_file(checkpoint, good);
    EXPECT_EQ(run_program(errand.run({"--resume"}), errand.folder).code, 0);
    EXPECT_EQ(frame_bytes(errand.out).size(), 19u);
}

TEST(Resume, RefusesWhenTheCheckpointIsGone) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "2"}), errand.folder).code, 0);
    const auto before = frame_bytes(errand.out);
    fs::remove(fs::path(errand.out) / "checkpoint.h5");
    const Finished again = run_program(errand.run({"--resume"}), errand.folder);
    EXPECT_EQ(again.code, 2);
    EXPECT_NE(again.output.find("checkpoint is gone"), std::string::npos) << again.output;
    EXPECT_EQ(frame_bytes(errand.out), before);
}

TEST(Resume, RemovesFramesThatWillBeMadeAgain) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "3"}), errand.folder).code, 0);
    const fs::path frames = fs::path(errand.out) / "frames";
    fs::copy_file(frames / "particles_00003.ply", frames / "particles_00005.ply");  // as a killed run leaves it
    ASSERT_EQ(run_program(errand.run({"--resume", "--frames", "4"}), errand.folder).code, 0);
    EXPECT_EQ(frame_bytes(errand.out).size(), 5u);
}

TEST(Resume, RefusesAnotherScene) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "2"}), errand.folder).code, 0);
    const Finished other = run_program(errand.run({"--resume", "--set", "material.rubber.young=2e5"}), errand.folder);
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.output.find("another scene"), std::string::npos) << other.output;
    EXPECT_EQ(run_program(errand.run({"--resume", "--set", "simulation.duration=0.1"}), errand.folder).code, 0)
        << "the length may change";
}

TEST(Run, KeepsAllFramesWhenTheDiskIsFull) {
    Errand errand;
    fs::create_directories(errand.out);
    if (mount("tmpfs", errand.out.c_str(), "tmpfs", 0, "size=1200k") != 0)
        GTEST_SKIP() << "needs to mount a small disk";
    // The estimate would refuse so small a disk at once; a long run meets it in the middle. Fill it from aside.
    struct Unmount {
        std::string path;
        ~Unmount() { umount2(path.c_str(), MNT_DETACH); }
    } unmount{errand.out};
    const Finished refused = run_program(errand.run(), errand.folder);
    EXPECT_EQ(refused.code, 2) << refused.output;
    umount2(errand.out.c_str(), MNT_DETACH);
    ASSERT_EQ(mount("tmpfs", errand.out.c_str(), "tmpfs", 0, "size=60m"), 0);
    Program program(errand.run({"--set", "simulation.duration=1", "--set", "simulation.integrator=gerszewski09"}),
                    errand.folder / "output.txt");
    while (program.is_running() && !fs::exists(fs::path(errand.out) / "frames" / "particles_00004.ply"))
        std::this_thread::sleep_for(1ms);
    { std::ofstream(fs::path(errand.out) / "filler") << std::string(70'000'000, 'x'); }
    EXPECT_EQ(program.wait(), 1);
    EXPECT_NE(program.output().find("full"), std::string::npos) << program.output();
    const auto frames = frame_bytes(errand.out);
    EXPECT_GE(frames.size(), 5u);
    fs::remove(fs::path(errand.out) / "filler");
    const std::string more = std::to_string(frames.size() + 3);  // how far it came is a matter of luck
    EXPECT_EQ(run_program(errand.run({"--resume", "--set", "simulation.duration=1", "--set",
                                      "simulation.integrator=gerszewski09", "--frames", more}),
                          errand.folder)
                  .code,
              0);
    Errand whole;
    ASSERT_EQ(run_program(whole.run({"--set", "simulation.duration=1", "--set", "simulation.integrator=gerszewski09",
                                     "--frames", more}),
                          whole.folder)
                  .code,
              0);
    EXPECT_EQ(frame_bytes(errand.out), frame_bytes(whole.out));
}

TEST(Render, DrawsAPictureAndAMovie) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "3"}), errand.folder).code, 0);
    const std::string picture = (errand.folder / "x.png").string(), movie = (errand.folder / "x.mp4").string();
    EXPECT_EQ(run_program({"render", errand.out, "-o", picture, "--set", "colour_by=stress"}, errand.folder).code, 0);
    EXPECT_EQ(read_file(picture).substr(1, 3), "PNG");
    EXPECT_EQ(run_program({"render", errand.out, "-o", movie}, errand.folder).code, 0);
    EXPECT_GT(fs::file_size(movie), 500u);
    EXPECT_EQ(run_program({"render", errand.out, "-o", "x.gif"}, errand.folder).code, 2);
    EXPECT_EQ(run_program({"render", errand.out, "--frame", "1"}, errand.folder).code, 0);
    EXPECT_TRUE(fs::exists(fs::path(errand.out) / "picture.png"));
    EXPECT_EQ(run_program({"render", errand.out, "--frame", "1", "-o", movie}, errand.folder).code, 2);
    EXPECT_EQ(run_program({"render", errand.out, "-o", picture, "--frame", "99"}, errand.folder).code, 2);
    const Finished wrong =
        run_program({"render", errand.out, "-o", picture, "--set", "colour_by=stres"}, errand.folder);
    EXPECT_EQ(wrong.code, 2);
    EXPECT_NE(wrong.output.find("stress"), std::string::npos) << wrong.output;
}

TEST(Export, WritesHdf5WithAListForParaView) {
    Errand errand;
    ASSERT_EQ(run_program(errand.run({"--frames", "2"}), errand.folder).code, 0);
    const std::string out = (errand.folder / "hdf5").string();
    ASSERT_EQ(run_program({"export", errand.out, "--format", "hdf5", "-o", out}, errand.folder).code, 0);
    EXPECT_TRUE(fs::exists(fs::path(out) / "particles.xdmf"));
    EXPECT_TRUE(fs::exists(fs::path(out) / "particles_00002.h5"));
}

TEST(Check, TellsWhatWouldRun) {
    Errand errand;
    const Finished check = run_program({"check", errand.scene}, errand.folder);
    EXPECT_EQ(check.code, 0) << check.output;
    for (const char* word : {"good", "auto", "512 particles", "memory", "disk", "time step"}) {
        EXPECT_NE(check.output.find(word), std::string::npos) << word << "\n" << check.output;
    }
}

TEST(List, KnowsEverything) {
    Errand errand;
    for (const auto& [what, word] :
         {std::pair("methods", "mls"), std::pair("materials", "bargteil07"), std::pair("shapes", "capsule"),
          std::pair("models", "gummy-bear"), std::pair("formats", "hdf5")}) {
        const Finished list = run_program({"list", what}, errand.folder);
        EXPECT_EQ(list.code, 0);
        EXPECT_NE(list.output.find(word), std::string::npos) << list.output;
    }
    EXPECT_EQ(run_program({"list", "unicorns"}, errand.folder).code, 2);
}

}  // namespace
}  // namespace pliant
