#include "pliant/methods/sph/elastic_solids.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/base/parallel.h"
#include "support/lattice.h"

namespace pliant {
namespace {

constexpr Real h = 0.05;

struct Solid {
    Model model;
    ParticleState state;
    ElasticSolids elastic;

    Solid(ParticleState particles, Real young, Real poisson, ElasticSolids::Options options = {})
        : model(rubber_model(young, poisson, h)), state(std::move(particles)), elastic(model, options) {
        elastic.prepare(state, state.size());
    }
    std::vector<Vec3> forces() {
        std::vector<Vec3> f(state.size());
        elastic.forces(state.position, f);
        return f;
    }
    void move(const Mat3& A, const Vec3& b = Vec3::Zero()) {
        for (Vec3& x : state.position) x = A * x + b;
    }
};

Mat3 turn(Real degrees) {
    return Eigen::AngleAxisd(degrees * pi / 180, Vec3(1, 2, -0.5).normalized()).toRotationMatrix();
}

std::vector<Vec3> random_vectors(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> number(-1, 1);
    std::vector<Vec3> v(n);
    for (Vec3& x : v) x = Vec3(number(random), number(random), number(random));
    return v;
}

Real largest(const std::vector<Vec3>& v) {
    Real most = 0;
    for (const Vec3& x : v) most = std::max(most, x.norm());
    return most;
}

TEST(ElasticSolids, ReproducesEveryAffineMotionUpToTheCorners) {
    Solid solid(lattice_block(7, 6, 5, h, 0.2), 1e5, 0.3);
    const Mat3 A = turn(40) * Vec3(1.3, 0.8, 1.1).asDiagonal() * turn(-70);
    solid.move(A, Vec3(100, -20, 3));
    solid.elastic.deform(solid.state, 0);
    for (const Mat3& F : solid.state.deformation) EXPECT_LT((F - A).norm(), 1e-12);
}

TEST(ElasticSolids, FeelsNoForceWhenTurned) {
    Solid solid(lattice_block(6, 6, 6, h, 0.2), 1e5, 0.3);
    solid.move(turn(143), Vec3(1, 2, 3));
    solid.elastic.deform(solid.state, 0);
    for (std::size_t i = 0; i < solid.state.size(); ++i) {
        EXPECT_LT((solid.elastic.rotation(i) - turn(143)).norm(), 1e-8);
    }
    EXPECT_LT(largest(solid.forces()), 1e-9 * 1e5 * h * h);
}

// The printed force gives 158 N here.
TEST(ElasticSolids, SheetsAndStringsFeelNoForceWhenTurned) {
    for (const auto& [a, b] : {std::pair{8, 8}, std::pair{12, 1}}) {
        Solid solid(lattice_block(a, b, 1, h, 0), 1e6, 0.3);
        for (int k = 0; k < 4; ++k) {  // in steps, as it would move
            solid.move(turn(15));
            solid.elastic.deform(solid.state, 0);
        }
        EXPECT_LT(largest(solid.forces()), 1e-9 * 1e6 * h * h) << a << " x " << b;
        EXPECT_EQ(solid.elastic.rank(0), b > 1 ? 2 : 1);
    }
}

TEST(ElasticSolids, MatrixIsSymmetricForAnyMassesVolumesAndModuli) {
    ParticleState state = lattice_block(5, 5, 5, h, 0.2);
    std::mt19937 random(3);
    std::uniform_real_distribution<Real> share(0.5, 2);
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.mass[i] *= share(random);
        state.rest_volume[i] *= share(random);
    }
    for (const Real zero_energy : {0.0, 1.0}) {
        ElasticSolids::Options options;
        options.zero_energy = zero_energy;
        Solid solid(state, 1e6, 0.3, options);
        for (std::size_t i = 0; i < state.size(); ++i) {
            solid.state.position[i] += 0.1 * h * random_vectors(state.size(), 1)[i];
        }
        solid.elastic.deform(solid.state, 0);
        const auto p = random_vectors(state.size(), 4), q = random_vectors(state.size(), 5);
        std::vector<Vec3> Ap(p.size()), Aq(p.size());
        for (const bool is_rough : {false, true}) {
            solid.elastic.multiply(solid.state.mass, 5e-3, is_rough, p, Ap);
            solid.elastic.multiply(solid.state.mass, 5e-3, is_rough, q, Aq);
            Real pq = 0, qp = 0, size = 0, definite = 0;
            for (std::size_t i = 0; i < p.size(); ++i) {
                pq += p[i].dot(Aq[i]);
                qp += q[i].dot(Ap[i]);
                size += p[i].norm() * Aq[i].norm();
                definite += p[i].dot(Ap[i]);
            }
            EXPECT_LT(std::abs(pq - qp), (is_rough ? 1e-6 : 1e-12) * size);
            EXPECT_GT(definite, 0);
        }
    }
}

TEST(ElasticSolids, ForcesSumUpToNothing) {
    Solid solid(lattice_block(6, 5, 7, h, 0.2), 1e6, 0.3);
    const auto noise = random_vectors(solid.state.size(), 9);
    solid.move(turn(80), Vec3(4, 5, 6));
    for (std::size_t i = 0; i < noise.size(); ++i) solid.state.position[i] += 0.2 * h * noise[i];
    for (int k = 0; k < 3; ++k) solid.elastic.deform(solid.state, 0);
    const auto f = solid.forces();
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    Real size = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        sum += f[i];
        torque += (solid.state.position[i] - Vec3(4, 5, 6)).cross(f[i]);
        size += f[i].norm();
    }
    EXPECT_LT(sum.norm(), 1e-13 * size);
    EXPECT_LT(torque.norm(), 1e-10 * size);
}

