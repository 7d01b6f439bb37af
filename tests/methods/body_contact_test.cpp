#include "pliant/methods/body_contact.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "pliant/base/hash.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real stiffness = 0.7;
constexpr Real dt = 1e-4;

// Two bodies, the second twice as coarse and ten times as stiff.
Model two_bodies(Real friction) {
    Model model;
    model.body_friction = friction;
    for (const Real young : {1e5, 1e6}) {
        const Moduli moduli = Moduli::from_young_poisson(young, 0.3);
        model.materials.push_back({"", 1000, moduli, make_elasticity("corotated", moduli), std::nullopt});
    }
    model.bodies = {{"fine", 0, 0.01}, {"coarse", 1, 0.02}};
    return model;
}
constexpr Real contact_distance = 0.015;

struct Particle {
    std::uint32_t body;
    Vec3 position;
    Vec3 velocity = Vec3::Zero();
};

ParticleState particles(const std::vector<Particle>& list) {
    ParticleState state;
    state.resize(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        state.id[i] = static_cast<std::uint32_t>(i);
        state.body[i] = list[i].body;
        state.position[i] = list[i].position;
        state.velocity[i] = list[i].velocity;
        state.mass[i] = list[i].body == 0 ? 1e-3 : 8e-3;
    }
    return state;
}

std::vector<Vec3> forces(const Model& model, const ParticleState& state) {
    std::vector<Vec3> force(state.size(), Vec3::Zero());
    BodyContact(model, stiffness).add_forces(state, dt, force);
    return force;
}

// Two clouds that overlap.
ParticleState clouds(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<Real> normal;
    std::vector<Particle> list;
    for (int k = 0; k < count; ++k) {
        const Vec3 x(normal(random), normal(random), normal(random)), v(normal(random), normal(random), normal(random));
        list.push_back({static_cast<std::uint32_t>(k % 3 == 0), 0.06 * x, v});
    }
    return particles(list);
}

std::uint64_t hash_of(const std::vector<Vec3>& values) {
    Hash hash;
    hash.add_bytes(values.data(), values.size() * sizeof(Vec3));
    return hash.value();
}

// f = k (d - r),  k = stiffness M d  with the P-wave modulus M of the softer body
TEST(BodyContact, PushesByTheOverlapTimesTheSofterModulus) {
    const Model model = two_bodies(0.5);
    for (const Real r : {0.001, 0.01, 0.0149}) {
        const auto f = forces(model, particles({{0, {0, 0, 0}}, {1, {0, r, 0}}}));
        const Real k = stiffness * model.materials[0].moduli.p_wave() * contact_distance;
        EXPECT_LT((f[0] - Vec3(0, -k * (contact_distance - r), 0)).norm(), 1e-12 * k);
        EXPECT_EQ(f[1], Vec3(-f[0]));
    }
}

TEST(BodyContact, IsNoneBeyondTheMeanSpacing) {
    const Model model = two_bodies(0.5);
    const Vec3 closing(0, -5, 0);
    for (const Real r : {contact_distance, 1.0001 * contact_distance, 0.02, 5.0}) {
        const auto f = forces(model, particles({{0, {0, 0, 0}}, {1, {0, r, 0}, closing}}));
        EXPECT_EQ(f[0], Vec3::Zero()) << r;
        EXPECT_EQ(f[1], Vec3::Zero()) << r;
    }
}

TEST(BodyContact, IsNoneWithinABodyOrForABodyAlone) {
    const auto within = forces(two_bodies(0.5), particles({{0, {0, 0, 0}}, {0, {0, 0.001, 0}}, {1, {1, 0, 0}}}));
    for (const Vec3& f : within) EXPECT_EQ(f, Vec3::Zero());
    Model alone = two_bodies(0.5);
    alone.bodies.resize(1);
    for (const Vec3& f : forces(alone, particles({{0, {0, 0, 0}}, {0, {0, 0.001, 0}}}))) EXPECT_EQ(f, Vec3::Zero());
}

TEST(BodyContact, AddsToWhatIsThere) {
    const ParticleState state = particles({{0, {0, 0, 0}}, {1, {0, 0.01, 0}}});
    const Model model = two_bodies(0);
    std::vector<Vec3> force = {{1, 2, 3}, {4, 5, 6}};
    BodyContact(model, stiffness).add_forces(state, dt, force);
    EXPECT_LT((force[0] - Vec3(1, 2, 3) - forces(model, state)[0]).norm(), 1e-12);
}

