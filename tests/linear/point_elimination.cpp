#include "pliant/linear/point_elimination.h"

#include <gtest/gtest.h>

#include <random>

namespace pliant {
namespace {

// A definite system of points on a line, each coupled with two on either side.
struct Line {
    explicit Line(std::uint32_t n) : dense(Eigen::MatrixXd::Zero(3 * n, 3 * n)), places(n), r(n) {
        std::mt19937 random(5);
        std::normal_distribution<Real> normal;
        Eigen::MatrixXd root = Eigen::MatrixXd::Zero(3 * n, 3 * n);
        for (std::uint32_t i = 0; i < n; ++i) {
            places[i] = Vec3(i, 0, 0);
            r[i] = Vec3(normal(random), normal(random), normal(random));
            for (std::uint32_t j = i; j < std::min(i + 2, n); ++j) {
                for (int e = 0; e < 9; ++e) root(3 * i + e % 3, 3 * j + e / 3) = normal(random);
            }
        }
        dense = root * root.transpose() + Eigen::MatrixXd::Identity(3 * n, 3 * n);
    }
    PointRows rows(std::vector<std::uint32_t> points) const {
        PointRows rows;
        for (const std::uint32_t i : points) {
            for (std::uint32_t j = i < 2 ? 0 : i - 2; j < std::min(i + 3, std::uint32_t(places.size())); ++j) {
                rows.column.push_back(j);
            }
            rows.begin.push_back(std::uint32_t(rows.column.size()));
        }
        rows.point = std::move(points);
        return rows;
    }
    std::vector<Mat3> blocks(const PointRows& rows) const {
        std::vector<Mat3> result;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (std::uint32_t c = rows.begin[k]; c < rows.begin[k + 1]; ++c) {
                result.push_back(dense.block<3, 3>(3 * rows.point[k], 3 * rows.column[c]));
            }
        }
        return result;
    }

