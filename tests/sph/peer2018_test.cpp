#include "pliant/methods/sph/peer2018.h"

#include <gtest/gtest.h>

#include "pliant/base/parallel.h"
#include "pliant/scene/world.h"
#include "support/colliders.h"
#include "support/lattice.h"
#include "support/scenes.h"

namespace pliant {
namespace {

constexpr Real h = 0.05;

struct Block {
    Model model;
    ParticleState state;
    std::unique_ptr<Peer2018> method;
    Real time = 0;
    int iterations = 0, steps = 0;

    Block(ParticleState particles, const Moduli& moduli, const SphSettings& settings) : state(std::move(particles)) {
        model = rubber_model(1e5, 0.3, h);
        model.materials[0].moduli = moduli;
        model.materials[0].elasticity = CorotatedElasticity{moduli};
        method = std::make_unique<Peer2018>(settings, model, 1e-3);  // the steps that a test asks for
    }
    void start() { method->prepare(state); }
    void add_floor(Real friction) { model.colliders.emplace_back(floor_settings(friction), ShapeContext{}); }
    void run(Real duration, Real dt) {
        const auto count = static_cast<int>(std::lround(duration / dt));
        for (int k = 0; k < count; ++k, time += dt) {
            const StepReport report = method->step(state, time, dt);
            for (const SolverReport& solver : report.solvers) {
                if (solver.name == "elasticity") iterations += solver.iterations;
            }
            ++steps;
        }
    }
};

Moduli alike(Real modulus) {
    return Moduli::from_shear_bulk(modulus, modulus);
}

SphSettings without_pressure() {
    SphSettings settings;
    settings.pressure = false;
    return settings;
}

void spin(ParticleState& state, const Vec3& omega) {
    const Vec3 centre = centre_of_mass(state);
    for (std::size_t i = 0; i < state.size(); ++i) state.velocity[i] = omega.cross(state.position[i] - centre);
}

Real spin_left(const Moduli& moduli, const SphSettings& settings, Real dt, Real duration) {
    Block cube(lattice_block(8, 8, 8, h, 0), moduli, settings);
    spin(cube.state, Vec3(0, 0, 5));
    cube.start();
    const Real before = momentum(cube.state).angular.z();
    cube.run(duration, dt);
    return momentum(cube.state).angular.z() / before;
}

TEST(Peer2018, SpinningCubeKeepsItsAngularMomentum) {
    EXPECT_NEAR(spin_left(alike(1e4), without_pressure(), 10e-3, 5), 1, 3e-3);
    EXPECT_NEAR(spin_left(alike(1e5), without_pressure(), 10e-3, 5), 1, 3e-4);
    EXPECT_NEAR(spin_left(alike(1e5), without_pressure(), 5e-3, 5), 1, 3e-4);
}

// What the correction of gradients is good for.
TEST(Peer2018, WithoutCorrectionTheSpinIsBraked) {
    SphSettings settings = without_pressure();
    settings.correction = false;
    EXPECT_LT(spin_left(alike(1e6), settings, 5e-3, 5), 0.5);
}

// The explicit rivals spin as well, at the steps that they choose.
TEST(Peer2018, ExplicitRivalsAreStableAtTheirOwnSteps) {
    for (const char* elasticity : {"becker2009", "stvk"}) {
        SphSettings settings = without_pressure();
        settings.elasticity = elasticity;
        Block cube(lattice_block(6, 6, 6, h, 0), alike(1e5), settings);
        spin(cube.state, Vec3(0, 0, 5));
        cube.start();
        const Real before = momentum(cube.state).angular.z(), dt = cube.method->largest_timestep(cube.state);
        EXPECT_GT(dt, 1e-4) << elasticity;
        EXPECT_LT(dt, 1e-2) << elasticity;
        cube.run(1, dt);
        EXPECT_NEAR(momentum(cube.state).angular.z() / before, 1, 1e-3) << elasticity;
        EXPECT_LT(largest_speed(cube.state), 3) << elasticity;
    }
}

// Cantilevers of G = K released under gravity; iterations as measured for the method before.
TEST(Peer2018, NoModulusAndNoStepMakesABeamBlowUp) {
    struct Case {
        Real modulus, dt, iterations;
    };
    for (const Case& c : {Case{5e2, 10e-3, 1.0}, Case{1e4, 10e-3, 3.7}, Case{1e5, 5e-3, 4.9}, Case{1e5, 10e-3, 13},
                          Case{1e6, 2e-3, 4.8}, Case{1e6, 10e-3, 43}, Case{2e7, 1e-3, 11}, Case{2e7, 10e-3, 97}}) {
        for (const Real jitter : {0.0, 0.2}) {
            SphSettings settings = without_pressure();
            settings.preconditioner = "none";
            settings.zero_energy = 0;
            Block beam(lattice_block(20, 5, 5, h, jitter), alike(c.modulus), settings);
            beam.model.gravity = Vec3(0, -9.81, 0);
            beam.model.pins.emplace_back(PinSettings{});
            for (std::size_t i = 0; i < beam.state.size(); ++i) {
                if (beam.state.id[i] < 50) beam.state.pin[i] = 0;
            }
            beam.start();
            beam.run(1, c.dt);
            EXPECT_EQ(first_not_finite(beam.state), beam.state.size());
            EXPECT_LT(largest_speed(beam.state), 12) << c.modulus << " Pa, " << c.dt << " s";
            const Real mean = Real(beam.iterations) / beam.steps;
            EXPECT_LT(mean, (jitter > 0 ? 2 : 1.3) * c.iterations + 0.5) << c.modulus << " Pa, " << c.dt << " s";
        }
    }
}

TEST(Peer2018, TheGridKeepsIterationsLow) {
    for (const Real modulus : {1e6, 2e7, 2e9}) {
        SphSettings settings = without_pressure();
        settings.relative_tolerance = 1e-3;
        settings.preconditioner = "grid";
        Block beam(lattice_block(20, 5, 5, h, 0), alike(modulus), settings);
        beam.model.gravity = Vec3(0, -9.81, 0);
        beam.model.pins.emplace_back(PinSettings{});
        for (std::size_t i = 0; i < 50; ++i) beam.state.pin[i] = 0;
        beam.start();
        beam.run(0.3, 10e-3);
        EXPECT_LE(Real(beam.iterations) / beam.steps, 25) << modulus << " Pa";
        EXPECT_LT(largest_speed(beam.state), 5);
    }
}

// Static deflection over Timoshenko's: SPH is too soft at few particles, and converges.
TEST(Peer2018, BeamsConvergeToTheoryFromTheSoftSide) {
    const auto ratio = [](int thick) {
        const Real length = 1, spacing = length / (4 * thick), G = 1e7, E = 9 * G * G / (4 * G), rho = 1000, g = 9.81;
        const int held = 2;
        ParticleState state = lattice_block(4 * thick + held, thick, thick, spacing, 0);
        Model model = rubber_model(E, 0.125, spacing);
        model.gravity = Vec3(0, -g, 0);
        model.pins.emplace_back(PinSettings{});
        for (std::size_t i = 0; i < state.size(); ++i) {
            if (state.position[i].x() < (held - 0.5) * spacing) state.pin[i] = 0;
        }
        SphSettings settings = without_pressure();
        settings.tolerance = 1e-6;
        settings.zero_energy = 0;
        Peer2018 method(settings, model, 0.2);
        method.prepare(state);
        const ParticleState start = state;
        // Long steps take the swing out: what is left is the static shape.
        for (int k = 0; k < 60; ++k) method.step(state, 0.2 * k, 0.2);
        Real tip = 0;
        int count = 0;
        const Real end = (4 * thick + held - 1) * spacing;
        for (std::size_t i = 0; i < state.size(); ++i) {
            if (start.position[i].x() < end - 0.5 * spacing) continue;
            tip += start.position[i].y() - state.position[i].y();
            ++count;
        }
        tip /= count;
        const Real t = thick * spacing, A = t * t, I = t * t * t * t / 12, w = rho * g * A;
        return tip / (w * std::pow(length, 4) / (8 * E * I) + w * length * length / (2 * 5.0 / 6.0 * A * G));
    };
    const Real at3 = ratio(3), at5 = ratio(5), at7 = ratio(7);
    EXPECT_GT(at3, at5);
    EXPECT_GT(at5, at7);
    EXPECT_GT(at7, 1.05);
    EXPECT_LT(at7, 1.3);
}

TEST(Peer2018, ZeroEnergyPenaltySmoothsAHangingSheet) {
    const auto roughness = [](Real zero_energy) {
        SphSettings settings = without_pressure();
        settings.zero_energy = zero_energy;
        Block sheet(lattice_block(12, 1, 12, h, 0), Moduli::from_shear_bulk(5e4, 5e5), settings);
        sheet.model.gravity = Vec3(0, -9.81, 0);
        sheet.model.pins.emplace_back(PinSettings{});
        sheet.state.pin[0] = 0;
        sheet.state.pin[11] = 0;
        sheet.start();
        sheet.run(1.5, 2e-3);
        Real sum = 0;
        int count = 0;
        const auto at = [&](int a, int c) -> const Vec3& { return sheet.state.position[std::size_t(12 * a + c)]; };
        for (int a = 1; a < 11; ++a) {
            for (int c = 1; c < 11; ++c, ++count) {
                sum += (at(a + 1, c) + at(a - 1, c) + at(a, c + 1) + at(a, c - 1) - 4 * at(a, c)).squaredNorm();
            }
        }
        return std::sqrt(sum / count) / h;
    };
    EXPECT_GT(roughness(0), 5 * roughness(0.3));
}

// A cube that stands on the floor, half a spacing above it, stays where it is and keeps its volume.
TEST(Peer2018, ASolidAtRestKeepsItsVolume) {
    for (const Real jitter : {0.0, 0.2}) {
        ParticleState state = lattice_block(8, 8, 8, h, jitter);
        for (Vec3& x : state.position) x += Vec3(0, h / 2, 0);
        const ParticleState start = state;
        SphSettings settings;
        Block cube(std::move(state), alike(1e7), settings);
        cube.add_floor(0.5);
        cube.method = std::make_unique<Peer2018>(settings, cube.model, 1e-3);
        cube.model.gravity = Vec3(0, -9.81, 0);
        cube.start();
        cube.run(jitter > 0 ? 1 : 0.5, 2e-3);
        const auto volume = [](const ParticleState& s) {
            Real sum = 0;
            for (const Mat3& F : s.deformation) sum += F.determinant();
            return sum / Real(s.size());
        };
        EXPECT_NEAR(volume(cube.state), 1, 5e-3);
        EXPECT_LT((centre_of_mass(cube.state) - centre_of_mass(start)).norm(), (0.1 + jitter) * h);
        EXPECT_LT(largest_speed(cube.state), jitter > 0 ? 0.3 : 0.1) << "jitter " << jitter;
    }
}

TEST(Peer2018, FrictionBrakesASlidingBlockAsCoulombSays) {
    ParticleState state = lattice_block(8, 4, 8, h, 0);
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.position[i] += Vec3(0, h / 2, 0);
        state.velocity[i] = Vec3(1, 0, 0);
    }
    SphSettings settings;
    Block block(std::move(state), alike(1e6), settings);
    block.add_floor(0.3);
    block.method = std::make_unique<Peer2018>(settings, block.model, 1e-3);
    block.model.gravity = Vec3(0, -9.81, 0);
    block.start();
    block.run(0.2, 2e-3);
    const Real speed = momentum(block.state).linear.x() / total_mass(block.state);
    EXPECT_NEAR(speed, 1 - 0.3 * 9.81 * 0.2, 0.06);
}

TEST(Peer2018, TwoBodiesThatMeetKeepTheirMomentum) {
    ParticleState state = lattice_block(6, 6, 6, h, 0), other = lattice_block(6, 6, 6, h, 0);
    const std::size_t n = state.size();
    state.resize(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        state.velocity[i] = Vec3(1, 0, 0);
        const std::size_t j = n + i;
        state.id[j] = static_cast<std::uint32_t>(j);
        state.body[j] = 1;
        state.position[j] = other.position[i] + Vec3(8 * h, 0.03, 0.02);
        state.velocity[j] = Vec3(-1, 0, 0.1);
        state.mass[j] = 3 * other.mass[i];
        state.rest_volume[j] = other.rest_volume[i];
    }
    SphSettings settings;
    Block pair(std::move(state), alike(1e5), settings);
    pair.model.bodies.push_back({"other", 0, h});
    pair.start();
    const Momentum before = momentum(pair.state);
    pair.run(0.4, 2e-3);
    const Momentum after = momentum(pair.state);
    Real size = 0;
    for (std::size_t i = 0; i < pair.state.size(); ++i) size += pair.state.mass[i];
    EXPECT_LT((after.linear - before.linear).norm(), 1e-5 * size);
    const auto speed_of = [&](std::size_t first) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = first; i < first + n; ++i) sum += pair.state.velocity[i] / Real(n);
        return sum.x();
    };
    EXPECT_LT(speed_of(0), speed_of(n));  // they have bounced
    EXPECT_EQ(first_not_finite(pair.state), pair.state.size());
}