TEST(BodyContact, ForcesOfAPairAreOppositeToTheBit) {
    std::mt19937 random(1);
    std::normal_distribution<Real> normal;
    const Model model = two_bodies(0.4);
    for (int k = 0; k < 500; ++k) {
        const auto vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
        const Vec3 x = vector(), v = vector(), w = vector();
        const auto f = forces(model, particles({{0, x, v}, {1, x + 0.006 * vector(), w}}));
        ASSERT_EQ(f[0], Vec3(-f[1]));
    }
}

TEST(BodyContact, KeepsTheMomentumOfManyParticles) {
    for (const unsigned seed : {1u, 2u, 3u}) {
        const auto f = forces(two_bodies(0.5), clouds(2000, seed));
        Vec3 sum = Vec3::Zero();
        Real size = 0;
        for (const Vec3& x : f) sum += x, size += x.norm();
        EXPECT_GT(size, 100);
        EXPECT_LT(sum.norm(), 1e-14 * size);
    }
}

TEST(BodyContact, WithoutFrictionKeepsAngularMomentumToo) {
    const ParticleState state = clouds(2000, 5);
    const auto f = forces(two_bodies(0), state);
    Vec3 torque = Vec3::Zero();
    Real size = 0;
    for (std::size_t i = 0; i < f.size(); ++i)
        torque += state.position[i].cross(f[i]), size += (state.position[i].cross(f[i])).norm();
    EXPECT_LT(torque.norm(), 1e-14 * size);
}

TEST(BodyContact, DampsWhileClosingOnly) {
    const Model model = two_bodies(0);
    const auto push = [&](Real speed) {
        return -forces(model, particles({{0, {0, 0, 0}}, {1, {0, 0.01, 0}, {0, speed, 0}}}))[0].y();
    };
    EXPECT_GT(push(-1), push(0));
    EXPECT_GT(push(-2), push(-1));
    EXPECT_EQ(push(1), push(0));
}

TEST(BodyContact, FrictionOpposesSlipWithinCoulombsBound) {
    std::mt19937 random(2);
    std::normal_distribution<Real> normal;
    for (const Real friction : {0.0, 0.3, 2.0}) {
        const Model model = two_bodies(friction);
        for (int k = 0; k < 500; ++k) {
            const Vec3 n = Vec3(normal(random), normal(random), normal(random)).normalized();
            const Vec3 v = std::pow(10.0, normal(random)) * Vec3(normal(random), normal(random), normal(random));
            const auto f = forces(model, particles({{0, {0, 0, 0}}, {1, 0.01 * n, v}}));
            const Vec3 slip = v - v.dot(n) * n;  // of the second against the first
            const Real push = -f[0].dot(n);
            const Vec3 drag = f[0] + push * n;
            ASSERT_GT(push, 0);
            const Real rounding = 1e-13 * (push + drag.norm());
            ASSERT_LE(drag.norm(), friction * push + rounding);
            ASSERT_GE(drag.dot(slip), -rounding * slip.norm());
            ASSERT_LT(drag.cross(slip).norm(), 10 * rounding * slip.norm());
        }
    }
}

TEST(BodyContact, FastSlipMeetsFullFrictionAndSlowSlipIsNotTurnedRound) {
    const Model model = two_bodies(0.5);
    const auto drag_and_push = [&](Real speed) {
        const auto f = forces(model, particles({{0, {0, 0, 0}}, {1, {0, 0.01, 0}, {speed, 0, 0}}}));
        return std::pair(f[0].x(), -f[0].y());
    };
    const auto [fast, fast_push] = drag_and_push(100);
    EXPECT_NEAR(fast, 0.5 * fast_push, 1e-9 * fast_push);
    const auto [slow, slow_push] = drag_and_push(1e-6);
    const Real reduced_mass = 1e-3 * 8e-3 / 9e-3;
    EXPECT_GT(slow, 0);
    EXPECT_LE(dt * slow / reduced_mass, 1e-6);
    EXPECT_EQ(drag_and_push(0).first, 0);
}

