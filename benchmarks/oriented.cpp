// Oriented particles: the time of a step in units of u, one Eigen::JacobiSVD of a random matrix on the same core, so
// that figures of different machines can be compared; and how a crowd gains from a second thread.
#include <benchmark/benchmark.h>

#include "pliant/base/processor_stopwatch.h"
#include "pliant/base/timer.h"
#include "pliant/math/svd_unit.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

// Time of the processor on one thread, which tells less of what else the machine does; else of the clock on the wall.
void time_steps(benchmark::State& state, World& world, bool on_one_thread) {
    int steps = 0;
    double wall = 0, processor = 0;
    for (auto _ : state) {
        const Stopwatch watch;
        const ProcessorStopwatch own;
        world.step();
        processor += own.seconds();
        wall += watch.seconds();
        ++steps;
    }
    const double u = seconds_of_one_svd(), seconds = on_one_thread ? processor : wall;
    state.counters["particles"] = double(world.state().size());
    state.counters["us_a_step"] = 1e6 * seconds / steps;
    state.counters["u_a_step"] = seconds / steps / u;
    for (const auto& [phase, time] : world.timers().seconds())
        state.counters[phase + "_u"] = time * (seconds / wall) / steps / u;
}

// A scene of the paper from its beginning, at its own step and four iterations, on one thread.
void Paper(benchmark::State& state, const char* name) {
    const std::filesystem::path root = PLIANT_SOURCE_DIR;
    World world = World::load(root / "scenes/mueller2011" / (std::string(name) + ".toml"), {}, {1, {}});
    time_steps(state, world, true);
}
BENCHMARK_CAPTURE(Paper, octopus, "octopus")->Iterations(700)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Paper, three_octopuses, "three-octopuses")->Iterations(900)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Paper, fish_and_plants, "fish-and-plants")->Iterations(1400)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Paper, two_trucks, "two-trucks")->Iterations(700)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Paper, rope, "rope")->Iterations(700)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Paper, sphere_rope, "sphere-rope")->Iterations(700)->Unit(benchmark::kMicrosecond);

// A thousand octopuses in layers fall on each other.
void Crowd(benchmark::State& state) {
    const std::filesystem::path root = PLIANT_SOURCE_DIR;
    Scene scene = World::load(root / "scenes/mueller2011/octopus.toml", {}, {1, {}}).scene();
    const BodySettings one = scene.bodies[0];
    scene.bodies.clear();
    for (int k = 0; k < 1000; ++k) {
        BodySettings& body = scene.bodies.emplace_back(one);
        body.name = "octopus" + std::to_string(k);
        body.position = Vec3(0.45 * (k % 10), 0.3 + 0.32 * (k / 100), 0.45 * (k / 10 % 10));
    }
    World world(scene, {int(state.range(0)), {}});
    time_steps(state, world, false);
}
BENCHMARK(Crowd)->Arg(1)->Arg(2)->Iterations(30)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace pliant