TEST(Peer2018, GoesOnBitForBitAfterARestart) {
    ParticleState state = lattice_block(6, 6, 6, h, 0.1);
    for (Vec3& x : state.position) x += Vec3(0, h, 0);
    SphSettings settings;
    const auto make = [&] {
        auto block = std::make_unique<Block>(state, alike(1e5), settings);
        block->add_floor(0.5);
        block->method = std::make_unique<Peer2018>(settings, block->model, 1e-3);
        block->model.gravity = Vec3(0, -9.81, 0);
        block->start();
        return block;
    };
    auto straight = make(), first = make(), second = make();
    straight->run(0.3, 2e-3);
    first->run(0.15, 2e-3);
    Snapshot snapshot;
    first->method->save(snapshot);
    second->state = first->state;
    second->method->restore(snapshot);
    second->time = first->time;
    second->run(0.15, 2e-3);
    EXPECT_EQ(straight->state.hash(), second->state.hash());
}

TEST(Peer2018, SameBitsAtAnyNumberOfThreads) {
    ParticleState state = lattice_block(12, 12, 12, h, 0.1);
    for (Vec3& x : state.position) x += Vec3(0, h, 0);
    std::uint64_t hashes[2];
    for (const int threads : {1, 2}) {
        Threads team(threads);
        team.run([&] {
            SphSettings settings;
            Block block(state, alike(1e6), settings);
            block.add_floor(0.5);
            block.method = std::make_unique<Peer2018>(settings, block.model, 1e-3);
            block.model.gravity = Vec3(0, -9.81, 0);
            block.start();
            block.run(0.1, 2e-3);
            hashes[threads - 1] = block.state.hash();
        });
    }
    EXPECT_EQ(hashes[0], hashes[1]);
}

