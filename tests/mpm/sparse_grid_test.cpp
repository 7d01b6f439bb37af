#include "pliant/methods/mpm/sparse_grid.h"

#include <gtest/gtest.h>

#include <set>

#include "mpm/cloud.h"
#include "pliant/base/error.h"
#include "pliant/math/grid_weights.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

std::vector<Vec3> scattered(std::size_t n, Real size) {
    std::vector<Vec3> x = random_vectors(n, 3);
    for (Vec3& v : x) v = size * v + Vec3(-3, 5, 100);
    return x;
}

TEST(SparseGrid, HasEveryParticleOnceAndNoOtherNodesThanTheyReach) {
    const auto x = scattered(2000, 0.3);
    SparseGrid grid(0.1);
    grid.build(x);
    std::vector<int> seen(x.size(), 0);
    std::set<std::array<long, 3>> reached;
    for (std::size_t k = 0; k < grid.place_count(); ++k) {
        const std::uint32_t p = grid.particle(k);
        if (p == SparseGrid::nobody) continue;
        ++seen[p];
        const GridWeights w(x[p], 0.1);
        for (int i = 0; i < 27; ++i) {
            reached.insert({w.base.x() + i / 9, w.base.y() + i / 3 % 3, w.base.z() + i % 3});
        }
    }
    for (const int count : seen) EXPECT_EQ(count, 1);
    EXPECT_EQ(grid.node_count(), reached.size());
    for (std::size_t i = 0; i < grid.node_count(); ++i) {
        const Vec3 node = grid.node_position(i) / 0.1;
        EXPECT_TRUE(reached.contains({std::lround(node.x()), std::lround(node.y()), std::lround(node.z())}));
    }
}

// The window's node at a place is where the place says, for all 27 nodes of a particle; views agree with windows.
TEST(SparseGrid, WindowsShowTheRightNodes) {
    const auto x = scattered(500, 0.5);
    const Real h = 0.1;
    SparseGrid grid(h);
    grid.build(x);
    for (std::size_t b = 0; b < grid.block_count(); ++b) {
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; ++k) {
            if (grid.particle(k) == SparseGrid::nobody) continue;
            const SparseGrid::Place& place = grid.place(k);
            const GridWeights w(x[grid.particle(k)], h);
            const PlaceWeights mine(place, h);
            for (int i = 0; i < 27; ++i) {
                const int a = i / 9, c = i / 3 % 3, d = i % 3;
                const std::uint32_t node = grid.window_node(b, std::size_t(place.base + (a * 6 + c) * 6 + d));
                const Vec3 expected = h * (w.base + Eigen::Vector3i(a, c, d)).cast<Real>();
                ASSERT_LT((grid.node_position(node) - expected).norm(), 1e-9);
                ASSERT_NEAR(mine.axis[0].weight[a] * mine.axis[1].weight[c] * mine.axis[2].weight[d], w.weight(a, c, d),
                            1e-13);
            }
        }
    }
    grid.find_views();
    constexpr int V = SparseGrid::view_width;
    std::size_t found = 0;
    grid.each_node_block([&](std::size_t b) {
        const auto& block = grid.node_block(b);
        for (int i = 0; i < V * V * V; ++i) {
            if (grid.view(b)[i] == grid.node_count()) continue;
            const Vec3 expected = h * Vec3(4 * block.at[0] - 2 + i / (V * V), 4 * block.at[1] - 2 + i / V % V,
                                           4 * block.at[2] - 2 + i % V);
            EXPECT_LT((grid.node_position(grid.view(b)[i]) - expected).norm(), 1e-9);
        }
    });
    for (std::size_t b = 0; found < grid.node_count(); ++b)
        found += std::size_t(std::popcount(grid.node_block(b).nodes));
    EXPECT_EQ(found, grid.node_count());
}

TEST(SparseGrid, LonelyParticlesCostLittle) {
    std::vector<Vec3> x = {Vec3(0, 0, 0), Vec3(2e4, -1e4, 3e4), Vec3(-1e4, 0, 0)};
    SparseGrid grid(0.1);
    grid.build(x);
    EXPECT_EQ(grid.node_count(), 81u);
    EXPECT_EQ(grid.block_count(), 3u);
}

TEST(SparseGrid, SaysWhichParticleIsLost) {
    std::vector<Vec3> x(5, Vec3::Zero());
    x[3].y() = std::numeric_limits<Real>::quiet_NaN();
    SparseGrid grid(0.1);
    try {
        grid.build(x);
        FAIL();
    } catch (const SimulationError& error) {
        EXPECT_NE(std::string(error.what()).find("particle 3"), std::string::npos);
    }
    x[3].y() = 1e7;
    EXPECT_THROW(grid.build(x), SimulationError);
}

