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
    double seconds = 0;                     // of stepping alone
    double processor_seconds = 0;           // of all threads together
    std::vector<std::vector<Vec3>> frames;  // positions at the end of each, in the order of ids
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

// What an integrator did, and where the particles were at the end of each frame, in the order of ids.
struct Measurement {
    IntegratorResult result;
    std::vector<std::vector<Vec3>> frames;
};

// Measures one integrator after the other on one scene.
class IntegratorRace {
public:
    IntegratorRace(const Scene& scene, int frames, int threads, const Log& log);

    std::size_t particles() const { return start_.position.size(); }

    // Explicit integrators: at the largest step that is stable, or without search at their own.
    Measurement at_largest_stable_step(const std::string& integrator, bool searches) const;

    // The implicit one: at the largest of a few steps that is accurate enough, or without search at 2 ms.
    Measurement at_largest_accurate_step(bool searches) const;

    // Fills in how far a run is from the explicit one.
    void compare_with_explicit(Measurement& measurement, const Measurement& explicit_run) const;

    // Fills in how far a single body has drifted and turned.
    void add_drift(Measurement& measurement) const;

private:
    Trial run(const std::string& integrator, Real step, std::optional<Real> after_contact, bool watches_energy) const;
    std::vector<Deviation> deviations(const std::vector<std::vector<Vec3>>& a,
                                      const std::vector<std::vector<Vec3>>& b) const;  // of each frame
    void compare_with_finer(Measurement& measurement, const Trial& reference) const;
    bool is_stable_after_contact(const std::string& integrator, Real step) const;

    Scene scene_;
    int frames_, threads_;
    Log log_;
    ParticleShape start_;
};

}  // namespace pliant
