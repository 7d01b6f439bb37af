#include "pliant/linear/block_cholesky.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

struct System {
    BlockPattern pattern;
    std::vector<Mat3> blocks;
    std::vector<Vec3> places;
    Eigen::MatrixXd dense;
};

// A grid of a x b x c block rows, each coupled with those next to it (corners too) and a few with far ones; definite.
System grid_system(int a, int b, int c, int far_couplings) {
    System s;
    std::mt19937 random(11);
    std::normal_distribution<Real> normal;
    const auto n = std::uint32_t(a * b * c);
    for (int i = 0; i < int(n); ++i) s.places.emplace_back(i % a, i / a % b, i / (a * b));
    std::vector<std::vector<std::uint32_t>> rows(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t j = i; j < n; ++j) {
            if ((s.places[i] - s.places[j]).cwiseAbs().maxCoeff() <= 1) rows[i].push_back(j);
        }
    }
    for (int k = 0; k < far_couplings; ++k) {
        const auto [i, j] = std::minmax({std::uint32_t(random() % n), std::uint32_t(random() % n)});
        if (std::find(rows[i].begin(), rows[i].end(), j) == rows[i].end()) rows[i].push_back(j);
    }
    s.dense.setZero(3 * n, 3 * n);
    s.pattern.begin.push_back(0);
    for (std::uint32_t i = 0; i < n; ++i) {
        std::sort(rows[i].begin(), rows[i].end());
        for (const std::uint32_t j : rows[i]) {
            Mat3 block;
            for (int e = 0; e < 9; ++e) block.data()[e] = normal(random);
            if (i == j) block = Mat3(block * block.transpose()) + 200 * Mat3::Identity();
            s.pattern.row.push_back(j);
            s.blocks.push_back(block);
            s.dense.block<3, 3>(3 * j, 3 * i) = block;
            s.dense.block<3, 3>(3 * i, 3 * j) = block.transpose();
        }
        s.pattern.begin.push_back(std::uint32_t(s.pattern.row.size()));
    }
    return s;
}

Real error_of(const System& s, BlockCholesky& cholesky) {
    const std::size_t n = s.places.size();
    Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(Eigen::Index(3 * n), -1, 2);
    const Eigen::VectorXd b = s.dense * x;
    std::vector<Vec3> right(n), result(n);
    for (std::size_t i = 0; i < n; ++i) right[i] = b.segment<3>(Eigen::Index(3 * i));
    cholesky.solve(right, result);
    Real worst = 0;
    for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, (result[i] - x.segment<3>(Eigen::Index(3 * i))).norm());
    return worst;
}

class EveryGrid : public testing::TestWithParam<std::array<int, 4>> {};

TEST_P(EveryGrid, IsSolvedToSinglePrecision) {
    const auto [a, b, c, far] = GetParam();
    const System s = grid_system(a, b, c, far);
    BlockCholesky cholesky;
    cholesky.analyse(s.pattern, s.places);
    ASSERT_TRUE(cholesky.factor(s.blocks));
    EXPECT_LT(error_of(s, cholesky), 2e-5);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryGrid,
                         testing::Values(std::array{1, 1, 1, 0}, std::array{2, 1, 1, 0}, std::array{3, 3, 3, 0},
                                         std::array{40, 2, 1, 0}, std::array{7, 6, 5, 0}, std::array{7, 6, 5, 12},
                                         std::array{10, 10, 2, 3}));

// Numbers in place of blocks, each coupled with those up to two away: 16 bits leave an error of 1e-4 or so.
TEST_P(EveryGrid, IsSolvedForThreeRightHandSidesAtOnce) {
    const auto [a, b, c, far] = GetParam();
    const System s = grid_system(a, b, c, far);
    const auto n = Eigen::Index(s.places.size());
    std::vector<Real> numbers;
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
    for (std::uint32_t column = 0; column < n; ++column) {
        for (std::uint32_t k = s.pattern.begin[column]; k < s.pattern.begin[column + 1]; ++k) {
            numbers.push_back(s.blocks[k](0, 0) + (s.pattern.row[k] == column ? 0 : 1));
            dense(s.pattern.row[k], column) = dense(column, s.pattern.row[k]) = numbers.back();
        }
    }
    const Eigen::MatrixXd x = Eigen::MatrixXd::Random(n, 3), right = dense * x;
    std::vector<Vec3> sides(s.places.size()), result(s.places.size());
    for (Eigen::Index i = 0; i < n; ++i) sides[std::size_t(i)] = right.row(i);
    ScalarCholesky cholesky;
    cholesky.analyse(s.pattern, s.places);
    ASSERT_TRUE(cholesky.factor(numbers));
    cholesky.keep_factors_only();
    cholesky.solve(sides, result);
    for (Eigen::Index i = 0; i < n; ++i) {
        EXPECT_LT((result[std::size_t(i)] - Vec3(x.row(i))).norm(), 1e-3) << i;
    }
}

TEST(BlockCholesky, TakesNewNumbersForTheSamePattern) {
    System s = grid_system(5, 5, 5, 2);
    BlockCholesky cholesky;
    cholesky.analyse(s.pattern, s.places);
    ASSERT_TRUE(cholesky.factor(s.blocks));
    for (Mat3& block : s.blocks) block *= 3;
    s.dense *= 3;
    ASSERT_TRUE(cholesky.factor(s.blocks));
    EXPECT_LT(error_of(s, cholesky), 2e-5);
}

TEST(BlockCholesky, SaysWhenTheMatrixIsNotDefinite) {
    System s = grid_system(4, 4, 4, 0);
    BlockCholesky cholesky;
    cholesky.analyse(s.pattern, s.places);
    s.blocks[s.pattern.begin[30]] = -Mat3::Identity();
    EXPECT_FALSE(cholesky.factor(s.blocks));
    s.blocks[s.pattern.begin[30]] = 300 * Mat3::Identity();
    EXPECT_TRUE(cholesky.factor(s.blocks));
}

TEST(BlockCholesky, GivesTheSameBitsAtAnyNumberOfThreads) {
    const System s = grid_system(8, 8, 8, 5);
    std::vector<Vec3> right(s.places.size(), Vec3(1, 2, 3)), results[2];
    for (int run = 0; run < 2; ++run) {
        Threads(run == 0 ? 1 : 4).run([&] {
            BlockCholesky cholesky;
            cholesky.analyse(s.pattern, s.places);
            cholesky.factor(s.blocks);
            results[run].resize(right.size());
            cholesky.solve(right, results[run]);
        });
    }
    EXPECT_EQ(results[0], results[1]);
}

}  // namespace
}  // namespace pliant
