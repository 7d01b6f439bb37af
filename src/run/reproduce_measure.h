// Runs of a scene that are timed, and the search for the largest step that an integrator bears.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/log.h"
#include "pliant/run/reproduce_results.h"
#include "pliant/run/reproduce_shape.h"
#include "pliant/scene/scene.h"

namespace pliant {

// One run without files.
struct Trial {
    bool is_stable = true;
    std::string trouble;  // why not
    Real step = 0;        // the longest [s]
    std::int64_t steps = 0;
    double seconds = 0;          // of stepping alone
    std::vector<Vec3> position;  // at the end, in the order of ids
};

struct TrialSettings {
    int frames = 0;
    int threads = 0;
    std::optional<Real> after_contact;  // end this long after something first touched an obstacle [s]
    bool watches_energy = false;        // a run that gains energy is not stable
};

Trial run_trial(const Scene& scene, const TrialSettings& settings);

// The particles as the scene begins.
ParticleShape starting_shape(const Scene& scene, int threads);

// The step that the integrator of the scene would choose when nothing moves [s].
Real own_step(Scene scene, int threads);

// Measures one integrator after the other on one scene.
class IntegratorRace {
public:
    IntegratorRace(const Scene& scene, int frames, int threads, const Log& log);

    std::size_t particles() const { return start_.position.size(); }

    // Explicit integrators: at the largest step that is stable, or without search at their own.
    IntegratorResult at_largest_stable_step(const std::string& integrator, bool searches) const;

    // The implicit one: at the largest of a few steps that is accurate enough, or without search at 2 ms.
    IntegratorResult at_largest_accurate_step(bool searches) const;

    // Fills in how far a single body has drifted and turned; call it before the next measurement.
    void add_drift(IntegratorResult& result) const;

private:
    Trial run(const std::string& integrator, Real step, std::optional<Real> after_contact, bool watches_energy) const;
    bool is_stable_after_contact(const std::string& integrator, Real step) const;
    IntegratorResult note(const std::string& integrator, Real own, Trial trial) const;

    Scene scene_;
    int frames_, threads_;
    Log log_;
    ParticleShape start_;
    mutable std::vector<Vec3> end_;  // of the last run that was noted
};

}  // namespace pliant
