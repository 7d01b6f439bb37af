#include "pliant/output/axis_ticks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

TEST(AxisTicks, AreRoundNumbers) {
    const AxisTicks ticks = axis_ticks(0, 1, 5);
    EXPECT_EQ(ticks.labels, (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
    EXPECT_EQ(axis_ticks(-13, 27, 4).labels, (std::vector<std::string>{"-10", "0", "10", "20"}));
}

TEST(AxisTicks, LieWithinTheAxisAndRise) {
    for (const double low : {-7.3e5, -1.0, 0.0, 1e-7, 0.3, 12345.6}) {
        for (const double span : {1e-9, 1e-3, 1.0, 77.0, 3e8}) {
            const AxisTicks ticks = axis_ticks(low, low + span, 5);
            ASSERT_FALSE(ticks.values.empty()) << low << " " << span;
            EXPECT_LE(ticks.values.size(), 12u);
            EXPECT_EQ(ticks.values.size(), ticks.labels.size());
            EXPECT_GE(ticks.values.front(), low);
            EXPECT_LE(ticks.values.back(), low + span);
            for (std::size_t i = 1; i < ticks.values.size(); ++i) EXPECT_GT(ticks.values[i], ticks.values[i - 1]);
        }
    }
}

TEST(AxisTicks, TakeOutPowersOfTenFromLargeAndSmallNumbers) {
    EXPECT_EQ(axis_ticks(0, 2.5e6, 5).exponent, 6);
    EXPECT_EQ(axis_ticks(0, 2.5e6, 5).labels[1], "0.5");
    EXPECT_EQ(axis_ticks(0, 3e-3, 3).exponent, -3);
    EXPECT_EQ(axis_ticks(0, 9000, 3).exponent, 0);
}

TEST(AxisTicks, AreDefinedForAxesWithoutLengthOrSense) {
    EXPECT_EQ(axis_ticks(3, 3, 5).labels, std::vector<std::string>{"3"});
    EXPECT_EQ(axis_ticks(0, 0, 5).labels, std::vector<std::string>{"0"});
    EXPECT_TRUE(axis_ticks(NAN, 1, 5).values.empty());
    EXPECT_TRUE(axis_ticks(0, INFINITY, 5).values.empty());
    EXPECT_TRUE(axis_ticks(1, 0, 5).values.empty());
}

TEST(AxisTitles, SayTheUnitWithItsPowerOfTen) {
    EXPECT_EQ(axis_title("stress", "Pa", 3), "stress [kPa]");
    EXPECT_EQ(axis_title("stress", "Pa", 0), "stress [Pa]");
    EXPECT_EQ(axis_title("density", "kg/m^3", 3), "density [10^3 kg/m^3]");
    EXPECT_EQ(axis_title("time", "s", -3), "time [ms]");
    EXPECT_EQ(axis_title("time", "s", 3), "time [10^3 s]");
    EXPECT_EQ(axis_title("strain", "", 0), "strain");
    EXPECT_EQ(axis_title("strain", "", -6), "strain [10^-6]");
}

}  // namespace
}  // namespace pliant
