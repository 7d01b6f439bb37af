// pliant reproduce, as a user meets it: the list, wrong names, foreign folders, and a quick run of one item.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

const fs::path scenes = fs::path(PLIANT_SOURCE_DIR) / "scenes";

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Reproduce, TellsWhatThereIs) {
    TemporaryFolder folder;
    const Finished list = run_program({"reproduce"}, folder);
    EXPECT_EQ(list.code, 0);
    for (const char* item : {"zhou2013/figure-1-rabbit-soft", "zhou2013/figure-5-cube", "zhou2013/birds",
                             "mueller2011/octopus", "peer2018/pool", "fang2019/sofas"})
        EXPECT_TRUE(has(list.output, item)) << list.output;
}

TEST(Reproduce, SuggestsTheNearestName) {
    TemporaryFolder folder;
    const Finished item = run_program({"reproduce", "zhou2013/figure-5-cub"}, folder);
    EXPECT_EQ(item.code, 2);
    EXPECT_EQ(item.output, "zhou2013 has no item 'figure-5-cub'; did you mean 'figure-5-cube'?\n");
    const Finished paper = run_program({"reproduce", "zhu2013/birds"}, folder);
    EXPECT_EQ(paper.code, 2);
    EXPECT_EQ(paper.output, "there is no paper 'zhu2013'; did you mean 'zhou2013'?\n");
}

TEST(Reproduce, LeavesAFolderAloneThatItDidNotMake) {
    TemporaryFolder folder;
    const fs::path out = folder / "mine";
    for (const std::string results : {"", "{}", R"({"made_by": 3})", R"({"made_by": "pliant reproduce"})"}) {
        fs::create_directories(out);
        write_file(out / "notes.txt", "mine");
        if (!results.empty()) write_file(out / "results.json", results);
        const Finished refused = run_program(
            {"reproduce", "zhou2013/figure-5-cube", "--quick", "-o", out.string(), "--scenes", scenes.string()},
            folder);
        EXPECT_EQ(refused.code, 2) << results;
        EXPECT_TRUE(has(refused.output, "was not made by pliant reproduce")) << refused.output;
        EXPECT_FALSE(fs::exists(out / "index.html"));
        EXPECT_EQ(read_file(out / "notes.txt"), "mine");
    }
}

