#include "pliant/linear/conjugate_gradients.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstring>
#include <limits>
#include <random>

#include "pliant/linear/block_jacobi.h"

namespace pliant {
namespace {

using Blocks = std::vector<Vec3>;

Eigen::Map<const Eigen::VectorXd> flat(std::span<const Vec3> v) {
    return {v[0].data(), Eigen::Index(3 * v.size())};
}
Eigen::Map<Eigen::VectorXd> writable(std::span<Vec3> v) {
    return {v[0].data(), Eigen::Index(3 * v.size())};
}

// A dense matrix as the solver sees it.
struct Dense {
    Eigen::MatrixXd matrix;

    void operator()(std::span<const Vec3> x, std::span<Vec3> result) const { writable(result) = matrix * flat(x); }
    std::size_t blocks() const { return matrix.rows() / 3; }
    std::vector<Mat3> diagonal() const {
        std::vector<Mat3> result;
        for (std::size_t i = 0; i < blocks(); ++i) result.push_back(matrix.block<3, 3>(3 * i, 3 * i));
        return result;
    }
};

// Q diag(values) Q^T with random Q, values from 1 to `condition`.
Dense random_spd(int blocks, Real condition, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<Real> normal;
    const int n = 3 * blocks;
    const Eigen::MatrixXd M = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return normal(engine); });
    const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(M).householderQ();
    const Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(n, 0, std::log(condition)).array().exp();
    const Eigen::MatrixXd A = Q * values.asDiagonal() * Q.transpose();
    return {(A + A.transpose()) / 2};
}

Blocks random_blocks(std::size_t n, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<Real> normal;
    Blocks result(n);
    for (Vec3& v : result) v = Vec3(normal(engine), normal(engine), normal(engine));
    return result;
}

Real error(std::span<const Vec3> x, const Eigen::VectorXd& expected) {
    return (flat(x) - expected).norm() / expected.norm();
}

TEST(ConjugateGradients, AgreesWithADirectSolve) {
    for (const int blocks : {1, 2, 7, 30}) {
        const Dense A = random_spd(blocks, 1e3, blocks);
        const Blocks b = random_blocks(blocks, 100);
        const Eigen::VectorXd expected = A.matrix.ldlt().solve(flat(b));
        Blocks x(blocks, Vec3::Zero());
        ConjugateGradients solver;
        const CgReport report = solver.solve({.multiply = A, .is_done = RelativeResidual{1e-12}}, b, x);
        EXPECT_EQ(report.reason, CgReason::converged);
        EXPECT_TRUE(report.is_success());
        EXPECT_LE(error(x, expected), 1e-9);
        EXPECT_LE(report.residual, 1e-12 * report.initial_residual);
        EXPECT_NEAR(report.initial_residual, flat(b).norm(), 1e-12 * flat(b).norm());
    }
}

TEST(ConjugateGradients, IsExactAfterAsManyIterationsAsUnknowns) {
    const Dense A = random_spd(3, 10, 5);
    const Blocks b = random_blocks(3, 6);
    Blocks x(3, Vec3::Zero());
    ConjugateGradients solver;
    const CgReport report =
        solver.solve({.multiply = A, .is_done = RelativeResidual{1e-12}, .most_iterations = 9}, b, x);
    EXPECT_EQ(report.reason, CgReason::converged);
    EXPECT_LE(report.iterations, 9);
}

TEST(ConjugateGradients, StartsFromTheGivenVector) {
    const Dense A = random_spd(10, 100, 7);
    const Blocks b = random_blocks(10, 8);
    const Eigen::VectorXd expected = A.matrix.ldlt().solve(flat(b));
    Blocks x(10);
    writable(x) = expected;
    x[3].y() += 1e-6;
    ConjugateGradients solver;
    const CgReport report = solver.solve({.multiply = A, .is_done = RelativeTo{1e-10, flat(b).norm()}}, b, x);
    EXPECT_EQ(report.reason, CgReason::converged);
    EXPECT_LE(report.initial_residual, 1e-3 * flat(b).norm());
    EXPECT_LE(error(x, expected), 1e-8);
}

