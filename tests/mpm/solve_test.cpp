#include <gtest/gtest.h>

#include "mpm/middle_of_step.h"
#include "pliant/base/parallel.h"
#include "pliant/methods/mpm/admm_solve.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

using namespace middle_of_step;

TEST(NewtonSolve, GradientIsTheSlopeOfTheEnergy) {
    for (const auto& [model, is_at_rest] : models_and_grids()) {
        Problem problem(model, 0.01, 0.05, is_at_rest);
        NewtonSolve solve({});
        const auto u = problem.noise(1, 1.0), direction = problem.noise(2, 1.0);
        std::vector<Vec3> gradient(u.size()), unused(u.size());
        solve.evaluate(problem.step(), u, gradient);
        const Real step = 1e-5;
        auto ahead = u, behind = u;
        for (std::size_t i = 0; i < u.size(); ++i) ahead[i] += step * direction[i], behind[i] -= step * direction[i];
        const Real slope =
            (solve.evaluate(problem.step(), ahead, unused) - solve.evaluate(problem.step(), behind, unused)) /
            (2 * step);
        EXPECT_NEAR(slope, dot(gradient, direction), 1e-6 * std::abs(slope));
    }
}

// Where nothing had to be made positive: stretched matter.
TEST(NewtonSolve, ProductIsTheSlopeOfTheGradient) {
    for (const auto& [model, is_at_rest] : models_and_grids()) {
        if (model.materials[0].plasticity) continue;
        Problem problem(model, 0.01, 0, is_at_rest);
        for (Mat3& F : problem.state.deformation) F = Vec3(1.05, 1.1, 1.07).asDiagonal();
        NewtonSolve solve({});
        const auto u = problem.noise(1, 0.01), x = problem.noise(2, 1.0);
        std::vector<Vec3> product(u.size()), a(u.size()), b(u.size());
        const Real step = 1e-5;
        auto ahead = u, behind = u;
        for (std::size_t i = 0; i < u.size(); ++i) ahead[i] += step * x[i], behind[i] -= step * x[i];
        solve.evaluate(problem.step(), ahead, a);
        solve.evaluate(problem.step(), behind, b);
        solve.evaluate(problem.step(), u, product);
        solve.multiply(problem.step(), x, product);
        Real error = 0, size = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
            error += ((a[i] - b[i]) / (2 * step) - product[i]).squaredNorm();
            size += product[i].squaredNorm();
        }
        EXPECT_LT(std::sqrt(error / size), 5e-5);  // factors are kept in single precision
    }
}

TEST(NewtonSolve, MatrixIsSymmetricAndPositive) {
    for (const auto& [model, is_at_rest] : models_and_grids()) {
        Problem problem(model, 0.02, 0.3, is_at_rest);  // torn, flattened and inverted
        NewtonSolve solve({});
        const auto u = problem.noise(1, 3.0);
        std::vector<Vec3> unused(u.size()), Ax(u.size()), Ay(u.size());
        solve.evaluate(problem.step(), u, unused);
        for (unsigned seed = 10; seed < 20; ++seed) {
            const auto x = problem.noise(seed, 1), y = problem.noise(seed + 100, 1);
            solve.multiply(problem.step(), x, Ax);
            solve.multiply(problem.step(), y, Ay);
            EXPECT_NEAR(dot(x, Ay), dot(y, Ax), 1e-5 * std::sqrt(dot(x, Ax) * dot(y, Ay)));
            EXPECT_GT(dot(x, Ax), 0);
        }
    }
}

