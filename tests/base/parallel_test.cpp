#include "pliant/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

namespace pliant {
namespace {

constexpr int thread_counts[] = {1, 2, 4, 7};

// Sizes around the bounds of blocks of 512, where a loop would lose or repeat an index.
constexpr std::size_t sizes[] = {0, 1, 2, 511, 512, 513, 1023, 1024, 1025, 100'003};

// Numbers of many magnitudes and both signs: their sum depends on the order of the additions.
std::vector<double> awkward_numbers(std::size_t count) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    std::vector<double> numbers(count);
    for (double& x : numbers) x = normal(random) * std::pow(10.0, 6 * normal(random));
    return numbers;
}

// Gives up after a minute, so that a test fails rather than hangs.
void wait_until(FunctionRef<bool()> is_so) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!is_so() && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
}

std::uint64_t bits(double x) {
    return std::bit_cast<std::uint64_t>(x);
}

TEST(Parallel, ForVisitsEachIndexOnce) {
    for (const int count : thread_counts) {
        Threads threads(count);
        for (const std::size_t n : sizes) {
            std::vector<std::atomic<int>> visits(n);
            threads.run([&] { parallel_for(n, [&](std::size_t i) { ++visits[i]; }); });
            for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(visits[i], 1) << "index " << i << " of " << n;
        }
    }
}

TEST(Parallel, ForTakesBlocksOfAnySize) {
    for (const std::size_t block : {1u, 3u, 64u, 1000u, 5000u}) {
        std::vector<std::atomic<int>> visits(1000);
        parallel_for(
            visits.size(), [&](std::size_t i) { ++visits[i]; }, block);
        for (const auto& count : visits) ASSERT_EQ(count, 1) << "block " << block;
    }
}

TEST(Parallel, BlocksBeginAtMultiplesAndCoverTheRange) {
    std::mutex mutex;
    std::set<std::pair<std::size_t, std::size_t>> blocks;
    parallel_blocks(1000, 300, [&](std::size_t begin, std::size_t end) {
        const std::lock_guard lock(mutex);
        blocks.emplace(begin, end);
    });
    const std::set<std::pair<std::size_t, std::size_t>> expected = {{0, 300}, {300, 600}, {600, 900}, {900, 1000}};
    EXPECT_EQ(blocks, expected);
}

TEST(Parallel, NothingRunsOverAnEmptyRange) {
    bool ran = false;
    parallel_blocks(0, 8, [&](std::size_t, std::size_t) { ran = true; });
    EXPECT_FALSE(ran);
    EXPECT_EQ(parallel_sum(0, 42.0, [](std::size_t) { return 1.0; }), 42.0);
}

TEST(Parallel, SumsHaveTheSameBitsAtAnyThreadCount) {
    std::map<std::size_t, std::set<std::uint64_t>> results;
    for (const int count : thread_counts) {
        Threads threads(count);
        for (const std::size_t n : sizes) {
            const std::vector<double> numbers = awkward_numbers(n);
            const auto sum = [&] { return parallel_sum(n, 0.0, [&](std::size_t i) { return numbers[i]; }); };
            for (int repetition = 0; repetition < 3; ++repetition) threads.run([&] { results[n].insert(bits(sum())); });
        }
    }
    for (const auto& [n, different] : results) EXPECT_EQ(different.size(), 1u) << n << " numbers";
}

TEST(Parallel, TheOrderOfAdditionsWouldShowInTheBits) {
    const std::vector<double> numbers = awkward_numbers(100'003);
    double forwards = 0, backwards = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) forwards += numbers[i];
    for (std::size_t i = numbers.size(); i-- > 0;) backwards += numbers[i];
    EXPECT_NE(bits(forwards), bits(backwards));
}

TEST(Parallel, ASumIsTheSumOfItsBlocks) {
    const std::vector<double> numbers = awkward_numbers(1300);
    double expected = 0;
    for (std::size_t begin = 0; begin < numbers.size(); begin += default_block) {
        double block = 0;
        for (std::size_t i = begin; i < std::min(numbers.size(), begin + default_block); ++i) block += numbers[i];
        expected += block;
    }
    EXPECT_EQ(bits(parallel_sum(numbers.size(), 0.0, [&](std::size_t i) { return numbers[i]; })), bits(expected));
}

TEST(Parallel, ReducesInAscendingOrderEvenWhenOrderMatters) {
    const auto join = [](const std::string& a, const std::string& b) { return a + b; };
    std::string expected;
    for (int i = 0; i < 2000; ++i) expected += std::to_string(i);
    for (const int threads : thread_counts) {
        std::string joined;
        Threads(threads).run([&] {
            joined = parallel_reduce(
                2000, std::string(), [](std::size_t i) { return std::to_string(i); }, join, 37);
        });
        EXPECT_EQ(joined, expected);
    }
}

TEST(Parallel, ReducesTruthValues) {
    const auto either = [](bool a, bool b) { return a || b; };
    for (std::size_t i = 0; i < 5000; i += 499) {
        EXPECT_TRUE(parallel_reduce(
            5000, false, [&](std::size_t k) { return k == i; }, either, 8));
    }
    EXPECT_FALSE(parallel_reduce(
        5000, false, [](std::size_t) { return false; }, either, 8));
}

TEST(Parallel, MaxFindsTheLargestWhereverItStands) {
    for (const std::size_t place : {0u, 511u, 512u, 4999u}) {
        EXPECT_EQ(parallel_max(5000, 0.0, [&](std::size_t i) { return i == place ? 7.0 : 1.0; }), 7.0);
    }
    EXPECT_EQ(parallel_max(5000, 3.0, [](std::size_t) { return 1.0; }), 3.0);
    EXPECT_EQ(parallel_max(0, -1.0, [](std::size_t) { return 1.0; }), -1.0);
}

TEST(Parallel, MaxPassesOverValuesThatAreNotANumber) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(parallel_max(5000, 0.0, [&](std::size_t i) { return i % 3 ? nan : double(i); }), 4998.0);
}

