#include "pliant/run/reproduce_race.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "pliant/base/error.h"
#include "pliant/base/processor_stopwatch.h"
#include "pliant/base/timer.h"
#include "pliant/run/reproduce_papers.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

constexpr Real trial_after_contact = 0.05;  // s
constexpr Real energy_interval = 1e-3;      // s, simulated, between two looks at the energy
constexpr Real largest_gain = 0.02;         // of the energy that the scene brings along
constexpr Real largest_deviation = 0.02;    // of the body's height

// Steps that are tried, over the method's own limit of stability.
constexpr std::array<Real, 15> ladder = {0.25, 0.32, 0.4, 0.5, 0.64, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0};
constexpr std::size_t ladder_start = 7;
static_assert(ladder[ladder_start] == 1.0);

constexpr Real published_step = 2e-3;                                                // s, implicit  [Zhou13] Section 4
constexpr std::array<Real, 4> implicit_steps = {10e-3, 5e-3, published_step, 1e-3};  // s
constexpr Real reference_ratio = 0.1;  // of the reference's step to the one in question

std::vector<Vec3> positions_by_id(const ParticleState& state) {
    std::vector<Vec3> position(state.size());
    for (std::size_t i = 0; i < state.size(); ++i) position[state.id[i]] = state.position[i];
    return position;
}

// Energy can only be lost, to contact, flow and damping. The gain is measured against what the scene brings along:
//     (E - E_0) / (K_0 + U_0 - min U),     E = K + elastic + U
class EnergyWatch {
public:
    explicit EnergyWatch(const Diagnostics& start) : start_(start), lowest_(start.potential) {}

    Real gain(const Diagnostics& now) {
        lowest_ = std::min(lowest_, now.potential);
        const Real scale = start_.kinetic + start_.potential - lowest_;
        return (total(now) - total(start_)) / std::max(scale, 1e-12);
    }

private:
    static Real total(const Diagnostics& d) { return d.kinetic + d.elastic + d.potential; }
    Diagnostics start_;
    Real lowest_;
};

// Steps until the end, the time after contact is over, or something is wrong.
void step_through(World& world, const TrialSettings& settings, Trial& trial) {
    EnergyWatch energy(world.diagnostics());
    std::optional<Real> end;
    Real next_look = energy_interval;
    while (world.frame() < settings.frames && (!end || world.time() < *end)) {
        const Stopwatch watch;
        const ProcessorStopwatch processor;
        const StepSummary summary = world.step();
        trial.seconds += watch.seconds();
        trial.processor_seconds += processor.seconds();
        trial.step = std::max(trial.step, summary.dt);
        ++trial.steps;
        if (summary.frame_done) trial.frames.push_back(positions_by_id(world.state()));
        if (settings.after_contact && !end && summary.report.contacts > 0) end = summary.time + *settings.after_contact;
        if (!settings.watches_energy || world.time() < next_look) continue;
        next_look = world.time() + energy_interval;
        const Real gain = energy.gain(world.diagnostics());
        if (gain <= largest_gain) continue;
        throw SimulationError(fmt::format("step {} at {:.4g} s: the energy has grown by {:.3g} %", summary.step,
                                          summary.time, 100 * gain));
    }
}

Deviation worst_of(const std::vector<Deviation>& all) {
    Deviation worst;
    for (const Deviation& one : all) worst = {std::max(worst.shape, one.shape), std::max(worst.place, one.place)};
    return worst;
}

Measurement measurement_of(const std::string& integrator, Real own, Trial trial) {
    Measurement measured;
    IntegratorResult& result = measured.result;
    result.integrator = integrator;
    result.is_stable = trial.is_stable;
    result.trouble = trial.trouble;
    result.own_step = own;
    result.step = trial.step;
    result.steps = trial.steps;
    result.seconds = trial.seconds;
    result.processor_seconds = trial.processor_seconds;
    measured.frames = std::move(trial.frames);
    return measured;
}

}  // namespace

Trial run_trial(const Scene& scene, const TrialSettings& settings) {
    Trial trial;
    World world(scene, {settings.threads, Log()});
    try {
        step_through(world, settings, trial);
    } catch (const SimulationError& error) {
        trial.is_stable = false;
        trial.trouble = error.what();
    }
    return trial;
}

ParticleShape starting_shape(const Scene& scene, int threads) {
    const World world(scene, {threads, Log()});
    ParticleShape shape{positions_by_id(world.state()), std::vector<std::uint32_t>(world.state().size())};
    for (std::size_t i = 0; i < world.state().size(); ++i) shape.body[world.state().id[i]] = world.state().body[i];
    return shape;
}

// At rest nothing but the vibration of the particles limits a step.
Real own_step(Scene scene, int threads) {
    scene.simulation.timestep.reset();
    World world(std::move(scene), {threads, Log()});
    world.set_velocities(std::vector<Vec3>(world.state().size(), Vec3::Zero()));
    return world.step().dt;
}