TEST(ConjugateGradients, BlockJacobiSolvesABlockDiagonalMatrixAtOnce) {
    Dense A = {Eigen::MatrixXd::Zero(30, 30)};
    for (int i = 0; i < 10; ++i) {
        A.matrix.block<3, 3>(3 * i, 3 * i) = std::pow(10.0, i) * random_spd(1, 100, i).matrix;
    }
    const Blocks b = random_blocks(10, 9);
    BlockJacobi preconditioner;
    preconditioner.set_blocks(A.diagonal());
    Blocks x(10, Vec3::Zero());
    ConjugateGradients solver;
    const CgReport report =
        solver.solve({.multiply = A, .is_done = RelativeResidual{1e-10}, .precondition = preconditioner}, b, x);
    EXPECT_EQ(report.reason, CgReason::converged);
    EXPECT_LE(report.iterations, 2);
    EXPECT_LE(error(x, A.matrix.ldlt().solve(flat(b))), 1e-9);
}

TEST(ConjugateGradients, BlockJacobiSavesIterationsOnBadlyScaledRows) {
    Dense A = random_spd(20, 10, 10);
    for (int i = 0; i < 20; ++i) {
        const Real scale = std::pow(10.0, i % 4);
        A.matrix.middleRows(3 * i, 3) *= scale;
        A.matrix.middleCols(3 * i, 3) *= scale;
    }
    const Blocks b = random_blocks(20, 11);
    BlockJacobi preconditioner;
    preconditioner.set_blocks(A.diagonal());
    ConjugateGradients solver;
    Blocks x(20, Vec3::Zero()), y(20, Vec3::Zero());
    const CgReport plain = solver.solve({.multiply = A, .is_done = RelativeResidual{1e-9}}, b, x);
    const CgReport better =
        solver.solve({.multiply = A, .is_done = RelativeResidual{1e-9}, .precondition = preconditioner}, b, y);
    EXPECT_EQ(better.reason, CgReason::converged);
    EXPECT_LT(3 * better.iterations, plain.iterations);
    EXPECT_LE(error(y, A.matrix.ldlt().solve(flat(b))), 1e-6);
}

TEST(ConjugateGradients, ConstrainedComponentsStayToTheLastBit) {
    const Dense A = random_spd(12, 100, 12);
    const Blocks b = random_blocks(12, 13);
    const Blocks start = random_blocks(12, 14);
    const auto is_held = [](std::size_t i, int axis) { return i % 3 == 0 || (i % 3 == 1 && axis == 1); };
    const auto project = [&](std::span<Vec3> v) {
        for (std::size_t i = 0; i < v.size(); ++i) {
            for (int axis = 0; axis < 3; ++axis) {
                if (is_held(i, axis)) v[i][axis] = 0;
            }
        }
    };
    BlockJacobi preconditioner;
    preconditioner.set_blocks(A.diagonal());
    Blocks x = start;
    ConjugateGradients solver;
    const CgReport report = solver.solve(
        {.multiply = A, .is_done = RelativeResidual{1e-12}, .precondition = preconditioner, .project = project}, b, x);
    EXPECT_EQ(report.reason, CgReason::converged);
    Blocks residual(12);
    writable(residual) = flat(b) - A.matrix * flat(x);
    for (std::size_t i = 0; i < 12; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            if (is_held(i, axis)) {
                EXPECT_EQ(x[i][axis], start[i][axis]);
            } else {
                EXPECT_NEAR(residual[i][axis], 0, 1e-9);
            }
        }
    }
}

TEST(ConjugateGradients, ObliqueConstraintsHoldAlongTheirNormals) {
    const Dense A = random_spd(8, 100, 15);
    const Blocks b = random_blocks(8, 16);
    const Vec3 normal = Vec3(1, 2, -1).normalized();
    const auto project = [&](std::span<Vec3> v) {
        for (Vec3& u : v) u -= normal * normal.dot(u);
    };
    Blocks x(8, 0.25 * normal);
    ConjugateGradients solver;
    const CgReport report = solver.solve({.multiply = A, .is_done = RelativeResidual{1e-11}, .project = project}, b, x);
    EXPECT_EQ(report.reason, CgReason::converged);
    for (const Vec3& v : x) EXPECT_NEAR(normal.dot(v), 0.25, 1e-13);
}