// A wall that comes from so far away that none of its samples was near when the body came to rest.
TEST(Peer2018, PistonFromAfarPushesABodyAtRest) {
    Block cube(lattice_block(5, 5, 5, h, 0), alike(1e5), {});
    cube.model.gravity = Vec3::Zero();
    ColliderSettings piston;
    piston.shape = BoxShape{Vec3(0.2, 1, 1)};
    piston.position = Vec3(-2, 0, 0);
    piston.motion = MotionSettings{"linear", false, {{0, Vec3::Zero(), Vec3::Zero()}, {1, {2.2, 0, 0}, Vec3::Zero()}}};
    cube.model.colliders.emplace_back(piston, ShapeContext{});
    cube.method = std::make_unique<Peer2018>(SphSettings{}, cube.model, 1e-3);
    cube.start();
    cube.run(1, 4e-3);
    EXPECT_GT(bounds(cube.state).min().x(), 0.3);
}

// A squashed cube at rest allows the longest step, by its speed; what lets go of it does not.
TEST(Peer2018, AStepEndsSoonerWhenElasticityMakesThingsFast) {
    Scene scene = falling_box();
    scene.simulation.method = "sph";
    scene.simulation.gravity = Vec3::Zero();
    scene.simulation.fps = 50;
    scene.sph.pressure = false;
    const Real bound = scene.sph.cfl * scene.bodies[0].spacing;
    for (const bool is_given : {false, true}) {
        if (is_given) scene.simulation.timestep = 5e-3;
        World world(scene);
        std::vector<Vec3> squashed = world.state().position;
        for (Vec3& x : squashed) x.x() *= 0.4;
        world.set_positions(squashed);
        Real way = 0, elapsed = 0;
        bool frame_done = false;
        while (!frame_done) {
            const StepSummary step = world.step();
            way = std::max(way, step.dt * world.diagnostics().largest_speed);
            elapsed += step.dt;
            frame_done = step.frame_done;
        }
        EXPECT_NEAR(elapsed, 0.02, 1e-12);
        EXPECT_EQ(way > 1.12 * bound, is_given) << way << " " << bound;
    }
}

