// Contact between bodies whose grids are laid once, at rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mpm/cloud.h"
#include "pliant/base/parallel.h"
#include "pliant/methods/mpm/body_pairs.h"

namespace pliant {
namespace {

using Time = Fang2019::Time;

constexpr Real spacing = 0.03;

void append(ParticleState& all, ParticleState more, std::uint32_t body, const Vec3& at) {
    move_by(more, at);
    const std::size_t first = all.append(more.size());
    for (std::size_t p = 0; p < more.size(); ++p) {
        all.body[first + p] = body;
        all.position[first + p] = more.position[p];
        all.velocity[first + p] = more.velocity[p];
        all.mass[first + p] = more.mass[p];
        all.rest_volume[first + p] = more.rest_volume[p];
    }
}
ParticleState ball(Real radius) {
    const int across = 2 * int(std::ceil(radius / spacing)) + 1;
    const ParticleState block = lattice_block(across, across, across, spacing, 0);
    const Vec3 centre = centre_of_mass(block);
    ParticleState round;
    for (std::size_t p = 0; p < block.size(); ++p) {
        if ((block.position[p] - centre).norm() > radius) continue;
        const std::size_t k = round.append(1);
        round.position[k] = block.position[p] - centre;
        round.mass[k] = block.mass[p];
        round.rest_volume[k] = block.rest_volume[p];
    }
    return round;
}
ParticleState thrown(ParticleState state, const Vec3& velocity, const Vec3& spin = Vec3::Zero()) {
    throw_by(state, velocity, spin);
    return state;
}

Cloud bodies(const std::vector<std::pair<ParticleState, Vec3>>& list, Real young, Real friction = 0) {
    ParticleState all;
    for (std::size_t b = 0; b < list.size(); ++b) append(all, list[b].first, std::uint32_t(b), list[b].second);
    Cloud cloud(all, young, 0.3, spacing);
    while (cloud.model.bodies.size() < list.size()) cloud.model.bodies.push_back(cloud.model.bodies[0]);
    cloud.model.materials[0].elasticity = NeoHookeanElasticity{cloud.model.materials[0].moduli};
    cloud.model.body_friction = friction;
    cloud.settings.grid = "rest";
    return cloud;
}
Vec3 centre_of(const ParticleState& state, std::uint32_t body) {
    Vec3 sum = Vec3::Zero();
    Real mass = 0;
    for (std::size_t p = 0; p < state.size(); ++p) {
        if (state.body[p] != body) continue;
        sum += state.mass[p] * state.position[p];
        mass += state.mass[p];
    }
    return sum / mass;
}
Vec3 velocity_of(const ParticleState& state, std::uint32_t body) {
    Vec3 sum = Vec3::Zero();
    Real mass = 0;
    for (std::size_t p = 0; p < state.size(); ++p) {
        if (state.body[p] != body) continue;
        sum += state.mass[p] * state.velocity[p];
        mass += state.mass[p];
    }
    return sum / mass;
}
Real energy(const Cloud& cloud) {
    return kinetic_energy(cloud.state) + cloud.method->spin(cloud.state).energy +
           cloud.method->elastic_energy(cloud.state);
}

// The integrators that know contact between bodies, and their steps.
struct Way {
    Time time;
    std::string implicit;
    Real step(Cloud& cloud) const {
        return time == Time::newton ? 5e-3 : Real(0.9) * cloud.method->largest_timestep(cloud.state);
    }
};
const std::vector<Way>& ways() {
    static const std::vector<Way> list = {
        {Time::newton, "backward_euler"}, {Time::newton, "sdirk2"}, {Time::symplectic_euler, "backward_euler"}};
    return list;
}

TEST(SurfaceNormals, OfABlockLookOutAndEdgesAreNotFlat) {
    const ParticleState block = lattice_block(9, 9, 9, spacing, 0);
    const auto found = surface_normals(rubber_model(1e5, 0.3, spacing), block, block.position);
    const auto at = [&](int x, int y, int z) { return found[std::size_t((x * 9 + y) * 9 + z)]; };
    EXPECT_FALSE(at(4, 4, 4).is_surface());
    EXPECT_FALSE(at(4, 1, 4).is_surface());
    EXPECT_LT((at(4, 0, 4).normal - Vec3(0, -1, 0)).norm(), 1e-12);
    EXPECT_NEAR(at(4, 0, 4).flatness, 1, 0.1);
    EXPECT_LT((at(8, 8, 4).normal - Vec3(1, 1, 0).normalized()).norm(), 1e-12);
    EXPECT_LT(at(8, 8, 4).flatness, 0.1);
    EXPECT_LT(at(0, 0, 0).flatness, 0.1);
}

// Layers of s are s / 2 thick where matter is squeezed so, and across the normal particles reach as far as it was
// stretched.
TEST(Touching, LayersDeformWithTheirMatter) {
    const SurfaceNormal up{Vec3(0, 1, 0), 1}, down{Vec3(0, -1, 0), 1};
    const Mat3 F = Vec3(3, 0.5, 1).asDiagonal();
    const TouchPoint lower(up, F, spacing), upper(down, Mat3::Identity(), spacing);
    const Touch above = touch(Vec3(0, spacing, 0), lower, upper);
    EXPECT_NEAR(above.gap, 0.25 * spacing, 0.01 * spacing);
    EXPECT_LT((above.normal - Vec3(0, 1, 0)).norm(), 1e-12);
    const TouchPoint stretched(down, F, spacing);
    EXPECT_GT(touch(Vec3(2.5 * spacing, 0, 0), lower, stretched).share, 0);
    EXPECT_EQ(touch(Vec3(0, 0, 2.5 * spacing), lower, stretched).share, 0);
    EXPECT_EQ(touch(Vec3(0, spacing, 0), lower, TouchPoint(up, F, spacing)).share, 0);
}

TEST(BodyPairs, GradientAndProductAreThoseOfTheEnergy) {
    Cloud cloud = bodies({{lattice_block(5, 4, 5, spacing, 0.1), Vec3::Zero()},
                          {lattice_block(4, 4, 4, spacing, 0.1), Vec3(0.4, 3.7, 0.3) * spacing}},
                         1e5, 0.4);
    const auto random = random_vectors(cloud.state.size(), 3);
    std::vector<Vec3> rest = cloud.state.position;
    for (std::size_t p = 0; p < rest.size(); ++p) {
        cloud.state.velocity[p] = random[p];
        cloud.state.deformation[p] += 0.1 * Mat3(random[p] * random[p].transpose());
        if (cloud.state.body[p] == 1) rest[p].x() += 16 * 2 * spacing;
    }
    SparseGrid grid(2 * spacing);
    grid.build(rest);
    BodyPairs pairs(cloud.model);
    pairs.lay(grid, cloud.state, rest);
    pairs.find(grid, cloud.state, 5e-3);
    ASSERT_FALSE(pairs.empty());
    const std::size_t n = grid.node_count() + 1;
    const auto before = random_vectors(n, 4), x = random_vectors(n, 5);
    auto u = random_vectors(n, 6);
    pairs.begin(cloud.state, 5e-3, before);
    const auto at = [&](Real share, std::vector<Vec3>& gradient) {
        std::vector<Vec3> moved = u;
        for (std::size_t i = 0; i < n; ++i) moved[i] += share * x[i];
        gradient.assign(n, Vec3::Zero());
        return pairs.add_energy(moved, gradient);
    };
    const auto dot = [&](const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
        Real sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += a[i].dot(b[i]);
        return sum;
    };
    std::vector<Vec3> gradient, ahead, behind, product(n, Vec3::Zero());
    const Real h = 1e-6, forward = at(h, ahead), backward = at(-h, behind), energy = at(0, gradient);
    EXPECT_GT(energy, 0);
    EXPECT_NEAR((forward - backward) / (2 * h) / dot(gradient, x), 1, 1e-6);
    pairs.add_product(x, product);
    for (std::size_t i = 0; i < n; ++i) ahead[i] = (ahead[i] - behind[i]) / (2 * h) - product[i];
    EXPECT_LT(std::sqrt(dot(ahead, ahead)), 1e-6 * std::sqrt(dot(product, product)));
    Vec3 sum = Vec3::Zero();
    for (const Vec3& g : gradient) sum += g;
    EXPECT_LT(sum.norm(), 1e-12 * std::sqrt(dot(gradient, gradient)));
}

// Two balls that turn and meet off their centres, up to where matter is about as slow as sound.
TEST(BodyPairs, CollisionKeepsMomentumAndGivesNoEnergy) {
    for (const Real young : {1e4, 1e5, 1e7}) {
        for (const Way& way : ways()) {
            if (way.time == Time::symplectic_euler && young > 1e6) continue;
            const Real speed = young > 1e4 ? 5 : 1;
            Cloud cloud = bodies({{thrown(ball(0.12), Vec3(speed, 0, 0), Vec3(0, 0, 3)), Vec3(-0.16, 0.03, 0)},
                                  {thrown(ball(0.12), Vec3(-speed, 0, 0), Vec3(0, 2, 0)), Vec3(0.16, -0.03, 0.02)}},
                                 young, 0.3);
            cloud.settings.implicit = way.implicit;
            cloud.start(way.time);
            const Real dt = way.step(cloud);
            cloud.run(1, dt);
            const Momentum before = cloud.momentum();
            const Real whole = energy(cloud), scale = total_mass(cloud.state) * speed;
            while (cloud.time < 0.6 / speed) {
                cloud.run(1, dt);
                EXPECT_LT(energy(cloud), 1.01 * whole) << young << way.implicit;
            }
            EXPECT_LT((cloud.momentum().linear - before.linear).norm(), 1e-12 * scale) << young << way.implicit;
            EXPECT_LT((cloud.momentum().angular - before.angular).norm(), 0.02 * scale) << young << way.implicit;
            EXPECT_LT(velocity_of(cloud.state, 0).x(), -0.05 * speed) << young << way.implicit;
            EXPECT_GT(velocity_of(cloud.state, 1).x(), 0.05 * speed) << young << way.implicit;
            EXPECT_GT(centre_of(cloud.state, 1).x() - centre_of(cloud.state, 0).x(), 0.2) << young << way.implicit;
        }
    }
}

TEST(BodyPairs, BlockOnABlockStays) {
    for (const Real young : {1e4, 1e5, 1e6, 1e7}) {
        const Vec3 aside = (young < 5e5 ? Vec3(2.5, 5.5, 2.3) : Vec3(2, 5.5, 2)) * spacing;
        Cloud cloud = bodies({{lattice_block(10, 5, 10, spacing, 0), Vec3(0, spacing / 2, 0)},
                              {lattice_block(5, 5, 5, spacing, 0), aside}},
                             young, 0.3);
        cloud.model.gravity = Vec3(0, -9.81, 0);
        cloud.add_floor("separate", 0.4);
        cloud.start(Time::newton);
        const Vec3 start = centre_of(cloud.state, 1);
        cloud.run(400, 5e-3);
        Real low = 1, high = -1;  // of the upper one; of the lower one below its middle
        for (std::size_t p = 0; p < cloud.state.size(); ++p) {
            const Vec3 x = cloud.state.position[p];
            if (cloud.state.body[p] == 1) low = std::min(low, x.y());
            const bool is_below = (x - start).cwiseProduct(Vec3(1, 0, 1)).norm() < 1.5 * spacing;
            if (cloud.state.body[p] == 0 && is_below) high = std::max(high, x.y());
        }
        EXPECT_NEAR((low - high) / spacing, 1, 0.25) << young;
        const Vec3 moved = centre_of(cloud.state, 1) - start;
        EXPECT_LT(std::hypot(moved.x(), moved.z()), 0.2 * spacing) << young;
        EXPECT_LT(largest_speed(cloud.state), 0.02) << young;
    }
}

// dv/dt = -friction g
TEST(BodyPairs, SlidingBlockIsBrakedByCoulomb) {
    for (const Real friction : {0.0, 0.3}) {
        for (const Way& way : {ways()[0], ways()[2]}) {
            Cloud cloud =
                bodies({{lattice_block(30, 4, 8, spacing, 0), Vec3(0, spacing / 2, 0)},
                        {thrown(lattice_block(4, 4, 4, spacing, 0), Vec3(1, 0, 0)), Vec3(2, 4.5, 2.1) * spacing}},
                       1e5, friction);
            cloud.model.gravity = Vec3(0, -9.81, 0);
            cloud.add_floor("stick");
            cloud.start(way.time);
            const Real dt = way.step(cloud);
            while (cloud.time < 0.1) cloud.run(1, dt);
            const Real before = velocity_of(cloud.state, 1).x(), start = cloud.time;
            while (cloud.time < 0.2) cloud.run(1, dt);
            EXPECT_NEAR((before - velocity_of(cloud.state, 1).x()) / (cloud.time - start) / 9.81, friction, 0.04)
                << int(way.time);
        }
    }
}

// Two blocks that fall on each other and on a floor.
Cloud falling_blocks(const Way& way) {
    Cloud cloud = bodies(
        {{lattice_block(6, 4, 6, spacing, 0.1), Vec3(0, spacing, 0)},
         {thrown(lattice_block(4, 4, 4, spacing, 0.1), Vec3(0.3, -1, 0), Vec3(1, 2, 3)), Vec3(1.4, 6, 1.3) * spacing}},
        1e5, 0.3);
    cloud.model.gravity = Vec3(0, -9.81, 0);
    cloud.add_floor("separate", 0.4);
    cloud.settings.implicit = way.implicit;
    return cloud;
}

TEST(BodyPairs, SameBitsAtAnyNumberOfThreadsAndAcrossARestart) {
    for (const Way& way : ways()) {
        const Real dt = way.time == Time::newton ? 5e-3 : 1e-3;
        std::vector<std::uint64_t> hashes;
        for (const int threads : {1, 2, 4}) {
            Threads(threads).run([&] {
                Cloud cloud = falling_blocks(way);
                cloud.start(way.time);
                cloud.run(30, dt);
                Snapshot snapshot;
                cloud.method->save(snapshot);
                Fang2019 again(cloud.settings, way.time, cloud.model);
                again.prepare(falling_blocks(way).state);
                again.restore(snapshot);
                ParticleState state = cloud.state;
                Real now = cloud.time;
                cloud.run(20, dt);
                for (int k = 0; k < 20; ++k, now += dt) again.step(state, now, dt);
                EXPECT_EQ(state.hash(), cloud.state.hash());
                hashes.push_back(state.hash());
            });
        }
        EXPECT_EQ(hashes[0], hashes[1]);
        EXPECT_EQ(hashes[0], hashes[2]);
    }
}

}  // namespace
}  // namespace pliant
