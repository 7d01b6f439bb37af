#include "pliant/methods/sph/search_watch.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/geometry/neighbours.h"

namespace pliant {
namespace {

std::vector<Vec3> cloud(std::size_t count) {
    std::mt19937 random(1);
    std::uniform_real_distribution<Real> place(0, 1);
    std::vector<Vec3> points(count);
    for (Vec3& x : points) x = Vec3(place(random), place(random), place(random));
    return points;
}

constexpr Real radius = 0.1, margin = 0.01, reach = 0.08;

TEST(SearchWatch, WhatMovesTogetherIsNotSearchedAnew) {
    std::vector<Vec3> points = cloud(500);
    SearchWatch watch;
    watch.begin(points, radius, margin, reach);
    for (Vec3& x : points) x += Vec3(3, -2, 1);
    EXPECT_TRUE(watch.serves(points, {}, {}));
    for (Vec3& x : points) x.y() += 0.02 * x.x();  // bent a little, more than the margin from end to end
    EXPECT_TRUE(watch.serves(points, {}, {}));
}

TEST(SearchWatch, SeesWhatCameNear) {
    std::vector<Vec3> points = cloud(500);
    SearchWatch watch;
    watch.begin(points, radius, margin, reach);
    points[7].z() += 1.1 * margin;
    EXPECT_FALSE(watch.serves(points, {}, {}));
    points[7].z() = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(watch.serves(points, {}, {}));
}

TEST(SearchWatch, WhatWasNotThereMayNotComeFromAfar) {
    const std::vector<Vec3> points = cloud(500);
    SearchWatch watch;
    watch.begin(points, radius, margin, reach);
    EXPECT_TRUE(watch.serves(points, {}, Box(Vec3(0.05, 0, 0))));
    EXPECT_FALSE(watch.serves(points, {}, Box(Vec3(0.1, 0, 0))));
}

// As long as a search serves, it has found all pairs that there are.
TEST(SearchWatch, NoPairIsMissed) {
    const std::vector<Vec3> start = cloud(2000);
    std::mt19937 random(2);
    std::uniform_real_distribution<Real> number(-1, 1);
    NeighbourSearch search;
    NeighbourLists found, true_ones;
    int served = 0;
    for (int run = 0; run < 40; ++run) {
        std::vector<Vec3> points = start;
        SearchWatch watch;
        watch.begin(points, radius, margin, reach);
        search.find(points, radius + margin, found);
        Mat3 strain;
        for (int k = 0; k < 9; ++k) strain(k / 3, k % 3) = 0.002 * number(random);
        for (int step = 0; step < 50; ++step) {
            for (std::size_t i = 0; i < points.size(); ++i) {
                points[i] += strain * (start[i] - Vec3::Constant(0.5));
                points[i] += 2e-4 * Vec3(number(random), number(random), number(random));
            }
            const std::span<const Vec3> all = points;
            if (!watch.serves(all.first(1500), all.subspan(1500), {})) break;
            ++served;
            search.find(points, radius, true_ones);
            for (std::size_t i = 0; i < points.size(); ++i) {
                for (const std::uint32_t j : true_ones[i])
                    ASSERT_TRUE(std::ranges::binary_search(found[i], j)) << i << ' ' << j;
            }
        }
    }
    EXPECT_GT(served, 40);
}

}  // namespace
}  // namespace pliant
