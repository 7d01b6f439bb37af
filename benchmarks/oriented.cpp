// Oriented particles: the time of a step in units of u, one Eigen::JacobiSVD of a random matrix on the same core, so
// that figures of different machines can be compared; and how a crowd gains from a second thread.
#include <benchmark/benchmark.h>

#include <Eigen/SVD>

#include "pliant/base/timer.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

double unit_seconds() {
    std::srand(1);
    std::vector<Eigen::Matrix3d> matrices(2000);
    for (auto& m : matrices) m.setRandom();
    double best = 1e30;
    for (int run = 0; run < 5; ++run) {
        const Stopwatch watch;
        for (const auto& m : matrices) {
            const Eigen::JacobiSVD<Eigen::Matrix3d> svd(m, Eigen::ComputeFullU | Eigen::ComputeFullV);
            benchmark::DoNotOptimize(svd.singularValues().sum());
        }
        best = std::min(best, watch.seconds() / double(matrices.size()));
    }
    return best;
}

Scene scene_of(const char* model, Real height, Real spacing, int count, bool has_floor = true) {
    Scene scene;
    scene.simulation.method = "oriented";
    scene.simulation.timestep = 1.0 / 60;
    scene.oriented.iterations = 4;
    scene.oriented.stiffness = 0.5;
    MaterialSettings material;
    material.name = "jelly";
    material.density = 1000;
    material.young = 1e5;
    material.poisson = 0.3;
    scene.materials = {material};
    for (int k = 0; k < count; ++k) {
        BodySettings body;
        ModelShape shape;
        shape.name = model;
        shape.height = height;
        body.shape = shape;
        body.spacing = spacing;
        body.material = "jelly";
        body.position = height * Vec3(0.7 * (k % 3), 0.6 + 1.1 * (k / 3), 0.3 * (k % 3));
        scene.bodies.push_back(body);
    }
    if (has_floor) {
        ColliderSettings floor;
        floor.shape = PlaneShape{Vec3::UnitY()};
        scene.colliders = {floor};
    }
    return scene;
}

void report(benchmark::State& state, const World& world, double seconds, int steps) {
    const double u = unit_seconds();
    state.counters["particles"] = double(world.state().size());
    state.counters["us_a_step"] = 1e6 * seconds / steps;
    state.counters["u_a_step"] = seconds / steps / u;
    for (const auto& [phase, time] : world.timers().seconds()) state.counters[phase + "_u"] = time / steps / u;
}

// The first two seconds, from the fall to the heap.
void Octopuses(benchmark::State& state) {
    World world(scene_of("octopus", 0.3, 0.033, int(state.range(0))), {1, {}});
    int steps = 0;
    double seconds = 0;
    for (auto _ : state) {
        const Stopwatch watch;
        world.step();
        seconds += watch.seconds();
        ++steps;
    }
    report(state, world, seconds, steps);
}
BENCHMARK(Octopuses)->Arg(1)->Arg(3)->Iterations(120)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pliant
