// The steps of mpm, on what the public code of [Fang19]'s authors was measured with, one thread: a cube of 125,000
// particles (side 0.5 m, cells of 0.02 m, E = 1e6 Pa, nu = 0.3) that hits a sticky floor at 1.98 m/s, dt = 5 ms.
// Processor seconds of that step there: ADMM elastic 14.7 for 30 iterations and a residual of 1.8e-3, von Mises 15.8,
// Drucker-Prager 15.9, viscoelastic 22.8; Newton elastic 2.8 with three loose iterations, 8.0 to 1e-5; an explicit step
// 1.28 microseconds a particle. The counter `rival` is their time over ours: of another machine, on which one JacobiSVD
// of Eigen's took 0.85 microseconds; `u_us` is that time here, and `copy_GB/s` what a plain copy moves.
#include "pliant/methods/mpm/fang2019.h"

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <numeric>

#include "benchmarks/block.h"
#include "pliant/base/processor_stopwatch.h"
#include "pliant/math/svd_unit.h"

namespace pliant {
namespace {

using Time = Fang2019::Time;

enum Kind { elastic, von_mises, granular, viscoelastic };

Model falling_block(Real young, Real spacing, int material) {
    Model model = rubber(young);
    model.bodies[0].spacing = spacing;
    model.gravity = Vec3(0, -9.81, 0);
    Material& m = model.materials[0];
    if (material == von_mises) m.plasticity = VonMisesPlasticity{2e4, 0, "deviator_norm"};
    if (material == granular) m.plasticity = DruckerPragerPlasticity{30, 0, true};
    if (material == viscoelastic) {  // a tenth of the shear modulus at rest; the authors' nu is twice our viscosity
        const Moduli full = m.moduli;
        m.moduli = Moduli{0.1 * full.mu, full.lambda};
        m.viscous = Viscous{0.9 * full.mu, 0, 5e4, {}};
    }
    ColliderSettings floor;
    floor.shape = PlaneShape{};
    floor.contact = "stick";
    model.colliders.emplace_back(floor, ShapeContext{});
    return model;
}

// The lowest layer half a spacing above the floor, and the cube not in line with the grid.
ParticleState cube_above(int edge, Real spacing) {
    ParticleState state;
    state.resize(std::size_t(edge) * std::size_t(edge) * std::size_t(edge));
    for (std::size_t i = 0; i < state.size(); ++i) {
        const auto e = std::size_t(edge);
        state.id[i] = static_cast<std::uint32_t>(i);
        state.position[i] = spacing * Vec3(Real(i / (e * e)) + 0.3, Real(i / e % e) + 0.5, Real(i % e) + 0.4);
        state.rest_volume[i] = cube(spacing);
        state.mass[i] = 1000 * cube(spacing);
        state.velocity[i] = Vec3(0, -1.98, 0);
    }
    state.reorder(cell_order(state.position, 2 * spacing));
    return state;
}

void report_units(benchmark::State& state) {
    state.counters["u_us"] = 1e6 * seconds_of_one_svd();
    state.counters["copy_GB/s"] = copy_bandwidth() / 1e9;
}

// One step at the impact, begun anew each time; processor time.
void Impact(benchmark::State& state, Time time, int material, Real tolerance, Real young, double rival) {
    Threads(int(state.range(0))).run([&] {
        const Real spacing = 0.01;
        const Model model = falling_block(young, spacing, material);
        const ParticleState start = cube_above(50, spacing);
        MpmSettings settings;
        settings.tolerance = tolerance;
        StepReport last;
        double best = 1e30, best_wall = 1e30;
        std::size_t bytes = 0;
        for (auto _ : state) {
            ParticleState particles = start;
            Fang2019 method(settings, time, model);
            method.prepare(particles);
            const Stopwatch wall;
            const ProcessorStopwatch watch;
            last = method.step(particles, 0, 5e-3);
            best = std::min(best, watch.seconds());
            best_wall = std::min(best_wall, wall.seconds());
            bytes = method.bytes() + particles.bytes();
        }
        report_units(state);
        state.counters["cpu_s"] = best;
        state.counters["wall_s"] = best_wall;
        state.counters["rival"] = rival / (state.range(0) == 1 ? best : best_wall);
        state.counters["iterations"] = last.solvers.front().iterations;
        state.counters["products"] = last.solvers.back().iterations;
        state.counters["residual"] = last.solvers.front().residual;
        state.counters["bytes_a_particle"] = double(bytes) / double(start.size());
    });
}
#define IMPACT(name, ...)                        \
    BENCHMARK_CAPTURE(Impact, name, __VA_ARGS__) \
        ->Arg(1)                                 \
        ->Arg(2)                                 \
        ->Iterations(3)                          \
        ->Unit(benchmark::kMillisecond)          \
        ->UseRealTime()
IMPACT(admm_elastic, Time::admm, elastic, 1.8e-3, 1e6, 14.7);
IMPACT(admm_von_mises, Time::admm, von_mises, 1.8e-3, 1e6, 15.8);
IMPACT(admm_drucker_prager, Time::admm, granular, 1.8e-3, 1e6, 15.9);
IMPACT(admm_viscoelastic, Time::admm, viscoelastic, 1.8e-3, 1e6, 22.8);
IMPACT(newton_elastic, Time::newton, elastic, 1e-5, 1e6, 8.0);
IMPACT(newton_von_mises, Time::newton, von_mises, 1e-5, 1e6, 8.0);
IMPACT(newton_viscoelastic, Time::newton, viscoelastic, 1e-5, 1e6, 8.0);

void Explicit(benchmark::State& state) {
    Threads(int(state.range(1))).run([&] {
        const Real spacing = 0.01;
        const Model model = falling_block(1e6, spacing, elastic);
        ParticleState particles = cube_above(int(state.range(0)), spacing);
        Fang2019 method({}, Time::symplectic_euler, model);
        method.prepare(particles);
        const Real dt = method.largest_timestep(particles);
        method.step(particles, 0, dt);
        double best = 1e30;
        for (auto _ : state) {
            const Stopwatch watch;
            method.step(particles, 0, dt);
            best = std::min(best, watch.seconds());
        }
        const double n = double(particles.size());
        report_units(state);
        state.counters["us_a_particle"] = 1e6 * best / n;
        state.counters["rival"] = 1.28e-6 * n / best;
        state.counters["bytes_a_particle"] = double(method.bytes() + particles.bytes()) / n;
    });
}
BENCHMARK(Explicit)
    ->ArgNames({"edge", "threads"})
    ->ArgsProduct({{22, 50, 100}, {1, 2}})
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Time and memory by size: Newton's steps of a cube that falls on the floor.
void BySize(benchmark::State& state) {
    Threads(int(state.range(1))).run([&] {
        const int edge = int(state.range(0));
        const Real spacing = 0.5 / edge;
        // As stiff for its cells at every size.
        const Model model = falling_block(1e6, spacing, state.range(2) ? viscoelastic : elastic);
        ParticleState particles = cube_above(edge, spacing);
        Fang2019 method({}, Time::newton, model);
        method.prepare(particles);
        const Real dt = 5e-3 * 50 / edge;
        method.step(particles, 0, dt);
        double best = 1e30;
        StepReport last;
        for (auto _ : state) {
            const Stopwatch watch;
            last = method.step(particles, 0, dt);
            best = std::min(best, watch.seconds());
        }
        const double n = double(particles.size());
        state.counters["us_a_particle"] = 1e6 * best / n;
        state.counters["products"] = last.solvers.back().iterations;
        state.counters["us_a_product"] = 1e6 * best / n / last.solvers.back().iterations;
        state.counters["bytes_a_particle"] = double(method.bytes() + particles.bytes()) / n;
    });
}
BENCHMARK(BySize)
    ->ArgNames({"edge", "threads", "viscous"})
    ->ArgsProduct({{22, 46, 100, 126}, {1, 2}, {0, 1}})
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// Vector arithmetic that touches no memory, in many equal pieces: what a second thread gains on this machine. Where two
// threads share a core that is far less than twice.
double seconds_of_arithmetic(Threads& threads) {
    std::array<double, 64> sums{};
    const Stopwatch watch;
    threads.run([&] {
        parallel_for(
            sums.size(),
            [&](std::size_t i) {
                Double4 x[10];  // enough to keep the units busy
                for (int c = 0; c < 10; ++c) x[c] = Double4(double(i + std::size_t(c)));
                for (int k = 0; k < 8000; ++k) {
                    for (Double4& v : x) v = simd::fma(v, Double4(1.0000001), Double4(1e-9));
                }
                for (const Double4& v : x) sums[i] += simd::sum(v);
            },
            1);
    });
    benchmark::DoNotOptimize(sums.data());
    return watch.seconds();
}

// The same step by one thread and by two in turns, so that a machine that wanders is as fast for both; by the clock.
// `arithmetic` is the gain of plain arithmetic.
void TwoThreads(benchmark::State& state, Time time, Real tolerance) {
    const int edge = int(state.range(0));
    const Real spacing = 0.5 / edge;
    const Model model = falling_block(1e6, spacing, elastic);
    const ParticleState start = cube_above(edge, spacing);
    MpmSettings settings;
    settings.tolerance = tolerance;
    const auto seconds_of_a_step = [&](Threads& threads) {
        double seconds = 0;
        threads.run([&] {
            ParticleState particles = start;
            Fang2019 method(settings, time, model);
            method.prepare(particles);
            const Real dt =
                time == Time::symplectic_euler ? method.largest_timestep(particles) : 5e-3 * 50 / Real(edge);
            method.step(particles, 0, dt);
            const Stopwatch watch;
            method.step(particles, dt, dt);
            seconds = watch.seconds();
        });
        return seconds;
    };
    Threads one(1), two(2);
    std::vector<double> alone, together, plain_alone, plain_together;
    for (auto _ : state) {
        plain_alone.push_back(seconds_of_arithmetic(one));
        plain_together.push_back(seconds_of_arithmetic(two));
        alone.push_back(seconds_of_a_step(one));
        together.push_back(seconds_of_a_step(two));
    }
    const auto least = [](const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); };
    const auto middle = [](std::vector<double>& times) {
        std::nth_element(times.begin(), times.begin() + std::ptrdiff_t(times.size() / 2), times.end());
        return times[times.size() / 2];
    };
    state.counters["one_ms"] = 1e3 * least(alone);
    state.counters["two_ms"] = 1e3 * least(together);
    state.counters["best"] = least(alone) / least(together);
    state.counters["median"] = middle(alone) / middle(together);
    state.counters["arithmetic"] = middle(plain_alone) / middle(plain_together);
}
#define TWO_THREADS(name, ...)                       \
    BENCHMARK_CAPTURE(TwoThreads, name, __VA_ARGS__) \
        ->ArgName("edge")                            \
        ->Arg(22)                                    \
        ->Arg(46)                                    \
        ->Iterations(25)                             \
        ->Unit(benchmark::kMillisecond)              \
        ->UseRealTime()
TWO_THREADS(newton, Time::newton, 1e-3);
TWO_THREADS(admm, Time::admm, 1e-2);
TWO_THREADS(explicit, Time::symplectic_euler, 1e-3);

// What a simulated second costs: processor seconds, and steps.
struct Cost {
    double seconds = 0, steps = 0;
    bool is_whole = false;
};

// By the method's own steps from 0 to `end`, or the first `most` of them.
Cost run(const Model& model, Time time, Real end, int most, ParticleState& particles) {
    Fang2019 method({}, time, model);
    method.prepare(particles);
    Real now = 0;
    int k = 0;
    const ProcessorStopwatch watch;
    for (; k < most && now < end - 1e-12; ++k) {
        const Real dt = std::min(method.largest_timestep(particles), end - now);
        method.step(particles, now, dt);
        now += dt;
    }
    return {watch.seconds() / now, k / now, now >= end - 1e-12};
}

// Of the same particles in two states, rms [m].
Real distance_between(const ParticleState& a, const ParticleState& b) {
    std::vector<Vec3> place(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) place[a.id[i]] = a.position[i];
    Real sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += (b.position[i] - place[b.id[i]]).squaredNorm();
    return std::sqrt(sum / Real(b.size()));
}

void report_race(benchmark::State& state, const Cost& implicit, const Cost& explicitly) {
    state.counters["newton_s"] = implicit.seconds;
    state.counters["explicit_s"] = explicitly.seconds;
    state.counters["ratio"] = explicitly.seconds / implicit.seconds;
    state.counters["steps"] = explicitly.steps / implicit.steps;
    state.counters["worth"] = implicit.seconds / implicit.steps / (explicitly.seconds / explicitly.steps);
}

// What a second of an impact and the ringing after it costs by stiffness, explicitly and by Newton's method: processor
// time of 0.1 s from the impact on with steps of 5 ms, or shorter ones by speed, and of as many explicit steps as that
// takes, of which at most 400 are run. `deviation`: of places after that time by Newton's method and explicitly, rms,
// over the cube's edge; where explicit steps are few enough to be run. `steps`: explicit ones for an implicit one;
// `worth`: how many of them cost as much as it.
void Stiffness(benchmark::State& state, int material) {
    const int edge = int(state.range(1));
    const Real young = std::pow(10.0, Real(state.range(0))), spacing = 0.5 / edge, end = 0.1;
    const Model model = falling_block(young, spacing, material);
    const ParticleState start = cube_above(edge, spacing);
    Threads(1).run([&] {
        for (auto _ : state) {
            ParticleState a = start, b = start;
            const Cost implicit = run(model, Time::newton, end, 1000, a);
            const Cost explicitly = run(model, Time::symplectic_euler, end, young < 1e8 ? 100000 : 400, b);
            report_race(state, implicit, explicitly);
            if (explicitly.is_whole) state.counters["deviation"] = distance_between(a, b) / 0.5;
        }
    });
}
#define STIFFNESS(name, ...)                                                   \
    BENCHMARK_CAPTURE(Stiffness, name, name)                                   \
        ->ArgNames({"log10_young", "edge"})                                    \
        ->ArgsProduct({benchmark::CreateDenseRange(__VA_ARGS__, 1), {20, 40}}) \
        ->Iterations(1)                                                        \
        ->Unit(benchmark::kMillisecond)
STIFFNESS(elastic, 5, 11);
STIFFNESS(von_mises, 5, 8);
STIFFNESS(viscoelastic, 5, 8);

// A rod of 1.6 m x 0.3 m x 0.3 m along x, pinned at both ends, which turn by a quarter each and against each other.
struct TwistedRod {
    Model model;
    ParticleState state;

