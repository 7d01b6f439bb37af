#include "pliant/run/reproduce_step_times.h"

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/base/processor_stopwatch.h"
#include "pliant/base/timer.h"
#include "pliant/math/svd_unit.h"
#include "pliant/methods/oriented/rig.h"
#include "pliant/scene/skins.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

constexpr int skinning_rounds = 200, quick_skinning_rounds = 5;

// Of all bodies at their poses of now, on average.
double seconds_of_skinning(const World& world, BodySkins& skins, Blending blending, int rounds) {
    skins.take_poses(world.particle_frame());
    skins.carry(blending);  // memory is touched before the watch runs
    const ProcessorStopwatch watch;
    for (int round = 0; round < rounds; ++round) skins.carry(blending);
    return watch.seconds() / rounds;
}

void step_through(World& world, int frames, RealTimeResult& result) {
    std::vector<double> seconds;
    double wall = 0;
    try {
        while (world.frame() < frames) {
            const Stopwatch clock;
            const ProcessorStopwatch watch;
            world.step();
            seconds.push_back(watch.seconds());
            wall += clock.seconds();
        }
    } catch (const SimulationError& error) {
        result.trouble = error.what();
    }
    if (seconds.empty()) return;
    std::sort(seconds.begin(), seconds.end());
    for (const double s : seconds) result.mean += s / double(seconds.size());
    result.median = seconds[seconds.size() / 2];
    result.slowest = seconds.back();
    result.wall_mean = wall / double(seconds.size());
    result.steps = std::int64_t(seconds.size());
    result.simulated = world.time();
    result.steps_a_frame = double(result.steps) * world.scene().frame_duration() / result.simulated;
}

std::vector<std::pair<std::string, double>> phase_shares(const PhaseTimers& timers) {
    auto shares = timers.seconds();
    double sum = 0;
    for (const auto& [name, seconds] : shares) sum += seconds;
    for (auto& [name, seconds] : shares) seconds /= std::max(sum, 1e-12);
    return shares;
}

}  // namespace

RealTimeResult measure_step_times(const Scene& scene, int frames, bool is_quick) {
    RealTimeResult result;
    World world(scene, {1, Log()});
    for (const BodyModel& body : world.model().bodies) {
        if (body.rig) result.edges += body.rig->edges.size();
    }
    result.unit = seconds_of_one_svd();
    step_through(world, frames, result);
    result.phases = phase_shares(world.timers());
    BodySkins skins(world.model());
    result.vertices = skins.vertex_count();
    if (skins.empty()) return result;
    const int rounds = is_quick ? quick_skinning_rounds : skinning_rounds;
    Threads(1).run([&] {
        result.linear = seconds_of_skinning(world, skins, Blending::linear, rounds);
        result.dual_quaternion = seconds_of_skinning(world, skins, Blending::dual_quaternion, rounds);
    });
    return result;
}

}  // namespace pliant
