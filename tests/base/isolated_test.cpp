#include "pliant/base/isolated.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "pliant/base/error.h"

namespace pliant {
namespace {

using Bytes = std::vector<std::byte>;

std::string problem_of(FunctionRef<Bytes()> work, const IsolationLimits& limits = {}) {
    try {
        run_isolated(work, limits);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Isolated, GivesBackWhatTheWorkReturns) {
    for (const std::size_t size : {0u, 1u, 65535u, 65536u, 3'000'001u}) {
        const Bytes result = run_isolated([&] {
            Bytes bytes(size);
            for (std::size_t i = 0; i < size; ++i) bytes[i] = std::byte(i * 7);
            return bytes;
        });
        ASSERT_EQ(result.size(), size);
        for (std::size_t i = 0; i < size; i += 997) ASSERT_EQ(result[i], std::byte(i * 7));
    }
}

TEST(Isolated, ChangesNothingHere) {
    int number = 1;
    run_isolated([&] {
        number = 2;
        return Bytes();
    });
    EXPECT_EQ(number, 1);
}

TEST(Isolated, PassesOnTheWordsOfAnException) {
    EXPECT_EQ(problem_of([]() -> Bytes { throw InputError("too many corners"); }), "too many corners");
    EXPECT_EQ(problem_of([]() -> Bytes { throw std::runtime_error("odd"); }), "odd");
    EXPECT_NE(problem_of([]() -> Bytes { throw std::bad_alloc(); }).find("memory"), std::string::npos);
}

TEST(Isolated, SurvivesACrash) {
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
        EXPECT_NE(problem_of([&]() -> Bytes {
                      std::raise(signal);
                      return {};
                  }).find("crashes its reader"),
                  std::string::npos);
    }
}

TEST(Isolated, EndsALoopWithoutEnd) {
    IsolationLimits limits;
    limits.seconds = 1;
    const auto spin = []() -> Bytes {
        volatile bool forever = true;
        while (forever) {
        }
        return {};
    };
    EXPECT_NE(problem_of(spin, limits).find("within 1 s"), std::string::npos);
}

TEST(Isolated, EndsWorkThatWaitsForever) {
    IsolationLimits limits;
    limits.seconds = 0;
    const auto wait = []() -> Bytes {
        pause();
        return {};
    };
    EXPECT_NE(problem_of(wait, limits).find("within 0 s"), std::string::npos);
}

}  // namespace
}  // namespace pliant