    TwistedRod(Real young, int edge, Real end) {
        const Real spacing = 0.3 / edge, held = 0.15;
        model = rubber(young);
        model.bodies[0].spacing = spacing;
        model.materials[0].density = 7800;
        model.materials[0].plasticity = VonMisesPlasticity{young / 500, young / 100};
        for (const Real side : {-1.0, 1.0}) {
            PinSettings pin;
            pin.motion =
                MotionSettings{"smooth", false, {{0, {0, 0, 0}, {0, 0, 0}}, {end, {0, 0, 0}, {side * 90, 0, 0}}}};
            model.pins.emplace_back(pin);
        }
        const int length = int(std::lround(1.6 / spacing));
        std::vector<Vec3> places;
        for (int n = 0; n < length * edge * edge; ++n) {
            const Vec3 place(n / (edge * edge), n / edge % edge, n % edge);
            places.push_back(spacing * (place + Vec3(0.5, 0.5, 0.5)) - Vec3(0.8, 0.15, 0.15));
        }
        const auto order = cell_order(places, 2 * spacing);
        state.resize(places.size());
        for (std::size_t i = 0; i < state.size(); ++i) {
            state.id[i] = order[i];
            state.position[i] = places[order[i]];
            state.rest_volume[i] = cube(spacing);
            state.mass[i] = 7800 * cube(spacing);
            const Real x = state.position[i].x();
            if (std::abs(x) > 0.8 - held) state.pin[i] = x > 0;
        }
    }
};

Real mean_plastic_strain(const ParticleState& state) {
    return std::accumulate(state.plastic_strain.begin(), state.plastic_strain.end(), Real(0)) / Real(state.size());
}

// Metal that yields and hardens, twisted by half a turn in 0.2 s, by stiffness: the yield stress is a 500th of Young's
// modulus and the slope of hardening a 100th. As Stiffness; explicit steps are run to the end, of the finer rod at most
// 400. `deviation`: over the rod's thickness; `strain`: mean plastic strain at the end by Newton's method, over that of
// explicit steps.
void Metal(benchmark::State& state) {
    const int edge = int(state.range(1));
    const Real end = 0.2;
    const TwistedRod rod(std::pow(10.0, Real(state.range(0))), edge, end);
    Threads(1).run([&] {
        for (auto _ : state) {
            ParticleState a = rod.state, b = rod.state;
            const Cost implicit = run(rod.model, Time::newton, end, 1000, a);
            const Cost explicitly = run(rod.model, Time::symplectic_euler, end, edge > 12 ? 400 : 1000000, b);
            report_race(state, implicit, explicitly);
            state.counters["plastic_strain"] = mean_plastic_strain(a);
            if (!explicitly.is_whole) continue;
            state.counters["deviation"] = distance_between(a, b) / 0.3;
            state.counters["strain"] = mean_plastic_strain(a) / mean_plastic_strain(b);
        }
    });
}
BENCHMARK(Metal)
    ->ArgNames({"log10_young", "edge"})
    ->ArgsProduct({benchmark::CreateDenseRange(8, 11, 1), {12, 24}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// A product with the matrix over nodes, the one that ADMM stores and the one that Newton's method makes of its
// particles' tangents each time: bytes that must move (matrix, tangents and weights; a vector in and out) over what a
// copy moves.
void Products(benchmark::State& state) {
    Threads(int(state.range(1))).run([&] {
        const double bandwidth = copy_bandwidth();
        const Model model = falling_block(1e6, 0.01, elastic);
        ParticleState particles = cube_above(int(state.range(0)), 0.01);
        Fang2019 method({}, Time::admm, model);
        method.prepare(particles);
        method.step(particles, 0, 1e-6);
        const SparseGrid& grid = method.grid();
        std::vector<Vec3> x(grid.node_count() + 1, Vec3(1, 2, 3)), result(x.size());
        NodeMatrix matrix;
        matrix.assemble(grid, method.node_mass(),
                        std::vector<NodeMatrix::Symmetric>(grid.place_count(), {{1, 1, 1, 0, 0, 0}}));
        const GridStep step{grid, method.matter(), particles, method.node_mass(), x, 5e-3};
        NewtonSolve newton{MpmSettings{}};
        newton.evaluate(step, x, result);
        double stored = 1e30, free = 1e30;
        for (auto _ : state) {
            const Stopwatch first;
            matrix.multiply(grid, x, result);
            stored = std::min(stored, first.seconds());
            const Stopwatch second;
            newton.multiply(step, x, result);
            free = std::min(free, second.seconds());
        }
        const double vectors = 2 * 24 * double(grid.node_count()), places = double(grid.place_count());
        state.counters["stored_ms"] = 1e3 * stored;
        state.counters["newton_ms"] = 1e3 * free;
        state.counters["stored_share"] = (double(matrix.bytes()) + vectors) / stored / bandwidth;
        state.counters["newton_share"] =
            (places * (4 * TangentFactors::numbers + sizeof(SparseGrid::Place)) + vectors) / free / bandwidth;
    });
}
BENCHMARK(Products)
    ->ArgNames({"edge", "threads"})
    ->ArgsProduct({{50, 100}, {1, 2}})
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The two transfers alone: bytes that must move (mass, x, v, C in; v, C, x and F out and in) over what a copy moves.
void Transfers(benchmark::State& state) {
    Threads(int(state.range(1))).run([&] {
        const double bandwidth = copy_bandwidth();
        const Real spacing = 0.01;
        const Model model = falling_block(1e6, spacing, elastic);
        ParticleState particles = cube_above(int(state.range(0)), spacing);
        Fang2019 method({}, Time::newton, model);
        method.prepare(particles);
        method.step(particles, 0, 1e-6);
        double to = 1e30, back = 1e30;
        for (auto _ : state) {
            StepReport report;
            const Stopwatch first;
            method.particles_to_grid(particles, 1e-9);
            to = std::min(to, first.seconds());
            const Stopwatch second;
            method.grid_to_particles(particles, 0, 1e-9, report);
            back = std::min(back, second.seconds());
        }
        const double n = double(particles.size());
        state.counters["to_grid_ns"] = 1e9 * to / n;
        state.counters["to_particles_ns"] = 1e9 * back / n;
        state.counters["to_grid_share"] = n * (8 + 24 + 24 + 72 + 36) / to / bandwidth;
        state.counters["to_particles_share"] = n * (2 * 24 + 24 + 72 + 2 * 72 + 36) / back / bandwidth;
    });
}
BENCHMARK(Transfers)
    ->ArgNames({"edge", "threads"})
    ->ArgsProduct({{50, 100}, {1, 2}})
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace pliant