// A block slides on another that is held: its speed falls by friction g a second, and it does not turn round.
TEST(Peer2018, BodiesRubAgainstEachOther) {
    const auto speed_after = [](Real friction, Real duration) {
        ParticleState state = lattice_block(30, 2, 8, h, 0);
        const ParticleState above = lattice_block(6, 3, 4, h, 0);
        for (std::size_t i = 0; i < state.size(); ++i) state.pin[i] = 0;
        const std::size_t below = state.append(above.size());
        for (std::size_t i = below; i < state.size(); ++i) {
            state.id[i] = static_cast<std::uint32_t>(i);
            state.body[i] = 1;
            state.position[i] = above.position[i - below] + h * Vec3(3.5, 2, 2.5);
            state.velocity[i] = Vec3(1, 0, 0);
            state.rest_volume[i] = above.rest_volume[i - below];
            state.mass[i] = above.mass[i - below];
        }
        Block blocks(std::move(state), alike(1e6), {});
        blocks.model.bodies.push_back({"above", 0, h});
        blocks.model.pins.emplace_back(PinSettings{});
        blocks.model.gravity = Vec3(0, -9.81, 0);
        blocks.model.body_friction = friction;
        blocks.method = std::make_unique<Peer2018>(SphSettings{}, blocks.model, 1e-3);
        blocks.start();
        blocks.run(duration, 2e-3);
        Vec3 mean = Vec3::Zero();
        for (std::size_t i = below; i < blocks.state.size(); ++i) mean += blocks.state.velocity[i];
        return mean.x() / Real(blocks.state.size() - below);
    };
    const Real without = speed_after(0, 0.1), with = speed_after(0.3, 0.1);
    EXPECT_NEAR(without - with, 0.3 * 9.81 * 0.1, 0.3 * 0.3 * 9.81 * 0.1);
    EXPECT_NEAR(speed_after(0.6, 0.5), 0, 0.02);
}

}  // namespace
}  // namespace pliant
