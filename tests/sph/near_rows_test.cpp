#include "pliant/methods/sph/near_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "pliant/math/kernels.h"
#include "support/lattice.h"

namespace pliant {
namespace {

constexpr Real h = 0.05, H = 2 * h;

// A block on a floor, its particles in any order: neighbours lie further apart in memory than 16 bits reach. Volumes
// differ by up to a half.
struct ShuffledBlock {
    Model model = rubber_model(1e5, 0.3, h);
    ParticleState state = lattice_block(36, 36, 36, h, 0.2);
    RigidBodies rigids;
    NearRows rows{h, H};

    ShuffledBlock() {
        std::mt19937 random(7);
        std::vector<std::uint32_t> order(state.size());
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin() + 500, order.end(), random);  // some stay near each other
        state.reorder(order);
        std::uniform_real_distribution<Real> share(0.7, 1.0);
        Real lowest = state.position[0].y();
        for (std::size_t i = 0; i < state.size(); ++i) {
            state.rest_volume[i] *= share(random);
            lowest = std::min(lowest, state.position[i].y());
        }
        ColliderSettings floor;
        floor.shape = PlaneShape{};
        floor.position = Vec3(0, lowest - h / 2, 0);
        model.colliders.emplace_back(floor, ShapeContext{});
        Boundary boundary(model, rigids, h, H);
        rows.update(state, boundary, 0, 1e-3);
        points = state.position;
        points.insert(points.end(), boundary.position().begin(), boundary.position().end());
        volumes = state.rest_volume;
        for (std::size_t b = 0; b < boundary.size(); ++b) volumes.push_back(boundary.volume(b));
    }
    std::vector<Vec3> points;
    std::vector<Real> volumes;

