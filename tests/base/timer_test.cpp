#include "pliant/base/timer.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace pliant {
namespace {

void sleep_at_least(double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(Stopwatch, CountsUpwards) {
    const Stopwatch watch;
    const double first = watch.seconds();
    sleep_at_least(0.002);
    EXPECT_GE(first, 0);
    EXPECT_GE(watch.seconds(), first + 0.002);
}

TEST(PhaseTimers, AddUpEachPhaseInTheOrderFirstSeen) {
    PhaseTimers timers;
    for (int step = 0; step < 2; ++step) {
        {
            const auto time = timers.phase("search");
            sleep_at_least(0.002);
        }
        const auto time = timers.phase("forces");
    }
    ASSERT_EQ(timers.seconds().size(), 2u);
    EXPECT_EQ(timers.seconds()[0].first, "search");
    EXPECT_EQ(timers.seconds()[1].first, "forces");
    EXPECT_GE(timers.seconds()[0].second, 0.004);
    EXPECT_GE(timers.seconds()[1].second, 0);
}

TEST(PhaseTimers, CountAPhaseWithinAPhaseForItselfAlone) {
    PhaseTimers timers;
    const Stopwatch watch;
    {
        const auto outer = timers.phase("solve");
        {
            const auto inner = timers.phase("preconditioner");
            sleep_at_least(0.02);
        }
        sleep_at_least(0.002);
    }
    const double all = watch.seconds();
    ASSERT_EQ(timers.seconds().size(), 2u);
    const double solve = timers.seconds()[0].second, inner = timers.seconds()[1].second;
    EXPECT_GE(inner, 0.02);
    EXPECT_GE(solve, 0.002);
    EXPECT_LE(solve + inner, all);
}

TEST(PhaseTimers, CountAPhaseThatIsLeftByAnException) {
    PhaseTimers timers;
    EXPECT_THROW(
        {
            const auto time = timers.phase("solve");
            sleep_at_least(0.001);
            throw std::runtime_error("diverged");
        },
        std::runtime_error);
    EXPECT_GE(timers.seconds().at(0).second, 0.001);
}

TEST(PhaseTimers, AResetKeepsTheNames) {
    PhaseTimers timers;
    {
        const auto time = timers.phase("search");
        sleep_at_least(0.001);
    }
    timers.reset();
    ASSERT_EQ(timers.seconds().size(), 1u);
    EXPECT_EQ(timers.seconds()[0].first, "search");
    EXPECT_EQ(timers.seconds()[0].second, 0);
}

}  // namespace
}  // namespace pliant