IntegratorRace::IntegratorRace(const Scene& scene, int frames, int threads, const Log& log)
    : scene_(scene), frames_(frames), threads_(threads), log_(log), start_(starting_shape(scene, threads)) {}

Trial IntegratorRace::run(const std::string& integrator, Real step, std::optional<Real> after_contact,
                          bool watches_energy) const {
    Scene scene = scene_;
    scene.simulation.integrator = integrator;
    scene.simulation.timestep = step;
    log_.info("  {}: {} at a step of {:.4g} ms", integrator, after_contact ? "trial" : "whole run", 1e3 * step);
    Trial trial = run_trial(scene, {frames_, threads_, after_contact, watches_energy});
    if (trial.steps == 0) trial.step = step;  // it failed at once
    log_.info("    {} after {} steps, {:.3g} s", trial.is_stable ? "stable" : "not stable: " + trial.trouble,
              trial.steps, trial.seconds);
    return trial;
}

bool IntegratorRace::is_stable_after_contact(const std::string& integrator, Real step) const {
    return run(integrator, step, trial_after_contact, true).is_stable;
}

// Climbs the ladder from the method's own limit until a short trial fails, then steps down until the whole run is good.
Measurement IntegratorRace::at_largest_stable_step(const std::string& integrator, bool searches) const {
    Scene scene = scene_;
    scene.simulation.integrator = integrator;
    const Real own = own_step(scene, threads_), limit = own / scene.mls.safety;
    if (!searches) return measurement_of(integrator, own, run(integrator, own, {}, false));
    std::size_t rung = ladder_start;
    if (is_stable_after_contact(integrator, limit)) {
        while (rung + 1 < ladder.size() && is_stable_after_contact(integrator, ladder[rung + 1] * limit)) ++rung;
    } else {
        while (rung > 0 && !is_stable_after_contact(integrator, ladder[--rung] * limit)) {
        }
    }
    Trial whole = run(integrator, ladder[rung] * limit, {}, true);
    while (!whole.is_stable && rung > 0) whole = run(integrator, ladder[--rung] * limit, {}, true);
    return measurement_of(integrator, own, std::move(whole));
}

Measurement IntegratorRace::at_largest_accurate_step(bool searches) const {
    const std::string& integrator = compared_integrators[0];
    Scene scene = scene_;
    scene.simulation.integrator = integrator;
    const Real own = own_step(scene, threads_);
    if (!searches) return measurement_of(integrator, own, run(integrator, published_step, {}, false));
    Measurement measured;
    for (const Real step : implicit_steps) {
        measured = measurement_of(integrator, own, run(integrator, step, {}, false));
        if (!measured.result.is_stable) continue;
        const Trial reference = run(integrator, reference_ratio * step, {}, false);
        if (!reference.is_stable) continue;
        compare_with_finer(measured, reference);
        if (*measured.result.deviation <= largest_deviation) break;
    }
    if (measured.result.step < published_step * 1.001) return measured;
    const Trial published = run(integrator, published_step, {}, false);
    if (published.is_stable) measured.result.published_seconds = published.seconds;
    return measured;
}

std::vector<Deviation> IntegratorRace::deviations(const std::vector<std::vector<Vec3>>& a,
                                                  const std::vector<std::vector<Vec3>>& b) const {
    std::vector<Deviation> result;
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) result.push_back(deviation(start_, a[k], b[k]));
    return result;
}

void IntegratorRace::compare_with_finer(Measurement& measurement, const Trial& reference) const {
    IntegratorResult& result = measurement.result;
    const std::vector<Deviation> all = deviations(measurement.frames, reference.frames);
    const Deviation worst = worst_of(all);
    result.reference_step = reference.step;
    result.deviation = all.back().shape;
    result.worst_deviation = worst.shape;
    result.worst_displacement = worst.place;
    log_.info(
        "    against this, the last shape deviates by {:.2g} % of the height, in any frame by {:.2g} % and the "
        "place by {:.2g} %",
        100 * all.back().shape, 100 * worst.shape, 100 * worst.place);
}

void IntegratorRace::compare_with_explicit(Measurement& measurement, const Measurement& explicit_run) const {
    if (!measurement.result.is_stable || !explicit_run.result.is_stable) return;
    const Deviation worst = worst_of(deviations(measurement.frames, explicit_run.frames));
    measurement.result.explicit_deviation = worst.shape;
    measurement.result.explicit_displacement = worst.place;
}

void IntegratorRace::add_drift(Measurement& measurement) const {
    if (!measurement.result.is_stable) return;
    const RigidFit fit = fit_rigidly(start_.position, measurement.frames.back());
    const Vec3 shift = fit.middle_to - fit.middle_from, down = scene_.simulation.gravity.normalized();
    measurement.result.drift = (shift - shift.dot(down) * down).norm();
    measurement.result.turn = angle_of(fit.R);
}

}  // namespace pliant
