// Every scene in tests/scenes/bad is refused with the messages that its first lines say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "pliant/scene/scene_file.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> bad_scenes() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(PLIANT_SOURCE_DIR) / "tests/scenes/bad"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> expected_messages(const fs::path& file) {
    const std::string mark = "# expect: ";
    std::vector<std::string> expected;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line) && line.starts_with(mark);)
        expected.push_back(line.substr(mark.size()));
    return expected;
}

class BadScene : public testing::TestWithParam<fs::path> {};

TEST_P(BadScene, IsRefusedWithFileAndReason) {
    const auto expected = expected_messages(GetParam());
    ASSERT_FALSE(expected.empty());
    try {
        read_scene(GetParam());
        FAIL() << "was accepted";
    } catch (const SceneError& error) {
        const std::string message = error.what();
        for (const std::string& text : expected)
            EXPECT_NE(message.find(text), std::string::npos) << "expected: " << text << "\ngot: " << message;
        for (const std::string& line : error.lines()) EXPECT_TRUE(line.starts_with(GetParam().string())) << line;
    }
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
    std::string name = info.param.stem().string();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, BadScene, testing::ValuesIn(bad_scenes()), test_name);

TEST(BadScenes, AreAtLeastSixty) {
    EXPECT_GE(bad_scenes().size(), 60u);
}

}  // namespace
}  // namespace pliant