TEST(ConjugateGradients, AnIndefiniteMatrixIsReportedAndTheLastGoodIterateKept) {
    Dense A = random_spd(6, 10, 17);
    A.matrix(4, 4) -= 100;
    const Blocks b = random_blocks(6, 18);
    Blocks x(6, Vec3::Zero());
    ConjugateGradients solver;
    const CgReport report = solver.solve({.multiply = A, .is_done = RelativeResidual{1e-12}}, b, x);
    EXPECT_EQ(report.reason, CgReason::not_positive_definite);
    EXPECT_FALSE(report.is_success());
    EXPECT_TRUE(flat(x).allFinite());
    const Real energy = 0.5 * flat(x).dot(A.matrix * flat(x)) - flat(b).dot(flat(x));
    EXPECT_LE(energy, 0);  // no worse than the start x = 0
    EXPECT_NEAR((flat(b) - A.matrix * flat(x)).norm(), report.residual, 1e-9);
}

TEST(ConjugateGradients, ANegativePreconditionerIsReported) {
    const Dense A = random_spd(2, 10, 19);
    const Blocks b = random_blocks(2, 20);
    const auto negative = [](std::span<const Vec3> r, std::span<Vec3> z) { writable(z) = -flat(r); };
    Blocks x(2, Vec3::Zero());
    ConjugateGradients solver;
    const CgReport report =
        solver.solve({.multiply = A, .is_done = RelativeResidual{1e-12}, .precondition = negative}, b, x);
    EXPECT_EQ(report.reason, CgReason::not_positive_definite);
    EXPECT_EQ(report.iterations, 0);
}

TEST(ConjugateGradients, AnOperatorThatGoesWrongIsReportedAtAnyCall) {
    const Dense A = random_spd(6, 1e4, 21);
    const Blocks b = random_blocks(6, 22);
    for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()}) {
        for (int wrong_call = 0; wrong_call < 5; ++wrong_call) {
            int calls = 0;
            const auto multiply = [&](std::span<const Vec3> v, std::span<Vec3> result) {
                A(v, result);
                if (calls++ == wrong_call) result[3].y() = bad;
            };
            Blocks x(6, Vec3::Ones());
            ConjugateGradients solver;
            const CgReport report = solver.solve({.multiply = multiply, .is_done = RelativeResidual{1e-14}}, b, x);
            EXPECT_EQ(report.reason, CgReason::not_finite);
            EXPECT_EQ(report.iterations, std::max(0, wrong_call - 1));
            EXPECT_TRUE(flat(x).allFinite());
        }
    }
}

TEST(ConjugateGradients, APreconditionerOrRightHandSideThatIsNotFiniteIsReported) {
    const Dense A = random_spd(2, 10, 23);
    Blocks b = random_blocks(2, 24), x(2, Vec3::Ones());
    const auto broken = [](std::span<const Vec3>, std::span<Vec3> z) {
        for (Vec3& v : z) v.setConstant(std::numeric_limits<Real>::quiet_NaN());
    };
    ConjugateGradients solver;
    const RelativeResidual rule = {1e-12};
    EXPECT_EQ(solver.solve({.multiply = A, .is_done = rule, .precondition = broken}, b, x).reason,
              CgReason::not_finite);
    EXPECT_EQ(x[0], Vec3::Ones());
    b[1].x() = std::numeric_limits<Real>::infinity();
    EXPECT_EQ(solver.solve({.multiply = A, .is_done = rule}, b, x).reason, CgReason::not_finite);
    EXPECT_EQ(x[0], Vec3::Ones());
}

TEST(ConjugateGradients, AZeroRightHandSideNeedsNothing) {
    const Dense A = random_spd(3, 10, 25);
    const Blocks b(3, Vec3::Zero());
    Blocks x(3, Vec3::Zero());
    ConjugateGradients solver;
    const CgReport report = solver.solve({.multiply = A, .is_done = RelativeResidual{1e-12}}, b, x);
    EXPECT_EQ(report.reason, CgReason::zero_rhs);
    EXPECT_TRUE(report.is_success());
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(flat(x).norm(), 0);
}

TEST(ConjugateGradients, EmptyVectorsAreFine) {
    Blocks none;
    ConjugateGradients solver;
    const auto multiply = [](std::span<const Vec3>, std::span<Vec3>) {};
    EXPECT_EQ(solver.solve({.multiply = multiply, .is_done = RelativeResidual{1e-12}}, none, none).reason,
              CgReason::zero_rhs);
}

TEST(ConjugateGradients, TheIterationLimitIsKept) {
    const Dense A = random_spd(20, 1e6, 26);
    const Blocks b = random_blocks(20, 27);
    Blocks x(20, Vec3::Zero());
    ConjugateGradients solver;
    const CgReport report =
        solver.solve({.multiply = A, .is_done = RelativeResidual{1e-14}, .most_iterations = 4}, b, x);
    EXPECT_EQ(report.reason, CgReason::iteration_limit);
    EXPECT_EQ(report.iterations, 4);
    EXPECT_NEAR((flat(b) - A.matrix * flat(x)).norm(), report.residual, 1e-9 * report.initial_residual);
}