    Eigen::MatrixXd dense;
    std::vector<Vec3> places, r;
};

Eigen::VectorXd flat(std::span<const Vec3> v) {
    return Eigen::Map<const Eigen::VectorXd>(v[0].data(), Eigen::Index(3 * v.size()));
}

TEST(PointElimination, WithTheExactInverseForTheOthersSolvesTheWholeSystem) {
    const std::uint32_t n = 12;
    const Line line(n);
    const std::vector<std::uint32_t> points = {0, 4, 5, 11};
    PointElimination elimination;
    elimination.set_points(line.rows(points), line.places);
    elimination.new_blocks() = line.blocks(elimination.rows());
    ASSERT_TRUE(elimination.factor({}, {}));
    // (A^-1)_BB is the inverse of the Schur complement
    const Eigen::MatrixXd inverse = line.dense.inverse();
    const auto others = [&](std::span<const Vec3> r, std::span<Vec3> z) {
        for (const std::uint32_t i : points) EXPECT_EQ(r[i], Vec3(Vec3::Zero()));
        const Eigen::VectorXd solved = inverse * flat(r);
        for (std::uint32_t i = 0; i < n; ++i) z[i] = solved.segment<3>(3 * i);
    };
    std::vector<Vec3> z(n);
    elimination.apply(line.r, z, others);
    const Eigen::VectorXd exact = inverse * flat(line.r);
    EXPECT_LT((flat(z) - exact).norm(), 1e-5 * exact.norm());  // factors in single precision
}

// Pairs that push are part of the system, whether they link eliminated points, others, or one with the other; also when
// they come and go.
TEST(PointElimination, SolvesTheSystemOfPairsThatPush) {
    const std::uint32_t n = 14;
    const Line line(n);
    PointElimination elimination;
    elimination.set_points(line.rows({0, 4, 5, 10, 13}), line.places);
    elimination.new_blocks() = line.blocks(elimination.rows());
    const Vec3 a = Vec3(1, 2, -1), b = Vec3(0.5, 0, 1);
    const Mat3 A = 3 * a * a.transpose(), B = 5 * b * b.transpose();
    using Pairs = std::vector<PointPair>;
    for (const Pairs& pairs : {Pairs{{0, 13, A}, {4, 5, B}, {5, 8, A}, {2, 10, B}, {1, 7, A}}, Pairs{{4, 5, A}},
                               Pairs{{10, 0, B}, {0, 13, A}, {0, 13, B}}, Pairs{}}) {
        Eigen::MatrixXd system = line.dense;
        for (const PointPair& p : pairs) {
            for (const auto& [i, j, sign] : {std::tuple(p.i, p.i, 1), {p.j, p.j, 1}, {p.i, p.j, -1}, {p.j, p.i, -1}}) {
                system.block<3, 3>(3 * i, 3 * j) += sign * p.coupling;
            }
        }
        ASSERT_TRUE(elimination.factor({}, pairs));
        const Eigen::MatrixXd inverse = system.inverse();
        const auto others = [&](std::span<const Vec3> r, std::span<Vec3> z) {
            const Eigen::VectorXd solved = inverse * flat(r);
            for (std::uint32_t i = 0; i < n; ++i) z[i] = solved.segment<3>(3 * i);
        };
        std::vector<Vec3> z(n);
        elimination.apply(line.r, z, others);
        const Eigen::VectorXd exact = inverse * flat(line.r);
        EXPECT_LT((flat(z) - exact).norm(), 1e-5 * exact.norm()) << pairs.size();
    }
}

TEST(PointElimination, IsSymmetricAndDefiniteWhateverServesTheOthers) {
    const std::uint32_t n = 9;
    const Line line(n);
    PointElimination elimination;
    elimination.set_points(line.rows({2, 3, 8}), line.places);
    elimination.new_blocks() = line.blocks(elimination.rows());
    const std::vector<HeldPoint> held = {{3, Vec3(0, 1, 0) * Vec3(0, 1, 0).transpose()}, {5, Mat3::Identity()}};
    const std::vector<PointPair> pairs = {{2, 6, Mat3::Identity()}, {0, 1, Mat3::Identity()}};
    ASSERT_TRUE(elimination.factor(held, pairs));
    const auto others = [&](std::span<const Vec3> r, std::span<Vec3> z) {
        for (std::uint32_t i = 0; i < n; ++i) z[i] = r[i] / line.dense(3 * i, 3 * i);
    };
    Eigen::MatrixXd M(3 * n, 3 * n);
    for (std::uint32_t c = 0; c < 3 * n; ++c) {
        std::vector<Vec3> unit(n, Vec3::Zero()), z(n);
        unit[c / 3][c % 3] = 1;
        elimination.apply(unit, z, others);
        M.col(c) = flat(z);
    }
    EXPECT_LT((M - M.transpose()).norm(), 1e-5 * M.norm());
    // Definite but for the directions of point 5, which is held.
    EXPECT_GT(M.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-12);
    EXPECT_EQ((M.selfadjointView<Eigen::Lower>().eigenvalues().array() > 1e-9).count(), 3 * n - 3);
}

TEST(PointElimination, LeavesPairsThatWouldTakeTooMuchWork) {
    const std::uint32_t n = 40;
    const Line line(n);
    std::vector<std::uint32_t> points(n);
    for (std::uint32_t i = 0; i < n; ++i) points[i] = i;
    PointElimination elimination;
    elimination.set_points(line.rows(points), line.places);
    elimination.new_blocks() = line.blocks(elimination.rows());
    const Mat3 one = Mat3::Identity();
    std::vector<PointPair> pairs;
    for (std::uint32_t i = 0; i < n / 2; ++i) pairs.push_back({i, n - 1 - i, one});
    const auto others = [&](std::span<const Vec3>, std::span<Vec3>) {};
    const auto error = [&] {
        Eigen::MatrixXd system = line.dense;
        for (const PointPair& p : pairs) {
            for (const auto& [i, j, sign] : {std::tuple(p.i, p.i, 1), {p.j, p.j, 1}, {p.i, p.j, -1}, {p.j, p.i, -1}}) {
                system.block<3, 3>(3 * i, 3 * j) += sign * p.coupling;
            }
        }
        std::vector<Vec3> z(n);
        EXPECT_TRUE(elimination.factor({}, pairs));
        elimination.apply(line.r, z, others);
        return (system * flat(z) - flat(line.r)).norm() / flat(line.r).norm();
    };
    EXPECT_LT(error(), 1e-4);
    const Real work = 60 * cube(3.0) * n;  // enough for a band, not for a cross through it
    elimination.set_points(line.rows(points), line.places, work);
    EXPECT_TRUE(elimination.is_within_work());
    elimination.new_blocks() = line.blocks(elimination.rows());
    EXPECT_GT(error(), 0.01);  // as a preconditioner still good enough
    elimination.set_points(line.rows(points), line.places, 10);
    EXPECT_FALSE(elimination.is_within_work());
}

TEST(PointElimination, WithoutPointsLeavesAllToTheOthers) {
    const Line line(4);
    PointElimination elimination;
    elimination.set_points({}, line.places);
    ASSERT_TRUE(elimination.factor({}, {}));
    std::vector<Vec3> z(4);
    elimination.apply(line.r, z, [](std::span<const Vec3> r, std::span<Vec3> into) {
        for (std::size_t i = 0; i < r.size(); ++i) into[i] = 2 * r[i];
    });
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(z[i], Vec3(2 * line.r[i]));
}

TEST(PointElimination, SaysWhenItsPointsAreNotDefinite) {
    const Line line(4);
    PointElimination elimination;
    elimination.set_points(line.rows({1}), line.places);
    std::vector<Mat3> blocks = line.blocks(elimination.rows());
    blocks[elimination.rows().at(0, 1)] = -Mat3::Identity();
    elimination.new_blocks() = blocks;
    EXPECT_FALSE(elimination.factor({}, {}));
}

}  // namespace
}  // namespace pliant
