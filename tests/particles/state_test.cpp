#include "pliant/particles/state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

// Every number of every array is another one.
ParticleState distinct_particles(std::size_t count) {
    ParticleState state;
    state.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<Real>(i);
        state.id[i] = static_cast<std::uint32_t>(i);
        state.body[i] = static_cast<std::uint32_t>(2 * i);
        state.pin[i] = static_cast<std::int32_t>(i) - 1;
        state.position[i] = {x, x + 0.1, x + 0.2};
        state.velocity[i] = {-x, x * x, 0.5};
        state.mass[i] = x + 1;
        state.rest_volume[i] = 0.25 * x;
        state.deformation[i] = Mat3::Constant(x) + Mat3::Identity();
        state.plastic_strain[i] = 1e-3 * x;
    }
    return state;
}

// Two particles: 2 kg at (1, 0, 0) with (0, 3, 0), and 1 kg at (0, 2, 0) with (0, 0, 4).
ParticleState two_particles() {
    ParticleState state;
    state.resize(2);
    state.mass = {2, 1};
    state.position = {{1, 0, 0}, {0, 2, 0}};
    state.velocity = {{0, 3, 0}, {0, 0, 4}};
    return state;
}

TEST(ParticleState, NewParticlesRestUndeformedAndFree) {
    ParticleState state;
    EXPECT_EQ(state.size(), 0u);
    state.resize(3);
    state.add_orientations();
    state.each_array([&](const char* name, const auto& array) { EXPECT_EQ(array.size(), 3u) << name; });
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(state.pin[i], no_pin);
        EXPECT_EQ(state.position[i], Vec3::Zero());
        EXPECT_EQ(state.velocity[i], Vec3::Zero());
        EXPECT_EQ(state.deformation[i], Mat3::Identity());
        EXPECT_EQ(state.plastic_strain[i], 0);
    }
}

TEST(ParticleState, GrowingKeepsWhatIsThere) {
    ParticleState state = distinct_particles(4);
    state.resize(6);
    EXPECT_EQ(state.position[3], Vec3(3, 3.1, 3.2));
    EXPECT_EQ(state.deformation[5], Mat3::Identity());
    EXPECT_EQ(state.pin[5], no_pin);
}

TEST(ParticleState, VisitsEachArrayOnceUnderItsOwnName) {
    const ParticleState state = distinct_particles(3);
    std::set<std::string> names;
    std::size_t bytes = 0;
    state.each_array([&](const char* name, const auto& array) {
        EXPECT_TRUE(names.insert(name).second) << name;
        bytes += array.size() * sizeof(array[0]);
    });
    // 3 x 4 bytes of indices; 3 + 3 + 1 + 1 + 9 + 1 numbers
    EXPECT_EQ(bytes, 3u * (3 * 4 + 18 * 8));
    EXPECT_EQ(state.bytes(), bytes);
}

TEST(ParticleState, ReorderMovesEveryArrayAlike) {
    const ParticleState before = distinct_particles(2000);
    std::vector<std::uint32_t> order(before.size());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    ParticleState after = before;
    after.reorder(order);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::size_t i = order[k];
        ASSERT_EQ(after.id[k], i);
        ASSERT_EQ(after.body[k], before.body[i]);
        ASSERT_EQ(after.pin[k], before.pin[i]);
        ASSERT_EQ(after.position[k], before.position[i]);
        ASSERT_EQ(after.velocity[k], before.velocity[i]);
        ASSERT_EQ(after.mass[k], before.mass[i]);
        ASSERT_EQ(after.rest_volume[k], before.rest_volume[i]);
        ASSERT_EQ(after.deformation[k], before.deformation[i]);
        ASSERT_EQ(after.plastic_strain[k], before.plastic_strain[i]);
    }
    std::vector<std::uint32_t> back(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) back[order[k]] = static_cast<std::uint32_t>(k);
    after.reorder(back);
    EXPECT_EQ(after.hash(), before.hash());
}

TEST(ParticleState, HashShowsAChangeInAnyArray) {
    ParticleState state = distinct_particles(100);
    std::set<std::uint64_t> seen = {state.hash()};
    const auto expect_new = [&](const char* name) { EXPECT_TRUE(seen.insert(state.hash()).second) << name; };
    state.id[50] ^= 1, expect_new("id");
    state.body[50] ^= 1, expect_new("body");
    state.pin[50] ^= 1, expect_new("pin");
    state.position[99].z() = std::nextafter(state.position[99].z(), 1e9), expect_new("position");
    state.velocity[0].x() = -0.0, state.velocity[0].y() = -0.0, expect_new("velocity");
    state.mass[7] *= 1 + 1e-15, expect_new("mass");
    state.rest_volume[8] = 3, expect_new("rest_volume");
    state.deformation[9](2, 1) += 1e-9, expect_new("deformation");
    state.plastic_strain[10] += 1, expect_new("plastic_strain");
    state.resize(101), expect_new("size");
}

