#include "pliant/output/report_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

std::vector<ReportPoint> wave(int n) {
    std::vector<ReportPoint> points;
    for (int i = 0; i < n; ++i) points.push_back({0.01 * i, std::sin(0.1 * i)});
    return points;
}

TEST(ThinnedSeries, AreLeftAloneWhenShort) {
    EXPECT_EQ(thinned(wave(100), 1000).size(), 100u);
}

TEST(ThinnedSeries, KeepPeaksAndOrder) {
    std::vector<ReportPoint> points = wave(100000);
    points[51234].y = 7;
    points[81234].y = -9;
    const std::vector<ReportPoint> few = thinned(points, 1000);
    EXPECT_LE(few.size(), 1000u);
    EXPECT_GT(few.size(), 500u);
    const auto [low, high] = std::minmax_element(few.begin(), few.end(), [](auto& a, auto& b) { return a.y < b.y; });
    EXPECT_EQ(high->y, 7);
    EXPECT_EQ(high->x, points[51234].x);
    EXPECT_EQ(low->y, -9);
    EXPECT_TRUE(std::is_sorted(few.begin(), few.end(), [](auto& a, auto& b) { return a.x < b.x; }));
}

TEST(ThinnedSeries, KeepGapsAndDropWhatHasNoPlace) {
    std::vector<ReportPoint> points = wave(10000);
    for (std::size_t i = 5000; i < 6000; ++i) points[i].y = i % 2 == 0 ? NAN : -INFINITY;
    points[10].x = NAN;
    points[11].x = INFINITY;
    points[12].y = 1e308;
    const std::vector<ReportPoint> few = thinned(points, 300);
    EXPECT_LE(few.size(), 300u);
    EXPECT_TRUE(std::any_of(few.begin(), few.end(), [](auto& p) { return std::isnan(p.y) && p.x >= 50 && p.x < 60; }));
    for (const ReportPoint& p : few) {
        EXPECT_TRUE(std::isfinite(p.x));
        EXPECT_TRUE(std::isnan(p.y) || std::abs(p.y) <= 1);
    }
}

TEST(StackedSeries, LieUponEachOther) {
    const std::vector<ReportSeries> layers = stacked({{"a", {{0, 1}, {1, 2}}}, {"b", {{0, 10}, {1, 20}}}}, 100);
    ASSERT_EQ(layers.size(), 2u);
    EXPECT_EQ(layers[0].points[1].y, 2);
    EXPECT_EQ(layers[1].points[0].y, 11);
    EXPECT_EQ(layers[1].points[1].y, 22);
}

TEST(StackedSeries, CountWhatIsMissingAsZero) {
    const std::vector<ReportSeries> layers =
        stacked({{"a", {{0, 1}, {1, NAN}, {2, 3}}}, {"b", {{1, 5}}}, {"c", {}}}, 100);
    EXPECT_EQ(layers[0].points[1].y, 0);
    EXPECT_EQ(layers[1].points[1].y, 5);
    EXPECT_EQ(layers[2].points[2].y, 3);
}

TEST(StackedSeries, AreMeansOfStretchesWhenLong) {
    std::vector<ReportPoint> points;
    for (int i = 0; i < 10000; ++i) points.push_back({double(i), i % 2 == 0 ? 0.0 : 2.0});
    const std::vector<ReportSeries> layers = stacked({{"a", points}}, 100);
    ASSERT_EQ(layers[0].points.size(), 100u);
    for (const ReportPoint& p : layers[0].points) EXPECT_EQ(p.y, 1);
}

}  // namespace
}  // namespace pliant