// Rotations found anew at moved positions change the energy in second order only.
TEST(ElasticSolids, ForcesAreTheSlopeOfTheEnergy) {
    for (const auto strain : {ElasticSolids::Strain::corotated, ElasticSolids::Strain::green}) {
        ElasticSolids::Options options;
        options.strain = strain;
        options.zero_energy = 0.5;
        Solid solid(lattice_block(4, 4, 4, h, 0.1), 1e5, 0.3, options);
        const auto noise = random_vectors(solid.state.size(), 2), direction = random_vectors(solid.state.size(), 8);
        for (std::size_t i = 0; i < noise.size(); ++i) solid.state.position[i] += 0.1 * h * noise[i];
        solid.elastic.deform(solid.state, 0);
        const auto f = solid.forces();
        const auto energy_at = [&](Real step) {
            ParticleState moved = solid.state;
            for (std::size_t i = 0; i < noise.size(); ++i) moved.position[i] += step * direction[i];
            solid.elastic.deform(moved, 0);
            return solid.elastic.energy(moved);
        };
        const Real step = 1e-6 * h, slope = (energy_at(step) - energy_at(-step)) / (2 * step);
        Real work = 0, size = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            work -= f[i].dot(direction[i]);
            size += f[i].norm() * direction[i].norm();
        }
        EXPECT_NEAR(slope, work, 1e-6 * size);
    }
}

TEST(ElasticSolids, ProductsAreTheSlopeOfTheForces) {
    for (const Real zero_energy : {0.0, 0.5}) {
        ElasticSolids::Options options;
        options.zero_energy = zero_energy;
        Solid solid(lattice_block(5, 4, 3, h, 0.1), 1e5, 0.3, options);
        solid.move(turn(30));
        solid.elastic.deform(solid.state, 0);
        const auto p = random_vectors(solid.state.size(), 8);
        const std::vector<Real> no_mass(p.size(), 0);
        std::vector<Vec3> at(p.size()), before(p.size()), after(p.size()), fine(p.size()), rough(p.size());
        for (std::size_t i = 0; i < p.size(); ++i) at[i] = solid.state.position[i] + 0.01 * h * p[i];
        solid.elastic.forces(solid.state.position, before);
        solid.elastic.forces(at, after);
        solid.elastic.multiply(no_mass, 1, false, p, fine);
        solid.elastic.multiply(no_mass, 1, true, p, rough);
        for (std::size_t i = 0; i < p.size(); ++i) {
            EXPECT_LT(((before[i] - after[i]) / (0.01 * h) - fine[i]).norm(), 1e-9 * largest(fine));
            EXPECT_LT((rough[i] - fine[i]).norm(), 2e-6 * largest(fine));
        }
    }
}

TEST(ElasticSolids, DiagonalIsThatOfTheMatrix) {
    ElasticSolids::Options options;
    options.zero_energy = 0.5;
    Solid solid(lattice_block(4, 3, 3, h, 0.1), 1e5, 0.3, options);
    std::vector<Mat3> blocks;
    solid.elastic.diagonal(blocks);
    const std::size_t n = solid.state.size();
    const std::vector<Real> no_mass(n, 0);
    for (const std::size_t i : {std::size_t(0), n / 2}) {
        for (int d = 0; d < 3; ++d) {
            std::vector<Vec3> unit(n, Vec3::Zero()), column(n);
            unit[i][d] = 1;
            solid.elastic.multiply(no_mass, 1, false, unit, column);
            EXPECT_LT((column[i] - blocks[i].col(d)).norm(), 1e-6 * blocks[i].norm());
        }
    }
}

TEST(ElasticSolids, PenaltyStiffensTheCheckerboard) {
    const auto stiffness = [](int size, Real zero_energy) {
        ElasticSolids::Options options;
        options.zero_energy = zero_energy;
        Solid solid(lattice_block(size, size, size, h, 0), 2.5e6, 0.25, options);  // G = 1e6
        const std::size_t n = solid.state.size();
        std::vector<Vec3> p(n), Kp(n);
        const std::vector<Real> no_mass(n, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3 k = solid.state.position[i] / h;
            p[i] = std::lround(k.sum()) % 2 ? Vec3(1, 0, 0) : Vec3(-1, 0, 0);
        }
        solid.elastic.multiply(no_mass, 1, false, p, Kp);
        Real sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += p[i].dot(Kp[i]);
        return sum / Real(n) / (h * 1e6);
    };
    EXPECT_GT(stiffness(6, 0), 1.4 * stiffness(12, 0));  // only the surface sees it
    EXPECT_GT(stiffness(12, 1), 2 * stiffness(12, 0));
    EXPECT_LT(stiffness(6, 1), 1.4 * stiffness(12, 1));
}

}  // namespace
}  // namespace pliant
