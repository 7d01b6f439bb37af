// The loops over neighbours of an explicit step, a phase at a time, and the share of the machine's copy bandwidth that
// each reaches: the bytes that it must move when every array is read or written once, over its time, over what a plain
// copy moves a second (bytes read plus bytes written), with the same threads in the same run.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>

#include "benchmarks/block.h"
#include "pliant/methods/mls/gerszewski2009.h"

namespace pliant {
namespace {

// What the phases must move, in bytes a particle; a pair is an index, a weight and a slope.
std::map<std::string, double> bytes_moved(double neighbours) {
    const double pair = 4 + 8, pair_with_slope = pair + 8, vector = 24, padded = 32, matrix = 72;
    return {
        {"moments", pair * neighbours + padded + 3 * matrix + 3 * padded + 2 * 8},
        {"forces", pair_with_slope * neighbours + 5 * padded + 2 * padded + 2 * vector + 3 * 8},
        {"deformation", pair * neighbours + 3 * padded + 4 * matrix + vector + 2 * 8},
    };
}

void ExplicitStep(benchmark::State& state) {
    Threads(int(state.range(1))).run([&] {
        const double bandwidth = copy_bandwidth();
        const Model model = rubber(1e5);
        ParticleState particles = block_of(int(state.range(0)));
        Gerszewski2009 method({}, model);
        method.prepare(particles);
        Real neighbours = 0;
        std::map<std::string, double> best;
        for (auto _ : state) {
            method.timers.reset();
            neighbours = method.step(particles, 0, 1e-6).neighbours;
            for (const auto& [phase, seconds] : method.timers.seconds()) {
                const auto [found, is_new] = best.try_emplace(phase, seconds);
                if (!is_new) found->second = std::min(found->second, seconds);
            }
        }
        const double n = double(particles.size());
        state.SetItemsProcessed(state.iterations() * std::int64_t(particles.size()));
        state.counters["neighbours"] = neighbours;
        state.counters["copy_GB/s"] = bandwidth / 1e9;
        for (const auto& [phase, bytes] : bytes_moved(neighbours)) {
            state.counters[phase + "_ns"] = 1e9 * best[phase] / n;
            state.counters[phase + "_share"] = bytes * n / best[phase] / bandwidth;
        }
        state.counters["neighbours_ns"] = 1e9 * best["neighbours"] / n;
    });
}
BENCHMARK(ExplicitStep)
    ->ArgNames({"edge", "threads"})
    ->ArgsProduct({{20, 60, 100}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace pliant
