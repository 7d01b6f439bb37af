#include "pliant/geometry/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

Rows by_brute_force(const std::vector<Vec3>& positions, Real radius) {
    Rows rows(positions.size());
    for (std::uint32_t i = 0; i < positions.size(); ++i) {
        for (std::uint32_t j = 0; j < positions.size(); ++j) {
            const Vec3 d = positions[i] - positions[j];
            const Real squared = std::fma(d.x(), d.x(), std::fma(d.y(), d.y(), d.z() * d.z()));
            if (i != j && squared <= radius * radius) rows[i].push_back(j);
        }
    }
    return rows;
}

Rows as_rows(const NeighbourLists& lists) {
    Rows rows(lists.size());
    for (std::size_t i = 0; i < lists.size(); ++i) rows[i].assign(lists[i].begin(), lists[i].end());
    return rows;
}

NeighbourLists find(const std::vector<Vec3>& positions, Real radius) {
    NeighbourLists lists;
    NeighbourSearch().find(positions, radius, lists);
    return lists;
}

std::vector<Vec3> random_points(std::size_t n, Real edge, unsigned seed, const Vec3& corner = Vec3::Zero()) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<Real> uniform(0, edge);
    std::vector<Vec3> points(n);
    for (Vec3& x : points) x = corner + Vec3(uniform(engine), uniform(engine), uniform(engine));
    return points;
}

std::vector<Vec3> lattice(int edge, Real spacing) {
    std::vector<Vec3> points;
    for (int z = 0; z < edge; ++z) {
        for (int y = 0; y < edge; ++y) {
            for (int x = 0; x < edge; ++x) points.push_back(spacing * Vec3(x, y, z));
        }
    }
    return points;
}

TEST(Neighbours, OfRandomPointsAreThoseOfBruteForce) {
    for (const Real radius : {0.01, 0.07, 0.2, 0.6, 3.0}) {
        const auto points = random_points(1500, 1, 7);
        EXPECT_EQ(as_rows(find(points, radius)), by_brute_force(points, radius)) << "radius " << radius;
    }
}

TEST(Neighbours, AroundTheOriginAndFarFromItAreThoseOfBruteForce) {
    for (const Real corner : {-0.5, -1e3, 1e6, -1e9}) {
        const auto points = random_points(1000, 1, 3, Vec3(corner, -corner, 2 * corner));
        EXPECT_EQ(as_rows(find(points, 0.2)), by_brute_force(points, 0.2)) << "corner " << corner;
    }
}

// Distances on a lattice are equal but for rounding, so that all neighbours at the edge of reach are close calls.
TEST(Neighbours, AtExactlyTheRadiusAreDecidedInDouble) {
    for (const Real spacing : {1.0, 0.1, 1.0 / 3}) {
        const auto points = lattice(9, spacing);
        for (const Real radius : {spacing, std::sqrt(2.0) * spacing, 2 * spacing, 3 * spacing}) {
            EXPECT_EQ(as_rows(find(points, radius)), by_brute_force(points, radius)) << spacing << " " << radius;
        }
    }
    EXPECT_EQ(find(lattice(3, 1), 1)[13].size(), 6u);  // the middle of 27: the radius itself counts
}

TEST(Neighbours, OneUlpBeyondTheRadiusAreNone) {
    const Real radius = 0.3;
    const std::vector<Vec3> at = {Vec3::Zero(), Vec3(radius, 0, 0)};
    const std::vector<Vec3> beyond = {Vec3::Zero(), Vec3(std::nextafter(radius, 1), 0, 0)};
    EXPECT_EQ(find(at, radius).indices.size(), 2u);
    EXPECT_EQ(find(beyond, radius).indices.size(), 0u);
}

TEST(Neighbours, OfClustersOfAllSizesAreThoseOfBruteForce) {
    std::vector<Vec3> points;
    for (int cluster = 0; cluster < 12; ++cluster) {
        const auto more = random_points(std::size_t(1) << cluster, 0.3, 20 + cluster, 10 * Vec3::Random());
        points.insert(points.end(), more.begin(), more.end());
    }
    std::shuffle(points.begin(), points.end(), std::mt19937(1));
    EXPECT_EQ(as_rows(find(points, 0.1)), by_brute_force(points, 0.1));
    EXPECT_EQ(as_rows(find(points, 0.5)), by_brute_force(points, 0.5));
}

TEST(Neighbours, OfCoincidentParticlesAreAllTheOthers) {
    const std::size_t n = 3000;
    const NeighbourLists lists = find(std::vector<Vec3>(n, Vec3(0.1, 0.2, 0.3)), 0.05);
    ASSERT_EQ(lists.indices.size(), n * (n - 1));
    for (std::size_t i = 0; i < n; i += 123) {
        ASSERT_EQ(lists[i].size(), n - 1);
        for (std::size_t k = 0; k < n - 1; ++k) ASSERT_EQ(lists[i][k], k < i ? k : k + 1);
    }
}

TEST(Neighbours, InAHugeDomainAreThoseOfBruteForce) {
    std::mt19937 engine(5);
    std::uniform_real_distribution<Real> exponent(-2, 12), uniform(-1, 1);
    for (const Real radius : {1.0, 1e-3, 1e30}) {
        std::vector<Vec3> points;
        while (points.size() < 1200) {
            const Real far = std::pow(10, exponent(engine)) * radius;
            const Vec3 x = far * Vec3(uniform(engine), uniform(engine), uniform(engine));
            points.push_back(x);
            points.push_back(x + radius * Vec3(uniform(engine), uniform(engine), uniform(engine)));
        }
        EXPECT_EQ(as_rows(find(points, radius)), by_brute_force(points, radius)) << "radius " << radius;
    }
}

