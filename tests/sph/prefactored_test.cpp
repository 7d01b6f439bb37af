#include "pliant/methods/sph/prefactored.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/base/parallel.h"
#include "pliant/methods/sph/peer2018.h"
#include "support/colliders.h"
#include "support/lattice.h"

namespace pliant {
namespace {

constexpr Real h = 0.05;

Moduli alike(Real modulus) {
    return Moduli::from_shear_bulk(modulus, modulus);
}

std::vector<Real> random_numbers(std::size_t n) {
    std::mt19937 random(5);
    std::uniform_real_distribution<Real> number(-1, 1);
    std::vector<Real> u(n);
    for (Real& value : u) value = number(random);
    return u;
}

// A beam held at one end that bends under its weight.
struct Beam {
    Model model;
    ParticleState state;
    SphSettings settings;
    std::unique_ptr<Peer2018> method;
    Real time = 0;
    int iterations = 0, steps = 0, factorisations = 0;

    Beam(const std::string& elasticity, Real modulus, Real jitter = 0, int thick = 4)
        : model(rubber_model(1e5, 0.3, h)), state(lattice_block(4 * thick, thick, thick, h, jitter)) {
        model.materials[0].moduli = alike(modulus);
        model.materials[0].elasticity = CorotatedElasticity{alike(modulus)};
        model.gravity = Vec3(0, -9.81, 0);
        model.pins.emplace_back(PinSettings{});
        for (std::size_t i = 0; i < std::size_t(2 * thick * thick); ++i) state.pin[i] = 0;
        settings.elasticity = elasticity;
        settings.preconditioner = "none";
        settings.pressure = false;
    }
    void start() {
        method = std::make_unique<Peer2018>(settings, model, 1e-3);
        method->prepare(state);
    }
    void run(int count, Real dt) {
        for (int k = 0; k < count; ++k, time += dt, ++steps) {
            for (const SolverReport& solver : method->step(state, time, dt).solvers) {
                if (solver.name == "elasticity") iterations += solver.iterations;
                if (solver.name == "factorisation") factorisations += solver.iterations;
            }
        }
    }
    Real mean_iterations() const { return Real(iterations) / steps; }
};

// u.C u = sum m u^2 + dt^2 sum [c V |grad u|^2 + beta sum_j g_ij (u_ij - grad u . X_ij)^2], with the gradient that the
// deformations of u's particles show.
TEST(PrefactoredOperator, IsTheSumOfGradientsAndPenalties) {
    const Model model = rubber_model(1e5, 0.3, h);
    const Moduli m = model.materials[0].moduli;
    for (const Real zero_energy : {0.0, 0.7}) {
        ParticleState state = lattice_block(5, 4, 6, h, 0.2);
        ElasticSolids::Options options;
        options.zero_energy = zero_energy;
        ElasticSolids solids(model, options);
        solids.prepare(state, state.size());
        const Real dt = 3e-3, c = 1.5 * m.mu + m.lambda / 2, beta = zero_energy * m.mu / 3;
        const auto u = random_numbers(state.size());
        const std::vector<Vec3> X = state.position;
        for (std::size_t i = 0; i < u.size(); ++i) state.position[i].x() += u[i];
        solids.deform(state, 0);
        Real expected = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
            const Vec3 gradient = state.deformation[i].row(0).transpose() - Vec3::UnitX();
            expected += state.mass[i] * square(u[i]) + dt * dt * c * state.rest_volume[i] * gradient.squaredNorm();
            solids.rows().each(i, [&](std::uint32_t j, Real g) {
                expected += dt * dt * beta * g * square(u[j] - u[i] - gradient.dot(X[j] - X[i]));
            });
        }
        const auto C = PrefactoredOperator::assemble(solids, state, {dt, {m}});
        ASSERT_EQ(C.free.size(), u.size());
        Real form = 0;
        for (std::size_t column = 0; column < u.size(); ++column) {
            for (std::size_t k = C.pattern.begin[column]; k < C.pattern.begin[column + 1]; ++k) {
                const std::size_t row = C.pattern.row[k];
                form += (row == column ? 1 : 2) * C.values[k] * u[row] * u[column];
            }
        }
        EXPECT_NEAR(form, expected, 1e-10 * expected) << "zero_energy " << zero_energy;
    }
}

TEST(PrefactoredOperator, SolvesWithItsMatrixAndLeavesPinsAlone) {
    Beam beam("prefactored", 1e6, 0.2);
    ElasticSolids solids(beam.model, {});
    solids.prepare(beam.state, beam.state.size());
    const PrefactoredOperator::Basis basis{5e-3, {alike(1e6)}};
    const auto C = PrefactoredOperator::assemble(solids, beam.state, basis);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(Eigen::Index(C.free.size()), Eigen::Index(C.free.size()));
    for (std::size_t column = 0; column < C.free.size(); ++column) {
        for (std::size_t k = C.pattern.begin[column]; k < C.pattern.begin[column + 1]; ++k) {
            dense(C.pattern.row[k], Eigen::Index(column)) = C.values[k];
        }
    }
    dense = dense.selfadjointView<Eigen::Lower>();
    const auto u = random_numbers(3 * beam.state.size());
    std::vector<Vec3> r(beam.state.size()), z(r.size(), Vec3(7, 7, 7));
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = Vec3(u[3 * i], u[3 * i + 1], u[3 * i + 2]);
    Eigen::MatrixXd right(dense.rows(), 3);
    for (Eigen::Index k = 0; k < right.rows(); ++k) right.row(k) = r[C.free[std::size_t(k)]];
    const Eigen::MatrixXd exact = dense.llt().solve(right);

    PrefactoredOperator prefactored;
    ASSERT_TRUE(prefactored.update(beam.model, solids, beam.state, basis));
    prefactored(r, z);
    for (std::size_t i = 0; i < r.size(); ++i) {
        if (beam.state.pin[i] != no_pin) {
            EXPECT_EQ(z[i], Vec3(0, 0, 0));
        }
    }
    for (Eigen::Index k = 0; k < right.rows(); ++k) {
        const Vec3 expected = exact.row(k);
        EXPECT_LT((z[C.free[std::size_t(k)]] - expected).norm(), 1e-3 * exact.cwiseAbs().maxCoeff());
    }
}

TEST(Prefactored, MovesAsPeer2018Does) {
    for (const Real modulus : {1e5, 1e7}) {
        Beam one("peer2018", modulus, 0.1), other("prefactored", modulus, 0.1);
        for (Beam* beam : {&one, &other}) {
            beam->settings.relative_tolerance = 1e-7;
            beam->start();
            beam->run(60, 5e-3);
        }
        Real apart = 0, moved = 0;
        const ParticleState start = lattice_block(16, 4, 4, h, 0.1);
        for (std::size_t i = 0; i < start.size(); ++i) {
            apart = std::max(apart, (one.state.position[i] - other.state.position[i]).norm());
            moved = std::max(moved, (one.state.position[i] - start.position[i]).norm());
        }
        EXPECT_GT(moved, 0.1 * h);
        EXPECT_LT(apart, 1e-4 * moved) << modulus << " Pa";
        EXPECT_EQ(other.factorisations, 1);
    }
}

TEST(Prefactored, StiffBodiesNeedFewIterations) {
    for (const Real modulus : {1e7, 2e9}) {
        Beam plain("peer2018", modulus, 0, 6), factored("prefactored", modulus, 0, 6),
            both("prefactored", modulus, 0, 6);
        both.settings.preconditioner = "auto";
        for (Beam* beam : {&plain, &factored, &both}) {
            beam->settings.relative_tolerance = 1e-3;
            beam->start();
            beam->run(20, 10e-3);
        }
        EXPECT_LT(3 * factored.mean_iterations(), plain.mean_iterations()) << modulus << " Pa";
        EXPECT_LT(both.mean_iterations(), 0.8 * factored.mean_iterations()) << modulus << " Pa";
        EXPECT_LT(both.mean_iterations(), 15) << modulus << " Pa";
        EXPECT_LT(largest_speed(factored.state), 5);
    }
}

TEST(Prefactored, IsMadeAnewOnlyWhenTheStepIsAnother) {
    Beam beam("prefactored", 1e7);
    beam.start();
    beam.run(3, 2e-3);
    beam.run(3, 2.5e-3);
    EXPECT_EQ(beam.factorisations, 1);
    beam.run(3, 8e-3);
    EXPECT_EQ(beam.factorisations, 2);
    beam.run(2, 2e-3);
    EXPECT_EQ(beam.factorisations, 3);
}

TEST(Prefactored, FollowsMaterialsThatSoften) {
    PrefactoredOperator prefactored;
    Beam beam("prefactored", 1e7);
    ElasticSolids solids(beam.model, {});
    solids.prepare(beam.state, beam.state.size());
    int made = 0;
    for (const auto& [modulus, count] : {std::pair{1e7, 1}, {8e6, 1}, {1e6, 2}, {0.0, 3}, {0.0, 3}}) {
        EXPECT_TRUE(prefactored.update(beam.model, solids, beam.state, {5e-3, {alike(modulus)}}));
        made = prefactored.count();
        EXPECT_EQ(made, count) << modulus << " Pa";
    }
    std::vector<Vec3> r(beam.state.size(), Vec3(1, 2, 3)), z(r.size());
    prefactored(r, z);  // liquid: C = M
    const Vec3 expected = r.back() / beam.state.mass.back();
    EXPECT_LT((z.back() - expected).norm(), 1e-3 * expected.norm());
}

TEST(Prefactored, GoesOnBitForBitAfterARestart) {
    const auto make = [] {
        auto beam = std::make_unique<Beam>("prefactored", 1e6, 0.1);
        beam->settings.pressure = true;
        beam->start();
        return beam;
    };
    auto straight = make(), first = make(), second = make();
    for (auto* beam : {straight.get(), first.get()}) {
        beam->run(5, 2e-3);
        beam->run(15, 2.5e-3);  // with the matrix of the step before
    }
    Snapshot snapshot;
    first->method->save(snapshot);
    second->state = first->state;
    second->method->restore(snapshot);
    second->time = first->time;
    for (auto* beam : {straight.get(), second.get()}) beam->run(20, 2.5e-3);
    EXPECT_EQ(straight->state.hash(), second->state.hash());
}

TEST(Prefactored, SameBitsAtAnyNumberOfThreads) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 4}) {
        Threads(threads).run([&] {
            Beam beam("prefactored", 1e7, 0.1, 7);
            beam.start();
            beam.run(10, 5e-3);
            hashes.push_back(beam.state.hash());
        });
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace pliant