    Real slope(std::size_t i, std::size_t j) const {
        const Real r = (points[i] - points[j]).norm();
        return rows.kernel_scale() * volumes[j] * WendlandC2Kernel::derivative(r, H) / r;
    }
    // Of a whole particle in the same place.
    Real steepest() const {
        const Real r = 1e-6 * H;
        return -rows.kernel_scale() * cube(h) * WendlandC2Kernel::derivative(r, H) / r;
    }
};

TEST(NearRows, HoldWhatASearchFindsWithTheSlopeOfTheKernel) {
    const ShuffledBlock block;
    const NearRows& rows = block.rows;
    NeighbourLists lists;
    NeighbourSearch().find(block.points, H, lists);
    ASSERT_GT(block.state.size(), 40000u);
    std::size_t samples = 0;
    for (std::size_t i = 0; i < block.state.size(); i += i < 600 ? 1 : 97) {
        std::map<std::size_t, Real> found;
        rows.each(i, [&](std::size_t j, float s) { EXPECT_TRUE(found.emplace(j, s).second); });
        EXPECT_EQ(found.size(), rows.count(i));
        const Real largest = block.steepest();
        std::size_t seen = 0, beyond = 0;
        for (const std::uint32_t j : lists[i]) {
            const Real s = block.slope(i, j);
            beyond += j >= block.state.size();
            if (!found.count(j)) {
                EXPECT_LT(std::abs(s), 1e-6 * largest);  // at the very edge
                continue;
            }
            ++seen;
            EXPECT_NEAR(found[j], s, 2e-5 * largest);
        }
        EXPECT_EQ(seen, found.size());
        rows.each_sample(i, [&](std::size_t b, float s) {
            ++samples;
            EXPECT_EQ(found.at(block.state.size() + b), Real(s));
        });
        EXPECT_TRUE(beyond > 0 || !rows.sees_samples(i));
    }
    EXPECT_GT(samples, 0u);
}

TEST(NearRows, LoopsOverTwoAtATimeSeeTheSameAsOverOne) {
    const ShuffledBlock block;
    for (std::size_t i = 0; i < block.state.size(); i += 61) {
        std::map<std::size_t, float> one, two;
        block.rows.each(i, [&](std::size_t j, float s) { one[j] = s; });
        block.rows.each_two(i, [&](std::size_t j, std::size_t k, Float8 s) {
            EXPECT_EQ(s[0], s[3]);
            EXPECT_EQ(s[4], s[7]);
            for (const auto& [other, slope] : {std::pair(j, s[0]), std::pair(k, s[4])}) {
                if (one.count(other)) {
                    two[other] = slope;
                } else {
                    EXPECT_EQ(slope, 0);
                }
            }
        });
        EXPECT_EQ(one, two);
    }
}

// V_i s_ij = V_j s_ji: what one gives the other gets, whatever the volumes.
TEST(NearRows, BothSidesOfAPairRoundAlike) {
    const ShuffledBlock block;
    const std::size_t n = block.state.size();
    for (std::size_t i = 0; i < n; i += i < 600 ? 1 : 97) {
        block.rows.each(i, [&](std::size_t j, float s) {
            if (j >= n) return;
            float back = 0;
            block.rows.each(j, [&](std::size_t k, float other) {
                if (k == i) back = other;
            });
            const Real there = block.state.rest_volume[i] * Real(s);
            EXPECT_NEAR(there, block.state.rest_volume[j] * Real(back), 5e-7 * std::abs(there)) << i << ' ' << j;
        });
    }
}

TEST(NearRows, AreTheSameWhetherTheyWereSearchedNowOrBefore) {
    ShuffledBlock block;
    NearRows fresh(h, H);
    Boundary boundary(block.model, block.rigids, h, H), another(block.model, block.rigids, h, H);
    NearRows kept(h, H);
    kept.update(block.state, boundary, 0, 1e-3);
    for (std::size_t i = 0; i < block.state.size(); ++i) {
        block.state.position[i] += 1e-3 * h * Vec3(std::sin(Real(i)), std::cos(Real(i)), 0.3);
    }
    kept.update(block.state, boundary, 0, 1e-3);
    fresh.update(block.state, another, 0, 1e-3);
    for (std::size_t i = 0; i < block.state.size(); i += 7) {
        EXPECT_EQ(kept.density(i), fresh.density(i));
        std::vector<std::pair<std::size_t, float>> a, b;
        kept.each(i, [&](std::size_t j, float s) { a.emplace_back(j, s); });
        fresh.each(i, [&](std::size_t j, float s) { b.emplace_back(j, s); });
        EXPECT_EQ(a, b);
    }
}

// More neighbours than rows usually have: half come near and half go away, several times, without a new search.
TEST(NearRows, CrowdsComeAndGoInTheSameOrder) {
    Model model = rubber_model(1e5, 0.3, h);
    ParticleState state = lattice_block(12, 12, 12, 0.17 * h, 0.2);
    RigidBodies rigids;
    Boundary boundary(model, rigids, h, H), another(model, rigids, h, H);
    NearRows kept(h, H);
    const std::vector<Vec3> start = state.position;
    std::size_t most = 0, changes = 0, before = 0;
    for (int round = 0; round < 6; ++round) {
        for (std::size_t i = 0; i < state.size(); ++i) {
            state.position[i] = start[i] + 0.03 * H * std::sin(Real(round)) * Vec3(std::sin(Real(i)), 0, round % 2);
        }
        kept.update(state, boundary, 0, 1e-3);
        NearRows fresh(h, H);
        fresh.update(state, another, 0, 1e-3);
        std::size_t total = 0;
        for (std::size_t i = 0; i < state.size(); ++i) {
            std::vector<std::pair<std::size_t, float>> a, b;
            kept.each(i, [&](std::size_t j, float s) { a.emplace_back(j, s); });
            fresh.each(i, [&](std::size_t j, float s) { b.emplace_back(j, s); });
            ASSERT_EQ(a, b) << "particle " << i << " in round " << round;
            EXPECT_EQ(kept.density(i), fresh.density(i));
            most = std::max(most, a.size());
            total += a.size();
        }
        changes += total != before;
        before = total;
    }
    EXPECT_GT(most, 600u);
    EXPECT_GE(changes, 5u);
}

}  // namespace
}  // namespace pliant
