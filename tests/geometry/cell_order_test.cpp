#include "pliant/geometry/cell_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

std::vector<Vec3> random_points(std::size_t n, Real edge) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<Real> uniform(-edge, edge);
    std::vector<Vec3> points(n);
    for (Vec3& x : points) x = Vec3(uniform(engine), uniform(engine), uniform(engine));
    return points;
}

std::vector<Vec3> in_order(const std::vector<Vec3>& points, const std::vector<std::uint32_t>& order) {
    std::vector<Vec3> result;
    for (const std::uint32_t i : order) result.push_back(points[i]);
    return result;
}

TEST(CellOrder, IsAPermutationAlsoInAHugeDomain) {
    for (const Real edge : {1e-3, 1.0, 1e5, 1e11}) {
        auto order = cell_order(random_points(5000, edge), 0.1);
        std::sort(order.begin(), order.end());
        for (std::uint32_t k = 0; k < order.size(); ++k) ASSERT_EQ(order[k], k) << edge;
    }
}

TEST(CellOrder, FollowsTheMortonCurve) {
    // Cells (x, y, z) of two per axis: the curve runs along x first, then y, then z.
    std::vector<Vec3> points;
    for (int k = 7; k >= 0; --k) points.push_back(Vec3(k % 2 + 0.5, k / 2 % 2 + 0.5, k / 4 + 0.5));
    EXPECT_EQ(cell_order(points, 1), (std::vector<std::uint32_t>{7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST(CellOrder, OfOrderedParticlesChangesNothing) {
    for (const Real edge : {1.0, 1e9}) {
        const auto points = random_points(20000, edge);
        const auto ordered = in_order(points, cell_order(points, 0.1));
        std::vector<std::uint32_t> identity(points.size());
        std::iota(identity.begin(), identity.end(), 0u);
        EXPECT_EQ(cell_order(ordered, 0.1), identity);
    }
}

TEST(CellOrder, KeepsTheOrderWithinACell) {
    const auto points = random_points(1000, 0.1);
    const auto order = cell_order(points, 100);  // eight cells that meet at the origin
    for (std::size_t k = 1; k < order.size(); ++k) {
        const bool is_same_cell = ((points[order[k]].array() < 0) == (points[order[k - 1]].array() < 0)).all();
        EXPECT_TRUE(!is_same_cell || order[k - 1] < order[k]) << k;
    }
}

TEST(CellOrder, BringsNeighboursTogetherInMemory) {
    const auto points = random_points(100000, 1);
    const auto mean_step = [](const std::vector<Vec3>& path) {
        Real length = 0;
        for (std::size_t k = 1; k < path.size(); ++k) length += (path[k] - path[k - 1]).norm();
        return length / Real(path.size() - 1);
    };
    EXPECT_LT(mean_step(in_order(points, cell_order(points, 0.05))), 0.1 * mean_step(points));
}

TEST(CellOrder, IsTheSameAtAnyNumberOfThreads) {
    const auto points = random_points(100000, 1);
    std::vector<std::uint32_t> reference;
    for (const int count : {1, 2, 4}) {
        Threads(count).run([&] {
            const auto order = cell_order(points, 0.01);
            if (count == 1) reference = order;
            EXPECT_EQ(order, reference);
        });
    }
}

TEST(CellOrder, OfNoneIsEmptyAndOfWhatIsNotFiniteAnError) {
    EXPECT_TRUE(cell_order({}, 1).empty());
    EXPECT_THROW(cell_order(std::vector<Vec3>{Vec3(0, 0, std::numeric_limits<Real>::quiet_NaN())}, 1), SimulationError);
    EXPECT_THROW(cell_order(std::vector<Vec3>{Vec3::Zero()}, 0), InputError);
}

}  // namespace
}  // namespace pliant
