#include "pliant/methods/mpm/equilibration.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "mpm/cloud.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

// The same scaling of the whole matrix, written out.
Eigen::VectorXd scales_of(const Eigen::MatrixXd& K, int rounds) {
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(K.rows());
    for (int round = 0; round < rounds; ++round) {
        const Eigen::MatrixXd scaled = scale.asDiagonal() * K * scale.asDiagonal();
        for (Eigen::Index r = 0; r < K.rows(); ++r) {
            const Real length = scaled.row(r).norm();
            if (length > 0) scale[r] /= std::sqrt(length);
        }
    }
    return scale;
}

// Heavy and light nodes, stiff particles and soft ones: the factors are those of the matrix written out, and rows that
// differed by orders of magnitude are alike.
TEST(Equilibration, MakesRowsAlike) {
    const Real spacing = 0.05, h = 2 * spacing;
    const ParticleState state = lattice_block(4, 3, 2, spacing, 0.2);
    SparseGrid grid(h);
    grid.build(state.position);
    grid.find_views();
    const std::size_t nodes = grid.node_count(), particles = state.size();
    std::vector<Real> mass(nodes + 1);
    for (std::size_t i = 0; i < nodes; ++i) mass[i] = std::pow(10.0, -Real(i % 4));

    Equilibration equilibration;
    const auto constraints = equilibration.constraints(grid, 1);
    ASSERT_EQ(constraints.size(), grid.place_count() / 4);
    const auto n = static_cast<Eigen::Index>(nodes), m = static_cast<Eigen::Index>(particles);
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + 2 * m, n + 2 * m);
    for (Eigen::Index i = 0; i < n; ++i) K(i, i) = mass[std::size_t(i)];
    for (std::size_t b = 0; b < grid.block_count(); ++b) {
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; ++k) {
            const int lane = static_cast<int>(k % 4);
            Equilibration::Constraint& row = constraints[k / 4];
            const std::uint32_t p = grid.particle(k);
            const bool exists = p != SparseGrid::nobody;
            const Real weight = exists ? std::pow(10.0, Real(p % 5)) : 0, stiffness = 2 * weight;
            const Vec3 coupling = exists ? Vec3(Vec3(3, 1, 2) * weight / square(h)) : Vec3(Vec3::Zero());
            for (int a = 0; a < 3; ++a) row.coupling[a].set(lane, coupling[a]);
            row.stiffness.set(lane, stiffness);
            row.weight.set(lane, weight);
            if (!exists) continue;
            const Eigen::Index F = n + p, z = n + m + p;
            K(F, F) = stiffness;
            K(F, z) = K(z, F) = std::sqrt(weight);
            for (std::size_t i = 0; i < nodes; ++i) {  // by what a lone node of value 1 gives to the particle
                std::vector<Vec3> one(nodes + 1, Vec3::Zero());
                one[i] = Vec3::UnitX();
                SparseGrid::Window in;
                grid.load(b, one, in);
                const Moments moments = gather(in, grid.place(k), PlaceWeights(grid.place(k), h));
                const Real d2 = coupling.x() * square(moments.x[0]) + coupling.y() * square(moments.y[0]) +
                                coupling.z() * square(moments.z[0]);
                K(static_cast<Eigen::Index>(i), z) = K(z, static_cast<Eigen::Index>(i)) = std::sqrt(d2);
            }
        }
    }
    const auto factors = equilibration.find(grid, mass);

    const Eigen::VectorXd scale = scales_of(K, 10);
    const Eigen::MatrixXd scaled = scale.asDiagonal() * K * scale.asDiagonal();
    EXPECT_GT(K.rowwise().norm().maxCoeff(), 1e4 * K.rowwise().norm().minCoeff());
    EXPECT_LT(scaled.rowwise().norm().maxCoeff(), 2 * scaled.rowwise().norm().minCoeff());
    Real before = 0, after = 0, mean = 0;
    for (std::uint32_t p = 0; p < particles; ++p) {
        const Real weight = std::pow(10.0, Real(p % 5));
        before += weight;
        after += weight * square(scale[n + m + p]);
    }
    for (std::size_t k = 0; k < grid.place_count(); ++k) {
        const std::uint32_t p = grid.particle(k);
        if (p == SparseGrid::nobody) continue;
        const Real factor = factors[k / 4][static_cast<int>(k % 4)];
        EXPECT_NEAR(factor, before / after * square(scale[n + m + p]), 1e-9 * factor) << p;
        mean += factor * std::pow(10.0, Real(p % 5)) / before;
    }
    EXPECT_NEAR(mean, 1, 1e-12);
}

}  // namespace
}  // namespace pliant
