// A run from start, or from its checkpoint, to its end: frames, statistics, checkpoints, report.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "pliant/base/log.h"
#include "pliant/scene/world.h"

namespace pliant {

struct Progress {
    int frame = 0, frames = 0;
    std::int64_t step = 0;
    std::size_t particles = 0;
    Real time = 0, dt = 0;  // s, simulated
    int iterations = 0;     // of all solvers in the last step
    double elapsed = 0;     // s, since this run began
    double left = 0;        // s, estimated; 0 while unknown
    bool frame_done = false;
};

// Of one step alone: what is recorded and written between steps is not in it.
struct StepTime {
    double seconds = 0;            // by the clock on the wall
    double processor_seconds = 0;  // of all threads together
};

struct RunOptions {
    std::filesystem::path folder;
    int threads = 0;
    std::optional<int> frames;  // fewer than the scene says
    bool resume = false;
    bool force = false;                       // overwrite another run
    std::string command;                      // as typed, for run.json
    const std::atomic<bool>* stop = nullptr;  // set: end the step, write a checkpoint, come back
    std::function<void(const Progress&)> on_progress;
    std::function<void(const World&)> on_start;  // before the first step
    std::function<void(const World&, const StepSummary&, const StepTime&)> on_step;
    Log log;
};

enum class RunResult { finished, interrupted };

// Throws InputError, FileError or SimulationError; frames and the last checkpoint stay in every case.
RunResult run_scene(const Scene& scene, const RunOptions& options);

}  // namespace pliant