TEST(NodeMatrix, IsTheSumOverParticles) {
    Problem problem(model_of({}, false), 0.01, 0.1);
    std::vector<NodeMatrix::Symmetric> S(problem.grid.place_count(), NodeMatrix::Symmetric{});
    const auto random = random_vectors(2 * S.size(), 4);
    std::vector<Mat3> full(S.size(), Mat3::Zero());
    for (std::size_t k = 0; k < S.size(); ++k) {
        if (problem.grid.particle(k) == SparseGrid::nobody) continue;
        const Mat3 root = cross_matrix(random[2 * k]) + Mat3(random[2 * k + 1].asDiagonal());
        full[k] = root * root.transpose();
        const Mat3& m = full[k];
        S[k] = {{float(m(0, 0)), float(m(1, 1)), float(m(2, 2)), float(m(0, 1)), float(m(0, 2)), float(m(1, 2))}};
    }
    NodeMatrix matrix;
    matrix.assemble(problem.grid, problem.mass, S);
    const auto x = problem.noise(6, 1);
    std::vector<Vec3> product(x.size()), exact(x.size());
    matrix.multiply(problem.grid, x, product);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) exact[i] = problem.mass[i] * x[i];
    exact.back().setZero();
    const Real h = problem.grid.cell();
    for (std::size_t b = 0; b < problem.grid.block_count(); ++b) {
        SparseGrid::Window in, out;
        problem.grid.load(b, x, in);
        out.fill(NodeVector(0.0));
        for (std::size_t k = problem.grid.home(b).first; k < problem.grid.home(b).last; ++k) {
            const SparseGrid::Place& place = problem.grid.place(k);
            const PlaceWeights w(place, h);
            const Mat3 B = affine_of(gather(in, place, w), 1) * full[k];
            scatter({NodeVector(0.0), node_vector(B.col(0)), node_vector(B.col(1)), node_vector(B.col(2))}, out, place,
                    w);
        }
        problem.grid.add(b, out, exact);
    }
    exact.back().setZero();
    Real error = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        error += (product[i] - exact[i]).squaredNorm(), size += exact[i].squaredNorm();
    }
    EXPECT_LT(std::sqrt(error / size), 1e-6);
}

// Both methods solve the same problem.
class AdmmSolves : public testing::TestWithParam<bool> {};

TEST_P(AdmmSolves, FindsWhatNewtonFinds) {
    for (const auto& [model, is_at_rest] : models_and_grids()) {
        Problem problem(model, 2e-3, 0.02, is_at_rest);
        MpmSettings exact;
        exact.equilibration = GetParam();
        exact.tolerance = 1e-9;
        exact.most_iterations = 400;
        NewtonSolve newton(exact);
        AdmmSolve admm(exact, newton);
        auto u = problem.expected, v = problem.expected;
        problem.contacts.find(problem.grid, problem.mass, {}, 0, problem.dt);
        const SolveReport first = newton.solve(problem.step(), problem.contacts, u);
        const SolveReport second = admm.solve(problem.step(), problem.contacts, v);
        EXPECT_LE(first.residual, 1e-9);
        EXPECT_LE(second.residual, 1e-9);
        Real difference = 0, size = 0;
        for (std::size_t i = 0; i + 1 < u.size(); ++i) {
            difference += problem.mass[i] * (u[i] - v[i]).squaredNorm();
            size += problem.mass[i] * u[i].squaredNorm();
        }
        EXPECT_LT(std::sqrt(difference / size), 1e-8);
        ASSERT_FALSE(second.looks.empty());
        EXPECT_EQ(second.looks.back(), std::pair(second.iterations, second.residual));
    }
}
INSTANTIATE_TEST_SUITE_P(Weights, AdmmSolves, testing::Bool());

// A block that hits the floor: how far 15 iterations come, and that more penalty or less changes nothing but speed.
TEST(AdmmSolve, ConvergesQuicklyAtAnImpact) {
    for (const auto& [dt, most] : {std::pair(2e-3, 1e-2), std::pair(1e-2, 5e-2)}) {
        for (const Real penalty : {0.3, 0.5, 1.0}) {
            Cloud cloud(lattice_block(12, 12, 12, 0.02, 0), 1e5, 0.3, 0.02);
            cloud.add_floor("slip");
            move_by(cloud.state, Vec3(0.003, 0.01, 0.004));
            throw_by(cloud.state, Vec3(0, -1.5, 0));
            cloud.model.gravity = Vec3(0, -9.81, 0);
            cloud.settings.most_iterations = 15;
            cloud.settings.tolerance = 1e-12;
            cloud.settings.penalty = penalty;
            cloud.start(Fang2019::Time::admm);
            cloud.run(1, dt);
            EXPECT_LT(cloud.report.solvers[0].residual, most) << dt << " " << penalty;
        }
    }
}

// Whatever the tolerance of its linear solves, the free flight of a body that wobbles keeps its momentum.
TEST(AdmmSolve, KeepsMomentum) {
    Cloud cloud(lattice_block(6, 6, 6, 0.05, 0.1), 1e5, 0.3, 0.05);
    cloud.settings.most_iterations = 2;
    throw_by(cloud.state, Vec3(1, 2, 3), Vec3(0, 3, 1));
    for (Mat3& F : cloud.state.deformation) F = Vec3(1.1, 0.9, 1).asDiagonal();
    cloud.start(Fang2019::Time::admm);
    const Vec3 before = cloud.momentum().linear;
    cloud.run(20, 5e-3);
    EXPECT_LT((cloud.momentum().linear - before).norm(), 1e-12 * before.norm());
}

}  // namespace
}  // namespace pliant
