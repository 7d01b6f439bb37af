// The implicit step of mls: the product with its matrix and the share of the machine's copy bandwidth that it reaches
// (see benchmarks/forces.cpp), and whole steps from small to large.
#include <benchmark/benchmark.h>

#include "benchmarks/block.h"
#include "pliant/methods/mls/zhou2013.h"

namespace pliant {
namespace {

// Bytes a particle that a product must move when every array is read or written once: in each of two loops the rows
// (an index and a weight a pair, and where they begin) with rest positions and x; then rotations and G, which is N
// while nothing flows, four numbers, the stress written and read, x read and its copy written, the result written, read
// and written, and the mass.
double bytes_of_product(double neighbours) {
    const double rows = 8 * neighbours + 8, quad = 32, matrix = 72, vector = 24;
    return 2 * (rows + 2 * quad) + 2 * matrix + 4 * 8 + 2 * 3 * quad + vector + quad + 3 * vector + vector + 8;
}

void MatrixProduct(benchmark::State& state) {
    Threads(int(state.range(1))).run([&] {
        const double bandwidth = copy_bandwidth();
        const Model model = rubber(1e7);
        const ParticleState particles = block_of(int(state.range(0)));
        Zhou2013 method({}, Zhou2013::Time::implicit_euler, model);
        method.prepare(particles);
        std::vector<Vec3> x = particles.velocity, result(x.size());
        method.multiply(particles, 2e-3, x, result);  // the first touch of memory is no part of it
        double best = 1e30;
        for (auto _ : state) {
            const Stopwatch watch;
            method.multiply(particles, 2e-3, x, result);
            best = std::min(best, watch.seconds());
        }
        const double n = double(particles.size());
        state.counters["copy_GB/s"] = bandwidth / 1e9;
        state.counters["ns_a_particle"] = 1e9 * best / n;
        state.counters["share"] = bytes_of_product(method.rest().average_count()) * n / best / bandwidth;
    });
}
BENCHMARK(MatrixProduct)
    ->ArgNames({"edge", "threads"})
    ->ArgsProduct({{10, 20, 27, 60, 100}, {1, 2}})
    ->MinTime(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// A twisted block springs back: milliseconds, iterations and bytes by size.
void ImplicitStep(benchmark::State& state) {
    Threads(int(state.range(1))).run([&] {
        const int edge = int(state.range(0));
        const Model model = rubber(1e7);
        ParticleState particles = block_of(edge);
        Zhou2013 method({}, Zhou2013::Time::implicit_euler, model);
        method.prepare(particles);
        for (Vec3& q : particles.position) {
            q = Eigen::AngleAxisd(pi / 2 * q.y() / (edge * h), Vec3::UnitY()) * q;
        }
        method.positions_changed(particles);
        const ParticleState start = particles;
        int iterations = 0, steps = 0;
        method.timers.reset();
        for (auto _ : state) {
            for (const SolverReport& solver : method.step(particles, 0, 2e-3).solvers) iterations += solver.iterations;
            ++steps;
        }
        const double n = double(particles.size());
        for (const auto& [phase, seconds] : method.timers.seconds()) {
            state.counters[phase + "_ns"] = 1e9 * seconds / steps / n;
        }
        state.counters["iterations"] = double(iterations) / steps;
        state.counters["bytes_a_particle"] = double(method.bytes() + particles.bytes()) / n;
        state.SetItemsProcessed(state.iterations() * std::int64_t(particles.size()));
    });
}
BENCHMARK(ImplicitStep)
    ->ArgNames({"edge", "threads"})
    ->ArgsProduct({{10, 22, 46, 100}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(4)
    ->UseRealTime();

}  // namespace
}  // namespace pliant
