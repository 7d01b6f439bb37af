#include "pliant/base/log.h"

#include <gtest/gtest.h>

#include <vector>

namespace pliant {
namespace {

struct Entry {
    LogLevel level;
    std::string message;
    bool operator==(const Entry&) const = default;
};

std::string all_levels_on_terminal(LogLevel lowest) {
    ::testing::internal::CaptureStderr();
    const Log log = Log::to_terminal(lowest);
    log.debug("some {}", "detail");
    log.info("frame {} of {}", 3, 60);
    log.warning("thin");
    log.error("gone {{}}");
    return ::testing::internal::GetCapturedStderr();
}

TEST(Log, HandsLevelAndFormattedMessageToItsSink) {
    std::vector<Entry> entries;
    const Log log([&](LogLevel level, std::string_view message) { entries.push_back({level, std::string(message)}); });
    log.debug("a {}", 1);
    log.info("b {:.2f}", 0.5);
    log.warning("c {}", "text");
    log.error("d");
    const std::vector<Entry> expected = {
        {LogLevel::debug, "a 1"}, {LogLevel::info, "b 0.50"}, {LogLevel::warning, "c text"}, {LogLevel::error, "d"}};
    EXPECT_EQ(entries, expected);
}

TEST(Log, IsSilentWithoutASink) {
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    Log().error("nobody {}", "hears");
    EXPECT_EQ(::testing::internal::GetCapturedStderr() + ::testing::internal::GetCapturedStdout(), "");
}

TEST(Log, TerminalLinesNameTheLevelUnlessItIsPlainInformation) {
    EXPECT_EQ(all_levels_on_terminal(LogLevel::debug),
              "debug: some detail\nframe 3 of 60\nwarning: thin\nerror: gone {}\n");
}

TEST(Log, TerminalLeavesOutLevelsBelowTheLowest) {
    EXPECT_EQ(all_levels_on_terminal(LogLevel::info), "frame 3 of 60\nwarning: thin\nerror: gone {}\n");
    EXPECT_EQ(all_levels_on_terminal(LogLevel::warning), "warning: thin\nerror: gone {}\n");
    EXPECT_EQ(all_levels_on_terminal(LogLevel::error), "error: gone {}\n");
}

TEST(Log, MessagesFromOutsideAreNotTakenForFormats) {
    ::testing::internal::CaptureStderr();
    Log::to_terminal().info("{}", "100 % of {} and %v");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "100 % of {} and %v\n");
}

}  // namespace
}  // namespace pliant
