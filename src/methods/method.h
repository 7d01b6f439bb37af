// What every method offers to World. A method owns its rest data and workspace; what it needs to go on after a restart
// beyond the particle state it puts into the snapshot.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/timer.h"
#include "pliant/methods/model.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

struct SolverReport {
    std::string name;
    int iterations = 0;
    Real residual = 0;
    std::vector<std::pair<int, Real>> looks = {};  // on the way: after how many iterations, and the residual then
};

struct StepReport {
    std::vector<SolverReport> solvers;  // empty for an explicit step
    Real neighbours = 0;                // a particle, on average
    std::size_t contacts = 0;           // particles that touch an obstacle
    std::size_t yielding = 0;           // particles that flowed plastically
    std::optional<Real> taken;          // the step, where it turned out shorter than asked for [s]
};

// A number a particle that can be written and drawn.
struct Quantity {
    std::string name;
    std::string unit;
    std::vector<Real> values;
};

// What particles that turn about themselves add to the energy [J] and the angular momentum [kg m^2/s] of their flight.
struct Spin {
    Real energy = 0;
    Vec3 momentum = Vec3::Zero();
};

class RigidBodies;

class Method {
public:
    virtual ~Method() = default;

    // Once, with the particles at rest and in their final order, before the first step or restore().
    virtual void prepare(const ParticleState& state) = 0;

    // The largest step that the method would take from here on its own [s].
    virtual Real largest_timestep(const ParticleState& state) = 0;

    // Somebody else has moved the particles.
    virtual void positions_changed(ParticleState&) {}

    // Pins have let go of particles, or a restart has brought other pins than those that prepare() saw.
    virtual void pins_changed(const ParticleState&) {}

    // May take less than dt, and then says so, if the scene gives no step.
    virtual StepReport step(ParticleState& state, Real time, Real dt) = 0;

    // What it chose by itself for this scene, and why; empty if it had no choice.
    virtual std::string choice() const { return {}; }

    virtual Real elastic_energy(const ParticleState& state) const = 0;  // J
    virtual Spin spin(const ParticleState&) const { return {}; }
    virtual std::vector<Quantity> quantities(const ParticleState& state) const = 0;

    // Where the model's rigid bodies stand; empty of a method that has none.
    virtual std::vector<Placement> rigid_poses() const { return {}; }
    virtual const RigidBodies* rigid_bodies() const { return nullptr; }

    virtual void save(Snapshot& snapshot) const = 0;
    virtual void restore(const Snapshot& snapshot) = 0;

    virtual std::size_t bytes() const = 0;  // of memory held
    PhaseTimers timers;
};

}  // namespace pliant