TEST(ParticleState, HashIsTheSameAtAnyThreadCount) {
    const ParticleState state = distinct_particles(20'000);
    std::set<std::uint64_t> values;
    for (const int threads : {1, 2, 4, 7}) Threads(threads).run([&] { values.insert(state.hash()); });
    EXPECT_EQ(values.size(), 1u);
}

TEST(Totals, OfTwoParticlesAreThoseOfTheTextbook) {
    const ParticleState state = two_particles();
    EXPECT_EQ(total_mass(state), 3);
    EXPECT_LT((centre_of_mass(state) - Vec3(2.0 / 3, 2.0 / 3, 0)).norm(), 1e-15);
    EXPECT_EQ(momentum(state).linear, Vec3(0, 6, 4));
    EXPECT_EQ(momentum(state).angular, Vec3(8, 0, 6));  // (1,0,0) x (0,6,0) + (0,2,0) x (0,0,4)
    EXPECT_EQ(kinetic_energy(state), 17);               // 2 * 9 / 2 + 1 * 16 / 2
    EXPECT_EQ(potential_energy(state, {0, -10, 0}), 20);
    EXPECT_EQ(potential_energy(state, {-1, 0, 0}), 2);
    EXPECT_EQ(largest_speed(state), 4);
    EXPECT_EQ(bounds(state).min(), Vec3(0, 0, 0));
    EXPECT_EQ(bounds(state).max(), Vec3(1, 2, 0));
}

TEST(Totals, OfNothingAreZero) {
    const ParticleState state;
    EXPECT_EQ(total_mass(state), 0);
    EXPECT_EQ(centre_of_mass(state), Vec3::Zero());
    EXPECT_EQ(momentum(state).linear, Vec3::Zero());
    EXPECT_EQ(momentum(state).angular, Vec3::Zero());
    EXPECT_EQ(kinetic_energy(state), 0);
    EXPECT_EQ(largest_speed(state), 0);
    EXPECT_TRUE(bounds(state).isEmpty());
    EXPECT_EQ(first_not_finite(state), 0u);
    EXPECT_EQ(state.bytes(), 0u);
}

// A cloud that turns by w about its centre of mass c and flies with u:  p = M u,  L = c x p + I w,  T = M u^2/2 + w.I
// w/2
TEST(Totals, OfARigidMotionObeySteinersTheorem) {
    std::mt19937 random(2);
    std::normal_distribution<Real> normal;
    ParticleState state;
    state.resize(5000);
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.mass[i] = 1 + std::abs(normal(random));
        state.position[i] = {5 + normal(random), normal(random), 0.3 * normal(random)};
    }
    const Vec3 c = centre_of_mass(state), u(1, -2, 3), w(0.5, 4, -1);
    Mat3 inertia = Mat3::Zero();
    for (std::size_t i = 0; i < state.size(); ++i) {
        const Vec3 r = state.position[i] - c;
        state.velocity[i] = u + w.cross(r);
        inertia += state.mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    const Real M = total_mass(state);
    EXPECT_LT((momentum(state).linear - M * u).norm(), 1e-9);
    EXPECT_LT((momentum(state).angular - (c.cross(M * u) + inertia * w)).norm(), 1e-7);
    EXPECT_NEAR(kinetic_energy(state), M * u.squaredNorm() / 2 + w.dot(inertia * w) / 2, 1e-7);
}

TEST(Totals, HaveTheSameBitsAtAnyThreadCount) {
    std::mt19937 random(3);
    std::normal_distribution<Real> normal;
    ParticleState state;
    state.resize(10'007);
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.mass[i] = std::exp(3 * normal(random));
        state.position[i] = Vec3(normal(random), normal(random), normal(random)) * 100;
        state.velocity[i] = Vec3(normal(random), normal(random), normal(random));
    }
    ParticleState results;  // each thread count leaves its totals in a particle; all must be equal
    for (const int threads : {1, 2, 4, 7}) {
        Threads(threads).run([&] {
            const Momentum p = momentum(state);
            results.position.push_back(p.linear);
            results.velocity.push_back(p.angular);
            results.mass.push_back(kinetic_energy(state));
            results.rest_volume.push_back(potential_energy(state, {1, 2, 3}));
            results.plastic_strain.push_back(centre_of_mass(state).sum());
        });
    }
    for (std::size_t k = 1; k < results.size(); ++k) {
        EXPECT_EQ(results.position[k], results.position[0]);
        EXPECT_EQ(results.velocity[k], results.velocity[0]);
        EXPECT_EQ(results.mass[k], results.mass[0]);
        EXPECT_EQ(results.rest_volume[k], results.rest_volume[0]);
        EXPECT_EQ(results.plastic_strain[k], results.plastic_strain[0]);
    }
}

TEST(FirstNotFinite, IsTheLowestIndexAtAnyThreadCount) {
    ParticleState state = distinct_particles(5000);
    EXPECT_EQ(first_not_finite(state), state.size());
    state.velocity[4321].y() = nan;
    EXPECT_EQ(first_not_finite(state), 4321u);
    state.position[1234].x() = std::numeric_limits<Real>::infinity();
    state.position[4999].x() = nan;
    for (const int threads : {1, 2, 7}) Threads(threads).run([&] { EXPECT_EQ(first_not_finite(state), 1234u); });
    state.position[0].z() = nan;
    EXPECT_EQ(first_not_finite(state), 0u);
}

TEST(ParticleState, AppendsParticlesAndNumbersThemOn) {
    ParticleState state;
    state.resize(3);
    for (std::uint32_t i = 0; i < 3; ++i) state.id[i] = 2 - i;  // in another order, as after sorting
    EXPECT_EQ(state.append(2), 3u);
    EXPECT_EQ(state.size(), 5u);
    EXPECT_EQ(state.id, (std::vector<std::uint32_t>{2, 1, 0, 3, 4}));
    EXPECT_EQ(state.pin[4], no_pin);
    EXPECT_EQ(state.deformation[4], Mat3::Identity());
    state.each_array(
        [&](const char* name, const auto& array) { EXPECT_TRUE(array.empty() || array.size() == 5u) << name; });
    state.add_orientations();
    state.append(1);
    EXPECT_EQ(state.orientation.size(), 6u);
    EXPECT_EQ(state.append(0), 6u);
}

}  // namespace
}  // namespace pliant
