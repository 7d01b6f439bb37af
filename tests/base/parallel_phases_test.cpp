#include "pliant/base/parallel_phases.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace pliant {
namespace {

constexpr int thread_counts[] = {1, 2, 4, 7};

TEST(ParallelPhases, VisitEachIndexOnce) {
    const std::array<std::size_t, 5> bounds = {3, 3, 10, 11, 400};
    for (const int count : thread_counts) {
        std::vector<std::atomic<int>> visits(500);
        Threads(count).run([&] { parallel_phases(bounds, [&](std::size_t i) { ++visits[i]; }); });
        for (std::size_t i = 0; i < visits.size(); ++i) ASSERT_EQ(visits[i], i >= 3 && i < 400) << i;
    }
}

TEST(ParallelPhases, BeginWhenTheOneBeforeHasEnded) {
    const std::array<std::size_t, 9> bounds = {0, 1, 5, 5, 40, 42, 100, 101, 130};
    for (const int count : thread_counts) {
        for (int run = 0; run < 50; ++run) {
            std::vector<std::atomic<int>> ended(130);
            std::atomic<int> early = 0;
            Threads(count).run([&] {
                parallel_phases(bounds, [&](std::size_t i) {
                    std::size_t phase = 0;
                    while (bounds[phase + 1] <= i) ++phase;
                    for (std::size_t k = 0; k < bounds[phase]; ++k) early += ended[k] == 0;
                    ended[i] = 1;
                });
            });
            ASSERT_EQ(early, 0) << count << " threads";
        }
    }
}

TEST(ParallelPhases, NothingRunsInEmptyOnes) {
    const std::array<std::size_t, 3> bounds = {7, 7, 7};
    parallel_phases(bounds, [](std::size_t) { FAIL(); });
}

TEST(ParallelPhases, TheLowestExceptionComesOut) {
    const std::array<std::size_t, 3> bounds = {0, 50, 100};
    for (const int count : thread_counts) {
        std::string what;
        try {
            Threads(count).run([&] {
                parallel_phases(bounds, [&](std::size_t i) {
                    if (i == 20 || i == 30 || i == 70) throw std::runtime_error(std::to_string(i));
                });
            });
        } catch (const std::runtime_error& error) {
            what = error.what();
        }
        EXPECT_EQ(what, "20") << count << " threads";
    }
}

}  // namespace
}  // namespace pliant