TEST(ConjugateGradients, ATargetOfZeroEndsAllTheSame) {
    const Dense A = random_spd(2, 2, 28);
    const Blocks b = random_blocks(2, 29);
    Blocks x(2, Vec3::Zero());
    ConjugateGradients solver;
    const CgReport report =
        solver.solve({.multiply = A, .is_done = RelativeResidual{0}, .most_iterations = 100000}, b, x);
    EXPECT_EQ(report.reason, CgReason::converged);
    EXPECT_LE(error(x, A.matrix.ldlt().solve(flat(b))), 1e-14);
}

TEST(ConjugateGradients, TheStoppingRuleSeesTheResidual) {
    const Dense A = random_spd(5, 100, 30);
    const Blocks b = random_blocks(5, 31);
    Blocks x(5, Vec3::Zero());
    std::vector<int> seen;
    const auto rule = [&](const CgProgress& p) {
        seen.push_back(p.iterations);
        EXPECT_NEAR(flat(p.residual_vector).norm(), p.residual, 1e-12);
        return p.residual < 1e-3;
    };
    ConjugateGradients solver;
    const CgReport report = solver.solve({.multiply = A, .is_done = rule}, b, x);
    EXPECT_EQ(int(seen.size()), report.iterations + 1);
    EXPECT_LT(report.residual, 1e-3);
}

// A chain of springs: large enough for many blocks of the parallel loops.
struct Chain {
    void operator()(std::span<const Vec3> x, std::span<Vec3> result) const {
        parallel_for(x.size(), [&](std::size_t i) {
            Vec3 sum = 2.2 * x[i];
            if (i > 0) sum -= x[i - 1];
            if (i + 1 < x.size()) sum -= x[i + 1];
            result[i] = sum;
        });
    }
};

TEST(ConjugateGradients, TheBitsDoNotDependOnTheNumberOfThreads) {
    const std::size_t n = 5000;
    const Blocks b = random_blocks(n, 32);
    BlockJacobi preconditioner;
    preconditioner.set_blocks(std::vector<Mat3>(n, 2.2 * Mat3::Identity()));
    std::vector<Blocks> results;
    std::vector<CgReport> reports;
    for (const int count : {1, 2, 4}) {
        Blocks x(n, Vec3::Zero());
        Threads threads(count);
        threads.run([&] {
            ConjugateGradients solver;
            reports.push_back(solver.solve(
                {.multiply = Chain(), .is_done = RelativeResidual{1e-8}, .precondition = preconditioner}, b, x));
        });
        results.push_back(x);
    }
    EXPECT_EQ(reports[0].reason, CgReason::converged);
    for (int k = 1; k < 3; ++k) {
        EXPECT_EQ(reports[k].iterations, reports[0].iterations);
        EXPECT_EQ(reports[k].residual, reports[0].residual);
        EXPECT_EQ(std::memcmp(results[k].data(), results[0].data(), n * sizeof(Vec3)), 0);
    }
}

TEST(ConjugateGradients, AUsedSolverGivesTheSameBitsAsAFreshOne) {
    const Dense A = random_spd(9, 100, 33), other = random_spd(30, 10, 34);
    const Blocks b = random_blocks(9, 35), b_other = random_blocks(30, 36);
    Blocks fresh(9, Vec3::Zero()), used(9, Vec3::Zero()), x(30, Vec3::Zero());
    ConjugateGradients first, second;
    first.solve({.multiply = A, .is_done = RelativeResidual{1e-10}}, b, fresh);
    second.solve({.multiply = other, .is_done = RelativeResidual{1e-10}}, b_other, x);
    second.solve({.multiply = A, .is_done = RelativeResidual{1e-10}}, b, used);
    EXPECT_EQ(fresh, used);
}

TEST(ConjugateGradients, EveryReasonHasAName) {
    EXPECT_EQ(to_string(CgReason::converged), "converged");
    EXPECT_EQ(to_string(CgReason::not_positive_definite), "not_positive_definite");
    EXPECT_EQ(to_string(CgReason::not_finite), "not_finite");
}

}  // namespace
}  // namespace pliant
