// The whole public interface: a scene, its state and the method that moves it.
//
//     pliant::World world = pliant::World::load("jelly.toml");
//     while (world.frame() < world.scene().frame_count()) world.advance_frame();
//     const auto& positions = world.state().position;
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pliant/base/log.h"
#include "pliant/base/parallel.h"
#include "pliant/methods/method.h"
#include "pliant/methods/model.h"
#include "pliant/output/particle_frame.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"
#include "pliant/scene/scene.h"

namespace pliant {

struct WorldOptions {
    int threads = 0;  // 0: as many as the machine has; the results are the same
    Log log;          // silent by default
};

// What one step did.
struct StepSummary {
    std::int64_t step = 0;  // counted from 1
    Real time = 0;          // at its end [s]
    Real dt = 0;            // s
    bool frame_done = false;
    StepReport report;
};

// Energy in joules, momentum in kg m/s, angular momentum about the origin in kg m^2/s, volume in m^3, speed in m/s.
struct Diagnostics {
    Real kinetic = 0, elastic = 0, potential = 0;
    Momentum momentum;
    Real volume = 0;
    Real largest_speed = 0;
};

class World {
public:
    explicit World(Scene scene, WorldOptions options = {});
    static World load(const std::filesystem::path& file, const std::vector<std::string>& changes = {},
                      WorldOptions options = {});

    const Scene& scene() const { return scene_; }
    const Model& model() const { return *model_; }
    const ParticleState& state() const { return state_; }
    int threads() const { return threads_.count(); }

    int frame() const { return frame_; }           // whole frames done
    std::int64_t steps() const { return steps_; }  // steps done
    Real time() const { return frame_ * scene_.frame_duration() + offset_; }

    // One step, never across the end of a frame. Throws SimulationError when a particle stops being finite, or is
    // faster than anything in the scene could make it.
    StepSummary step();
    void advance_frame();

    Diagnostics diagnostics() const;
    ParticleFrame particle_frame() const;  // in the order of ids
    std::vector<Placement> rigid_poses() const { return method_->rigid_poses(); }
    std::uint64_t hash() const;                               // of the state and the clock
    std::string choice() const { return method_->choice(); }  // what the method chose by itself, and why
    const PhaseTimers& timers() const { return method_->timers; }
    std::size_t bytes() const;

    // Sets all velocities [m/s] or positions [m], in the order of state(): a start that settings cannot say. The rest
    // shape stays what it was.
    void set_velocities(const std::vector<Vec3>& velocity);
    void set_positions(const std::vector<Vec3>& position);

    // Everything needed to go on, and going on from it: bit for bit as if nothing had happened.
    Snapshot save() const;
    void restore(const Snapshot& snapshot);

private:
    Real next_timestep() const;
    Real clock_rounding() const { return 1e-9 * scene_.frame_duration(); }  // that steps may add up to
    void release_pins();
    void check_particles() const;

    Scene scene_;
    Log log_;
    mutable Threads threads_;
    std::unique_ptr<Model> model_;  // methods keep a reference to it
    ParticleState state_;
    std::unique_ptr<Method> method_;
    int frame_ = 0;
    Real offset_ = 0;  // time into the current frame [s]
    std::int64_t steps_ = 0;
    Real driving_speed_ = 0;  // see driving_speed() in world.cpp [m/s]
};

}  // namespace pliant