TEST(BodyContact, DoesNotMindWhichParticleComesFirst) {
    const ParticleState state = clouds(500, 7);
    std::vector<std::uint32_t> order(state.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(order.size() - 1 - i);
    ParticleState reversed = state;
    reversed.reorder(order);
    const Model model = two_bodies(0.5);
    const auto f = forces(model, state), back = forces(model, reversed);
    Real largest = 0;
    for (const Vec3& x : f) largest = std::max(largest, x.norm());
    for (std::size_t i = 0; i < f.size(); ++i) EXPECT_LT((f[i] - back[f.size() - 1 - i]).norm(), 1e-13 * largest);
}

TEST(BodyContact, DoesNotMindWhichBodyComesFirst) {
    Model model = two_bodies(0.5), swapped = model;
    std::swap(swapped.bodies[0], swapped.bodies[1]);
    const ParticleState state = clouds(500, 8);
    ParticleState other = state;
    for (std::uint32_t& body : other.body) body = 1 - body;
    EXPECT_EQ(hash_of(forces(model, state)), hash_of(forces(swapped, other)));
}

TEST(BodyContact, CoincidentParticlesLeaveEachOtherAlone) {
    const auto f = forces(two_bodies(0.5), particles({{0, {1, 2, 3}, {5, 0, 0}}, {1, {1, 2, 3}}}));
    EXPECT_EQ(f[0], Vec3::Zero());
    EXPECT_EQ(f[1], Vec3::Zero());
}

TEST(BodyContact, NearlyCoincidentParticlesPushWithABoundedForce) {
    const Model model = two_bodies(0.5);
    const Real most = stiffness * model.materials[0].moduli.p_wave() * contact_distance * contact_distance;
    for (const Real r : {1e-9, 1e-100, 1e-155, 1e-161, 1e-200, 1e-320}) {
        const auto f = forces(model, particles({{0, {0, 0, 0}}, {1, {r, 0, 0}}}));
        EXPECT_TRUE(f[0].allFinite()) << r;
        EXPECT_LE(f[0].norm(), 1.5 * most) << r;
        EXPECT_EQ(f[0], Vec3(-f[1])) << r;
    }
}

TEST(BodyContact, HasTheSameBitsAtAnyThreadCount) {
    const ParticleState state = clouds(4000, 9);
    const Model model = two_bodies(0.5);
    std::set<std::uint64_t> hashes;
    for (const int threads : {1, 2, 4, 7}) Threads(threads).run([&] { hashes.insert(hash_of(forces(model, state))); });
    EXPECT_EQ(hashes.size(), 1u);
}

// Pairs are searched for now and then only; a search of the same moment must find the same forces, to the bit.
TEST(BodyContact, HasTheSameBitsWithAnOldSearchAsWithANewOne) {
    const Model model = two_bodies(0.5);
    ParticleState state = clouds(1000, 10);
    BodyContact kept(model, stiffness);
    for (int step = 0; step < 60; ++step) {
        std::vector<Vec3> force(state.size(), Vec3(0.0, -0.0, 1e-3));
        std::vector<Vec3> fresh = force;
        kept.add_forces(state, dt, force);
        BodyContact(model, stiffness).add_forces(state, dt, fresh);
        ASSERT_EQ(hash_of(force), hash_of(fresh)) << "step " << step;
        for (std::size_t i = 0; i < state.size(); ++i) state.position[i] += 2e-4 * state.velocity[i];
    }
    EXPECT_GT(kept.bytes(), state.size() * sizeof(Vec3));
}

TEST(BodyContact, NoticesParticlesThatJoinOrChangePlaces) {
    const Model model = two_bodies(0.5);
    BodyContact kept(model, stiffness);
    for (const int count : {10, 500, 499, 2}) {
        ParticleState state = clouds(count, 11);
        for (int repetition = 0; repetition < 2; ++repetition) {
            std::vector<Vec3> force(state.size(), Vec3::Zero());
            kept.add_forces(state, dt, force);
            EXPECT_EQ(hash_of(force), hash_of(forces(model, state))) << count;
            std::vector<std::uint32_t> order(state.size());
            for (std::size_t i = 0; i < order.size(); ++i)
                order[i] = static_cast<std::uint32_t>((i + 1) % order.size());
            state.reorder(order);
        }
    }
}

// Two particles that meet head-on part more slowly than they met, and never gain energy over the whole.
TEST(BodyContact, ACollisionLosesEnergy) {
    for (const Real speed : {0.1, 1.0, 10.0}) {
        const Model model = two_bodies(0.5);
        ParticleState state = particles({{0, {0, 0, 0}, {0, speed, 0}}, {1, {0.002, 0.016, 0}}});
        BodyContact contact(model, stiffness);
        const Real before = kinetic_energy(state);
        const Vec3 momentum_before = momentum(state).linear;
        for (int step = 0; step < 200'000 && (state.position[0] - state.position[1]).norm() < 0.02; ++step) {
            std::vector<Vec3> force(2, Vec3::Zero());
            contact.add_forces(state, 1e-6, force);
            for (std::size_t i = 0; i < 2; ++i) {
                state.velocity[i] += 1e-6 * force[i] / state.mass[i];
                state.position[i] += 1e-6 * state.velocity[i];
            }
        }
        EXPECT_GT(state.velocity[1].y(), state.velocity[0].y()) << "they part";
        EXPECT_LT(kinetic_energy(state), before);
        EXPECT_LT((momentum(state).linear - momentum_before).norm(), 1e-12 * momentum_before.norm());
    }
}

}  // namespace
}  // namespace pliant