TEST(Parallel, AnExceptionComesOutOfTheLoop) {
    for (const int threads : thread_counts) {
        EXPECT_THROW(Threads(threads).run([] {
            parallel_for(100'000, [](std::size_t i) {
                if (i == 77'777) throw std::out_of_range("here");
            });
        }),
                     std::out_of_range);
    }
}

TEST(Parallel, OfManyExceptionsTheLowestComesOutAtAnyThreadCount) {
    for (const int count : thread_counts) {
        Threads threads(count);
        for (int repetition = 0; repetition < 3; ++repetition) {
            std::atomic<bool> another_failed = count == 1;
            const auto fail = [&](std::size_t i) {
                if (i < 1234) return;
                if (i == 1234) wait_until([&] { return another_failed.load(); });
                another_failed = true;
                throw std::runtime_error(std::to_string(i));
            };
            std::string message;
            try {
                threads.run([&] { parallel_for(10'000, fail, 10); });
            } catch (const std::runtime_error& error) {
                message = error.what();
            }
            ASSERT_EQ(message, "1234") << count << " threads";
        }
    }
}

TEST(Parallel, LoopsMayStandInsideLoops) {
    std::vector<double> sums(64);
    parallel_for(
        sums.size(),
        [&](std::size_t i) { sums[i] = parallel_sum(3000, 0.0, [&](std::size_t k) { return double(i * k); }); }, 1);
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], double(i) * 2999 * 3000 / 2);
}

TEST(Threads, KnowTheirNumber) {
    for (const int count : thread_counts) EXPECT_EQ(Threads(count).count(), count);
    EXPECT_GE(Threads().count(), 1);
    EXPECT_EQ(Threads(0).count(), Threads(-3).count());
}

TEST(Threads, MayBeMoreThanTheMachineHas) {
    // Every block waits for the others, which succeeds only when as many threads work as were asked for.
    constexpr int team = 7;
    std::atomic<int> present = 0, alone = 0;
    Threads(team).run([&] {
        parallel_for(
            team,
            [&](std::size_t) {
                ++present;
                wait_until([&] { return present == team; });
                alone += present < team;
            },
            1);
    });
    EXPECT_EQ(alone, 0);
}

TEST(Threads, NeverExceedTheirNumber) {
    for (const int team : {1, 2, 3}) {
        std::atomic<int> at_work = 0, most = 0;
        Threads(team).run([&] {
            parallel_for(
                200,
                [&](std::size_t) {
                    const int now = ++at_work;
                    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                    }
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
                    --at_work;
                },
                1);
        });
        EXPECT_LE(most, team);
    }
}

TEST(Threads, TwoTeamsWorkSideBySide) {
    const std::vector<double> numbers = awkward_numbers(50'000);
    const auto sum = [&] { return parallel_sum(numbers.size(), 0.0, [&](std::size_t i) { return numbers[i]; }); };
    const double expected = sum();
    const auto work = [&](int count, int& wrong) {
        Threads team(count);
        for (int k = 0; k < 50; ++k) team.run([&] { wrong += bits(sum()) != bits(expected); });
    };
    int wrong_first = 0, wrong_second = 0;
    std::thread first([&] { work(2, wrong_first); });
    std::thread second([&] { work(5, wrong_second); });
    first.join();
    second.join();
    EXPECT_EQ(wrong_first, 0);
    EXPECT_EQ(wrong_second, 0);
}

TEST(Threads, ATeamMayBeMovedAndCalledFromWithinAnother) {
    Threads outer(2), inner(1);
    Threads moved = std::move(inner);
    double sum = 0;
    outer.run([&] { moved.run([&] { sum = parallel_sum(2000, 0.0, [](std::size_t i) { return double(i); }); }); });
    EXPECT_EQ(moved.count(), 1);
    EXPECT_EQ(sum, 1999.0 * 2000 / 2);
}

TEST(FunctionRef, CallsWhatItRefersTo) {
    int calls = 0;
    const auto count = [&](int by) { return calls += by; };
    const FunctionRef<int(int)> reference = count;
    const FunctionRef<int(int)> copy = reference;
    EXPECT_EQ(reference(2), 2);
    EXPECT_EQ(copy(3), 5);
    EXPECT_EQ(calls, 5);
}

TEST(FunctionRef, ChangesTheOriginalAndNotACopy) {
    auto counter = [n = 0]() mutable { return ++n; };
    const FunctionRef<int()> reference = counter;
    reference();
    reference();
    EXPECT_EQ(counter(), 3);
}

TEST(FunctionRef, PassesReferencesAndThingsThatOnlyMove) {
    int changed = 0;
    const auto set = [](int& x) { x = 9; };
    const FunctionRef<void(int&)> reference = set;
    reference(changed);
    EXPECT_EQ(changed, 9);
    const auto take = [](std::unique_ptr<int> p) { return *p; };
    EXPECT_EQ(FunctionRef<int(std::unique_ptr<int>)>(take)(std::make_unique<int>(4)), 4);
}

TEST(FunctionRef, TakesOnlyWhatCanBeCalled) {
    EXPECT_FALSE((std::is_constructible_v<FunctionRef<void(int)>, std::string>));
    EXPECT_FALSE((std::is_constructible_v<FunctionRef<int()>, void (*)()>));
    EXPECT_TRUE((std::is_constructible_v<FunctionRef<int(int)>, int (*)(int)>));
}

}  // namespace
}  // namespace pliant