TEST(Neighbours, OfNoneAndOfOneAreNone) {
    EXPECT_EQ(find({}, 1).size(), 0u);
    EXPECT_EQ(find({}, 1).offsets.size(), 1u);
    EXPECT_EQ(as_rows(find({Vec3(1, 2, 3)}, 1)), Rows(1));
}

TEST(Neighbours, AreAscendingAndMutual) {
    const auto points = random_points(20000, 1, 11);
    const NeighbourLists lists = find(points, 0.05);
    for (std::uint32_t i = 0; i < lists.size(); ++i) {
        ASSERT_TRUE(std::is_sorted(lists[i].begin(), lists[i].end(), std::less_equal<>())) << i;
        for (const std::uint32_t j : lists[i]) {
            ASSERT_TRUE(std::binary_search(lists[j].begin(), lists[j].end(), i)) << i << " " << j;
        }
    }
}

TEST(Neighbours, AreTheSameAtAnyNumberOfThreads) {
    auto points = random_points(50000, 1, 13);
    for (int k = 0; k < 3000; ++k) points[k] = Vec3(0.5, 0.5, 0.5 + 1e-6 * (k % 7));  // a crowd
    Rows reference;
    for (const int count : {1, 2, 4}) {
        NeighbourLists lists;
        Threads(count).run([&] { NeighbourSearch().find(points, 0.03, lists); });
        if (count == 1) reference = as_rows(lists);
        EXPECT_EQ(as_rows(lists), reference) << count << " threads";
    }
}

TEST(Neighbours, OfASearchThatIsUsedAgainAreThoseOfANewOne) {
    NeighbourSearch search;
    NeighbourLists lists;
    for (const std::size_t n : {5000, 100, 0, 7000, 3000}) {
        for (const Real edge : {1.0, 1e7, 1e11}) {
            const auto points = random_points(n, edge, 17);
            search.find(points, 0.1, lists);
            EXPECT_EQ(as_rows(lists), as_rows(find(points, 0.1))) << n << " " << edge;
        }
    }
}

TEST(Neighbours, TakeNoNewMemoryWhenTheSameSearchIsRepeated) {
    NeighbourSearch search;
    NeighbourLists lists;
    const auto points = random_points(20000, 1, 19);
    search.find(points, 0.05, lists);
    const std::size_t memory = search.memory();
    const auto* const indices = lists.indices.data();
    const auto* const offsets = lists.offsets.data();
    search.find(points, 0.05, lists);
    EXPECT_EQ(search.memory(), memory);
    EXPECT_EQ(lists.indices.data(), indices);
    EXPECT_EQ(lists.offsets.data(), offsets);
}

TEST(Neighbours, TakeAtMostAFifthMoreMemoryThanTheirInformation) {
    const NeighbourLists lists = find(random_points(50000, 1, 23), 0.06);
    const std::size_t information = 4 * lists.indices.size() + 4 * lists.size();
    EXPECT_GT(lists.indices.size() / lists.size(), 20u);
    EXPECT_LE(lists.memory(), 1.2 * information);
}

std::string message_of(const std::vector<Vec3>& points, Real radius) {
    try {
        find(points, radius);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Neighbours, OfPositionsThatAreNotFiniteAreAnErrorThatNamesTheFirst) {
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
        for (int axis = 0; axis < 3; ++axis) {
            auto points = random_points(30000, 1, 29);
            points[29000][axis] = points[12345][axis] = bad;
            EXPECT_THROW(find(points, 0.1), SimulationError);
            EXPECT_NE(message_of(points, 0.1).find("particle 12345 "), std::string::npos);
            EXPECT_NE(message_of(points, 0.1).find("must be finite"), std::string::npos);
        }
    }
}

TEST(Neighbours, FartherThanTheReachOfCellsAreAnErrorThatNamesTheParticle) {
    EXPECT_EQ(find({Vec3(1e11, 0, 0), Vec3(1e11, -1e11, 0)}, 0.1).indices.size(), 0u);
    const std::vector<Vec3> flung = {Vec3::Zero(), Vec3(0, 1e13, 0)};
    EXPECT_THROW(find(flung, 0.1), SimulationError);
    EXPECT_NE(message_of(flung, 0.1).find("particle 1 "), std::string::npos);
    EXPECT_THROW(find({Vec3(1e308, 0, 0)}, 1e-100), SimulationError);
}

TEST(Neighbours, WithinNoRadiusAreAnError) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (const Real radius : {0.0, -1.0, nan, std::numeric_limits<Real>::infinity(), 1e-200, 1e200}) {
        EXPECT_THROW(find({Vec3::Zero()}, radius), InputError) << radius;
    }
}

// 5 million particles at one place have 2.5e13 neighbours: told at once, not after hours.
TEST(Neighbours, OfACollapsedBodyAreRefused) {
    const std::vector<Vec3> heap(5'000'000, Vec3::Zero());
    EXPECT_THROW(find(heap, 0.1), SimulationError);
    NeighbourSearch modest;
    NeighbourLists lists;
    modest.most_neighbours = 100;
    EXPECT_THROW(modest.find(lattice(5, 1), 1.5, lists), SimulationError);
}

}  // namespace
}  // namespace pliant