TEST(Reproduce, NamesTheSceneThatIsMissing) {
    TemporaryFolder folder;
    const Finished run = run_program(
        {"reproduce", "zhou2013/birds", "-o", (folder / "out").string(), "--scenes", (folder / "nowhere").string()},
        folder);
    EXPECT_EQ(run.code, 2) << run.output;
    EXPECT_TRUE(has(run.output, "birds.toml")) << run.output;
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(Reproduce, WritesAPageAndNumbersForThreeIntegrators) {
    TemporaryFolder folder;
    const fs::path out = folder / "out";
    const std::vector<std::string> command = {"reproduce",  "--quick",  "zhou2013/figure-5-cube", "-o",
                                              out.string(), "--scenes", scenes.string()};
    for (int round = 0; round < 2; ++round) {  // the second writes over the first
        const Finished run = run_program(command, folder);
        ASSERT_EQ(run.code, 0) << run.output;
    }
    const auto results = nlohmann::json::parse(read_file(out / "results.json"));
    ASSERT_EQ(results["items"].size(), 1u);
    const auto item = results["items"][0];
    EXPECT_EQ(item["name"], "figure-5-cube");
    EXPECT_EQ(item["particles"], 2744);
    ASSERT_EQ(item["runs"].size(), 3u);
    for (const auto& run : item["runs"]) {
        EXPECT_TRUE(run["stable"]) << run;
        for (const char* number : {"own_step", "step", "steps", "seconds", "processor_seconds"}) {
            const double value = run[number];
            EXPECT_TRUE(std::isfinite(value) && value > 0) << number << " of " << run;
        }
        EXPECT_LT(run["drift"].get<double>(), 1e-4) << run;  // m
        EXPECT_LT(run["turn"].get<double>(), 0.1) << run;    // degrees
    }
    EXPECT_GT(item["ratios"]["explicit"].get<double>(), 0);
    EXPECT_GT(item["ratios"]["gerszewski09"].get<double>(), 0);
    EXPECT_NEAR(item["published"]["ratios"]["explicit"].get<double>(), 90.0 / 52, 1e-12);

    const std::string page = read_file(out / "index.html");
    EXPECT_EQ(item["pictures"].size(), 4u);
    for (const std::string picture : item["pictures"]) {
        EXPECT_TRUE(has(page, picture));
        EXPECT_GT(fs::file_size(out / picture), 0u);
    }
    EXPECT_TRUE(has(page, "Cube (Fig. 5)"));
    EXPECT_TRUE(fs::exists(out / "figure-5-cube" / "frames" / "particles_00003.ply"));
}

TEST(Reproduce, WritesAPageAndTimesForASceneInRealTime) {
    TemporaryFolder folder;
    const fs::path out = folder / "out";
    const std::vector<std::string> command = {"reproduce",  "--quick",  "mueller2011/octopus", "-o",
                                              out.string(), "--scenes", scenes.string()};
    for (int round = 0; round < 2; ++round) {  // the second reads and writes over the first
        const Finished run = run_program(command, folder);
        ASSERT_EQ(run.code, 0) << run.output;
    }
    const auto results = nlohmann::json::parse(read_file(out / "results.json"));
    ASSERT_EQ(results["items"].size(), 1u);
    const auto item = results["items"][0];
    EXPECT_NEAR(item["particles"].get<double>(), 300, 30);
    EXPECT_EQ(item["threads"], 1);
    EXPECT_EQ(item["published"]["solver"], 4e-3);
    const auto time = item["real_time"];
    EXPECT_FALSE(time.contains("trouble")) << time;
    EXPECT_NEAR(time["edges"].get<double>(), 750, 150);
    EXPECT_GT(time["vertices"], 1000);
    EXPECT_EQ(time["steps"], 12);  // three frames of 1/60 s, steps of 1/240 s
    EXPECT_NEAR(time["simulated"].get<double>(), 3 / 60.0, 1e-9);
    for (const char* number : {"step_mean", "step_median", "step_slowest", "step_wall_mean", "skinning_linear",
                               "skinning_dual_quaternion", "unit", "times_real_time"}) {
        const double value = time[number];
        EXPECT_TRUE(std::isfinite(value) && value > 0) << number << " of " << time;
    }
    EXPECT_LE(time["step_median"], time["step_slowest"]);
    EXPECT_GT(time["step_mean"].get<double>(), time["unit"].get<double>());  // 299 particles take more than one SVD
    double shares = 0;
    for (const auto& share : time["phases"]) shares += share.get<double>();
    EXPECT_NEAR(shares, 1, 1e-9);

    const std::string page = read_file(out / "index.html");
    EXPECT_EQ(item["pictures"].size(), 4u);
    for (const std::string picture : item["pictures"]) {
        EXPECT_TRUE(has(page, picture));
        EXPECT_GT(fs::file_size(out / picture), 0u);
    }
    for (const char* text : {"<td>4 ms</td>", "6 ms with rendering", "paper / ours", "The machines differ"})
        EXPECT_TRUE(has(page, text)) << text;
    EXPECT_FALSE(has(page, "nan") || has(page, "inf "));
    EXPECT_TRUE(fs::exists(out / "octopus" / "frames" / "particles_00003.ply"));
}

TEST(Reproduce, WritesAPageAndTimesForAScenesVariants) {
    TemporaryFolder folder;
    const fs::path out = folder / "out";
    const std::vector<std::string> command = {"reproduce",  "--quick",  "peer2018/cuboid-stvk", "-o",
                                              out.string(), "--scenes", scenes.string()};
    for (int round = 0; round < 2; ++round) {  // the second reads and writes over the first
        const Finished run = run_program(command, folder);
        ASSERT_EQ(run.code, 0) << run.output;
    }
    const auto results = nlohmann::json::parse(read_file(out / "results.json"));
    ASSERT_EQ(results["items"].size(), 1u);
    const auto item = results["items"][0];
    EXPECT_EQ(item["particles"], 1000);
    ASSERT_EQ(item["variants"].size(), 3u);
    const int steps[] = {60, 60, 12};  // three frames of 20 ms
    for (std::size_t k = 0; k < 3; ++k) {
        const auto variant = item["variants"][k];
        EXPECT_FALSE(variant.contains("trouble")) << variant;
        EXPECT_EQ(variant["solid"], 1000);
        EXPECT_EQ(variant["liquid"], 0);
        EXPECT_EQ(variant["steps"], steps[k]) << variant;
        EXPECT_EQ(variant["moduli"], "1e+04 Pa");
        EXPECT_NEAR(variant["step"].get<double>(), 0.06 / steps[k], 1e-12);
        for (const char* number : {"seconds_a_frame", "processor_seconds_a_frame"}) {
            const double value = variant[number];
            EXPECT_TRUE(std::isfinite(value) && value > 0) << number << " of " << variant;
        }
    }
    EXPECT_EQ(item["variants"][1]["elastic_iterations"], 0);  // explicit

    // The run that wrote the frames is the one that was timed, and nothing but its steps.
    double phases = 0;
    std::istringstream statistics(read_file(out / "cuboid-stvk" / "stats.jsonl"));
    for (std::string line; std::getline(statistics, line);) {
        const auto step = nlohmann::json::parse(line);
        for (const auto& seconds : step["seconds"]) phases += seconds.get<double>();
    }
    const double timed = 3 * item["variants"][0]["seconds_a_frame"].get<double>();
    EXPECT_GT(phases, 0);
    EXPECT_LE(phases, timed);  // they lie within its steps
    EXPECT_GT(item["ratios"]["stvk"].get<double>(), 0);
    EXPECT_EQ(item["published"][2]["seconds_a_frame"], 0.014);

    const std::string page = read_file(out / "index.html");
    EXPECT_EQ(item["pictures"].size(), 4u);
    for (const std::string picture : item["pictures"]) {
        EXPECT_TRUE(has(page, picture));
        EXPECT_GT(fs::file_size(out / picture), 0u);
    }
    for (const char* text : {"cuboid-stvk, long steps", "<td>14 ms</td>", "In the paper: 0.805 times"})
        EXPECT_TRUE(has(page, text)) << text;
    EXPECT_FALSE(has(page, ">nan") || has(page, "inf "));
    EXPECT_TRUE(fs::exists(out / "cuboid-stvk" / "frames" / "particles_00003.ply"));
}

TEST(Reproduce, PutsMaterialPointsBesideTheirTable) {
    TemporaryFolder folder;
    fs::create_directories(folder / "scenes/fang2019");
    const std::string fine = "spacing  = 0.025", coarse = "spacing  = 0.05 ";
    std::string scene = read_file(scenes / "fang2019/twisting-rods.toml");
    for (std::size_t at = 0; (at = scene.find(fine, at)) != scene.npos; ++at) scene.replace(at, fine.size(), coarse);
    write_file(folder / "scenes/fang2019/twisting-rods.toml", scene);
    const fs::path out = folder / "out";
    const Finished run =
        run_program({"reproduce", "--quick", "--frames", "1", "--threads", "3", "fang2019/twisting-rods", "-o",
                     out.string(), "--scenes", (folder / "scenes").string()},
                    folder);
    ASSERT_EQ(run.code, 0) << run.output;
    const auto item = nlohmann::json::parse(read_file(out / "results.json"))["items"][0];
    EXPECT_EQ(item["threads"], 3);
    ASSERT_EQ(item["variants"].size(), 2u);
    for (const auto& rod : item["variants"]) {
        EXPECT_FALSE(rod.contains("trouble")) << rod;
        EXPECT_EQ(rod["solid"].get<int>() * 2, item["particles"]);  // each by itself
        EXPECT_EQ(rod["spacing"], 0.1);                             // of the grid
        EXPECT_NEAR(rod["frame"].get<double>(), 1.0 / 24, 1e-12);
        EXPECT_GT(rod["elastic_iterations"].get<double>(), 0);
        EXPECT_GT(rod["products"].get<double>(), rod["elastic_iterations"].get<double>());
        EXPECT_GT(rod["seconds_a_frame"].get<double>(), 0);
    }
    EXPECT_EQ(item["published"][0]["seconds_a_frame"], 58.4);
    EXPECT_EQ(item["published"][1]["moduli"], "1.8e+04, 8.2e+04 Pa");

    const std::string page = read_file(out / "index.html");
    for (const char* text : {"Table 2", "twisting-rods, rubber", "<td>58.4 s</td>", "<td>292 s</td>", "0.20M"})
        EXPECT_TRUE(has(page, text)) << text;
    EXPECT_FALSE(has(page, ">nan") || has(page, "inf "));
}

TEST(Reproduce, DrawsHowSolversConverge) {
    TemporaryFolder folder;
    fs::create_directories(folder / "scenes/fang2019");
    const fs::path out = folder / "out";
    nlohmann::json balls;
    for (const std::string name : {"elastic-balls", "roller"}) {
        std::string scene = read_file(scenes / ("fang2019/" + name + ".toml"));
        for (std::size_t at = 0; (at = scene.find("spacing  = 0.01", at)) != scene.npos; ++at)
            scene.replace(at, 15, "spacing  = 0.03");
        write_file(folder / ("scenes/fang2019/" + name + ".toml"), scene);
        const Finished run = run_program({"reproduce", "--quick", "--frames", "8", "fang2019/" + name, "-o",
                                          out.string(), "--scenes", (folder / "scenes").string()},
                                         folder);
        ASSERT_EQ(run.code, 0) << run.output;
        const auto items = nlohmann::json::parse(read_file(out / "results.json"))["items"];
        if (name == "elastic-balls") {
            balls = items[0]["courses"];
        } else {
            ASSERT_EQ(items.size(), 2u);
            EXPECT_EQ(items[0]["courses"], balls);  // read back from the folder
            EXPECT_EQ(items[1]["courses"].size(), 4u);
        }
    }
    ASSERT_EQ(balls.size(), 4u);
    for (const auto& one : balls) {
        EXPECT_GT(one["penalty"].get<double>(), 0);
        ASSERT_GT(one["course"].size(), 1u);
        EXPECT_LE(one["course"].back()[0].get<int>(), 10);
    }
    const auto last = [&](std::size_t k) { return balls[k]["course"].back()[1].get<double>(); };
    EXPECT_LT(last(0), 1);
    EXPECT_LT(last(0), last(3));  // weights by stiffness serve better than none
    const std::string page = read_file(out / "index.html");
    for (const char* text : {"stiffness, equilibrated (rho 0.5)", "weights of the constraints", "over-relaxation"})
        EXPECT_TRUE(has(page, text)) << text;
}

TEST(Reproduce, LeavesOutItemsOfAPaperThatHaveNoScene) {
    TemporaryFolder folder;
    fs::create_directories(folder / "scenes/mueller2011");
    write_file(folder / "scenes/mueller2011/octopus.toml",
               "simulation = { method = \"oriented\" }\n"
               "material = { jelly = { density = 1000, young = 1e4, poisson = 0.3 } }\n"
               "body = [ { shape = { sphere = 0.1 }, spacing = 0.05, material = \"jelly\" } ]\n");
    const fs::path out = folder / "out";
    const Finished run = run_program({"reproduce", "mueller2011", "--frames", "1", "--quick", "-o", out.string(),
                                      "--scenes", (folder / "scenes").string()},
                                     folder);
    ASSERT_EQ(run.code, 0) << run.output;
    EXPECT_TRUE(has(run.output, "mueller2011/two-trucks is left out: there is no ")) << run.output;
    const auto results = nlohmann::json::parse(read_file(out / "results.json"));
    ASSERT_EQ(results["items"].size(), 1u);
    EXPECT_EQ(results["items"][0]["name"], "octopus");

    const Finished none = run_program(
        {"reproduce", "mueller2011", "-o", (folder / "none").string(), "--scenes", (folder / "nowhere").string()},
        folder);
    EXPECT_EQ(none.code, 2) << none.output;
    EXPECT_TRUE(has(none.output, "holds no scene of mueller2011")) << none.output;
    EXPECT_FALSE(fs::exists(folder / "none"));
}

TEST(Reproduce, GoesOnBehindTheItemsThatAreDone) {
    TemporaryFolder folder;
    fs::create_directories(folder / "scenes/mueller2011");
    for (const std::string name : {"octopus", "rope"}) {
        write_file(folder / ("scenes/mueller2011/" + name + ".toml"),
                   "simulation = { method = \"oriented\" }\n"
                   "material = { jelly = { density = 1000, young = 1e4, poisson = 0.3 } }\n"
                   "body = [ { shape = { sphere = 0.1 }, spacing = 0.05, material = \"jelly\" } ]\n");
    }
    const std::string out = (folder / "out").string(), from = (folder / "scenes").string();
    const auto items = [&] { return nlohmann::json::parse(read_file(folder / "out/results.json"))["items"]; };
    const Finished first = run_program(
        {"reproduce", "mueller2011/octopus", "--frames", "1", "--quick", "-o", out, "--scenes", from}, folder);
    ASSERT_EQ(first.code, 0) << first.output;
    const auto octopus = items()[0];
    for (const char* frames : {"1", "2"}) {
        const Finished rest = run_program(
            {"reproduce", "mueller2011", "--resume", "--frames", frames, "--quick", "-o", out, "--scenes", from},
            folder);
        ASSERT_EQ(rest.code, 0) << rest.output;
        ASSERT_EQ(items().size(), 2u);
        const bool is_as_long = frames[0] == '1';  // two frames are another run than one
        for (const auto& item : items()) {
            EXPECT_TRUE(item["name"] != "octopus" || (item == octopus) == is_as_long) << frames;
        }
        EXPECT_EQ(has(rest.output, "octopus (1 of 2) is done"), is_as_long) << rest.output;
        EXPECT_FALSE(has(rest.output, "rope (2 of 2) is done")) << rest.output;
    }
}

TEST(Reproduce, HasScenesThatAreAllGood) {
    TemporaryFolder folder;
    int count = 0;
    for (const auto& entry : fs::directory_iterator(scenes / "zhou2013")) {
        const Finished check = run_program({"check", entry.path().string()}, folder);
        EXPECT_EQ(check.code, 0) << check.output;
        EXPECT_FALSE(has(check.output, "warning")) << check.output;
        ++count;
    }
    EXPECT_EQ(count, 12);
}

// The stability limit, which is what check prints over the safety of 0.9, is the paper's explicit step.
TEST(Reproduce, HasScenesAsStiffAsTheStepsOfTheTable) {
    TemporaryFolder folder;
    const std::pair<const char*, double> steps[] = {{"figure-3-creature-soft", 0.05},
                                                    {"figure-3-creature-medium", 0.05},
                                                    {"figure-3-creature-stiff", 0.02},
                                                    {"figure-5-cube", 0.1},
                                                    {"birds", 0.05}};  // ms
    for (const auto& [name, step] : steps) {
        const std::string scene = (scenes / "zhou2013" / (std::string(name) + ".toml")).string();
        const Finished check = run_program({"check", scene, "--set", "simulation.integrator=explicit"}, folder);
        const std::string mark = "time step ";
        ASSERT_TRUE(has(check.output, mark)) << check.output;
        const double own = std::stod(check.output.substr(check.output.find(mark) + mark.size()));
        EXPECT_NEAR(own / 0.9, step, 0.03 * step) << name;
    }
}

}  // namespace
}  // namespace pliant