// Affine velocities come back as they are; momentum and moment of momentum are kept both ways.
TEST(Transfers, ReproduceAffineFields) {
    Cloud cloud(lattice_block(7, 8, 6, 0.05, 0.3), 1e5, 0.3, 0.05);
    cloud.start(Fang2019::Time::newton);
    Mat3 A;
    A << 0.3, -1, 0.2, 0.5, 0.1, 2, -0.4, 0.3, 0.7;
    const Vec3 v0(1, -2, 3);
    for (std::size_t p = 0; p < cloud.state.size(); ++p) {
        cloud.state.velocity[p] = v0 + A * cloud.state.position[p];
        cloud.method->matter().affine[p] = A;
    }
    SparseGrid& grid = cloud.method->grid();
    grid.build(cloud.state.position);
    const Momentum before = cloud.momentum();
    cloud.method->particles_to_grid(cloud.state, 1e-3);
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (std::size_t i = 0; i < grid.node_count(); ++i) {
        const Vec3 x = grid.node_position(i), v = cloud.method->node_velocity()[i];
        EXPECT_LT((v - v0 - A * x).norm(), 1e-11);
        linear += cloud.method->node_mass()[i] * v;
        angular += cloud.method->node_mass()[i] * x.cross(v);
    }
    EXPECT_LT((linear - before.linear).norm(), 1e-12 * before.linear.norm());
    EXPECT_LT((angular - before.angular).norm(), 1e-12 * before.angular.norm());
    StepReport report;
    cloud.method->grid_to_particles(cloud.state, 0, 1e-9, report);
    for (std::size_t p = 0; p < cloud.state.size(); ++p) {
        EXPECT_LT((cloud.method->matter().affine[p] - A).norm(), 1e-10);
    }
    const Momentum after = cloud.momentum();
    EXPECT_LT((after.linear - before.linear).norm(), 1e-12 * before.linear.norm());
    EXPECT_LT((after.angular - before.angular).norm(), 1e-12 * before.angular.norm());
}

// A wave of shear decays as the damping's viscosity says; what transfers do by themselves is small beside it. Looked at
// inside a block, where its free faces are not felt in so few steps.
TEST(Transfers, DampingIsAViscosity) {
    const Real spacing = 0.02, h = 2 * spacing, k = 2 * pi / (16 * h), dt = 1e-3;
    const auto decay = [&](Real damping) {
        Cloud cloud(lattice_block(60, 28, 28, spacing, 0), 1e-3, 0.3, spacing);
        cloud.settings.damping = damping;
        cloud.start(Fang2019::Time::symplectic_euler);
        for (std::size_t p = 0; p < cloud.state.size(); ++p) {
            const Real phase = k * cloud.state.position[p].x();
            cloud.state.velocity[p].y() = std::cos(phase);
            cloud.method->matter().affine[p](1, 0) = -k * std::sin(phase);
        }
        const auto amplitude = [&] {
            Real sum = 0;
            for (std::size_t p = 0; p < cloud.state.size(); ++p) {
                const Vec3 x = cloud.state.position[p] / spacing;
                if ((x - Vec3(29.5, 13.5, 13.5)).cwiseAbs().cwiseQuotient(Vec3(16, 3, 3)).maxCoeff() > 1) continue;
                sum += cloud.state.velocity[p].y() * std::cos(k * cloud.state.position[p].x());
            }
            return sum;
        };
        cloud.run(1, dt);
        const Real before = amplitude();
        cloud.run(2, dt);
        return -std::log(amplitude() / before) / (square(k) * 2 * dt);
    };
    const Real full = square(h) / (8 * dt), own = decay(0);
    EXPECT_LT(own, 0.05 * full);
    EXPECT_NEAR(decay(full), full, 0.02 * full);
    EXPECT_NEAR(decay(full / 2), full / 2 + own / 2, 0.02 * full / 2);
    // Beyond one transfer by round trips before the step.
    for (const Real times : {1.5, 2.0, 4.0}) {
        EXPECT_NEAR(decay(times * full), times * full, 0.02 * times * full) << times;
    }
}

TEST(Transfers, DampingBeyondAllMeasureIsRefused) {
    Cloud cloud(lattice_block(2, 2, 2, 1e-4, 0), 1e5, 0.3, 1e-4);
    cloud.settings.damping = 1000;
    cloud.start(Fang2019::Time::newton);
    EXPECT_THROW(cloud.run(1, 5e-3), InputError);
}

// However strong: of a body that spins and wobbles the wobble goes and the spin stays.
TEST(Transfers, DampingKeepsMomentum) {
    for (const auto time : {Fang2019::Time::symplectic_euler, Fang2019::Time::newton}) {
        for (const bool is_at_rest : {false, true}) {
            Cloud cloud(lattice_block(8, 8, 8, 0.025, 0.1), 1e-6, 0.3, 0.025);  // next to no stress
            cloud.settings.damping = 20 * square(0.05) / (8 * 1e-3);
            cloud.settings.grid = is_at_rest ? "rest" : "moving";
            throw_by(cloud.state, Vec3(1, 2, 3), Vec3(0, 3, 1));
            const Vec3 centre = centre_of_mass(cloud.state);
            for (std::size_t p = 0; p < cloud.state.size(); ++p) {
                cloud.state.velocity[p] += 3 * (cloud.state.position[p] - centre);  // it breathes
            }
            cloud.start(time);
            const Momentum before = cloud.momentum();
            const Real energy = kinetic_energy(cloud.state);
            cloud.run(1, 1e-3);
            const Momentum after = cloud.momentum();
            EXPECT_LT((after.linear - before.linear).norm(), 1e-12 * before.linear.norm());
            // On a grid at rest bodies deform in the step, which moves their angular momentum a little.
            const Real angular = is_at_rest ? 1e-9 : 1e-12;
            EXPECT_LT((after.angular - before.angular).norm(), angular * before.angular.norm());
            EXPECT_LT(kinetic_energy(cloud.state), energy);
        }
    }
}

}  // namespace
}  // namespace pliant
