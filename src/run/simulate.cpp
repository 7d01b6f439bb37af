#include "pliant/run/simulate.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"
#include "pliant/base/processor_stopwatch.h"
#include "pliant/base/timer.h"
#include "pliant/base/version.h"
#include "pliant/output/particle_format.h"
#include "pliant/output/xdmf.h"
#include "pliant/run/resources.h"
#include "pliant/run/rigid_files.h"
#include "pliant/run/run_folder.h"
#include "pliant/run/run_report.h"
#include "pliant/run/statistics.h"
#include "pliant/scene/build.h"
#include "pliant/scene/scene_file.h"

namespace pliant {
namespace fs = std::filesystem;
namespace {

// Mesh paths become absolute, so that the copy in the run folder still finds them.
Scene with_absolute_paths(Scene scene) {
    const auto fix = [&](ShapeSettings& shape) {
        MeshShape* mesh = std::get_if<MeshShape>(&shape);
        if (mesh) mesh->file = fs::absolute(scene.folder / mesh->file).lexically_normal().string();
    };
    for (BodySettings& body : scene.bodies) {
        if (body.shape) fix(*body.shape);
        if (!body.rig.empty()) body.rig = fs::absolute(scene.folder / body.rig).lexically_normal().string();
    }
    for (FluidSettings& fluid : scene.fluids) {
        if (fluid.shape) fix(*fluid.shape);
    }
    for (RigidSettings& rigid : scene.rigids) fix(rigid.shape);
    for (ColliderSettings& collider : scene.colliders) fix(collider.shape);
    for (PinSettings& pin : scene.pins) fix(pin.shape);
    return scene;
}

// What must not change between a run and its resumption. The length and what is written may.
std::string physics_text(Scene scene) {
    scene.simulation.duration = 1;
    scene.output = {};
    scene.render = {};
    return to_toml(scene);
}

class Run {
public:
    Run(const Scene& scene, const RunOptions& options)
        : scene_(with_absolute_paths(scene)), options_(options), folder_(options.folder) {
        open_folder();
    }

    RunResult go() {
        World world(scene_, {options_.threads, options_.log});
        const bool resumed = options_.resume && fs::exists(folder_.checkpoint());
        if (!options_.resume) folder_.clear();  // not before all is known to be good: what it held would be lost
        if (resumed) restore(world);
        write_text_atomically(folder_.scene(), to_toml(scene_));
        write_information("running", world);
        StatisticsWriter statistics(folder_.statistics(), world.steps());
        statistics_ = &statistics;
        if (!resumed) {
            write_frame(world);
            checkpoint(world);
        }
        const int frames = std::min(scene_.frame_count(), options_.frames.value_or(scene_.frame_count()));
        if (options_.on_start) options_.on_start(world);
        try {
            const RunResult result = advance(world, frames);
            finish(world, result == RunResult::finished ? "finished" : "interrupted");
            return result;
        } catch (...) {
            try {
                finish(world, "failed");
            } catch (const std::exception& problem) {
                options_.log.warning("the report could not be written: {}", problem.what());
            }
            throw;
        }
    }

private:
    void open_folder() {
        if (options_.resume && !folder_.holds_a_run()) {
            throw InputError(
                fmt::format("{}: holds no run to resume. Leave --resume out to start one", folder_.path().string()));
        }
        std::error_code error;
        fs::create_directories(folder_.frames(), error);
        if (error)
            throw InputError(fmt::format("{}: cannot be made ({}). Choose another folder with -o",
                                         folder_.path().string(), error.message()));
        lock_.emplace(folder_);
        folder_.remove_leftovers();
        const auto frames = folder_.frame_files();
        if (options_.resume && !fs::exists(folder_.checkpoint()) && !frames.empty() && frames.back().number > 0) {
            throw InputError(fmt::format(
                "{}: its checkpoint is gone, and without it the run cannot go on. Put a copy back, or start "
                "anew with --force",
                folder_.path().string()));
        }
        if (!options_.resume && folder_.holds_a_run()) {
            if (!options_.force) {
                throw InputError(fmt::format(
                    "{}: holds a run already. Go on with it by --resume, overwrite it by --force, or choose "
                    "another folder with -o",
                    folder_.path().string()));
            }
        }
        std::vector<std::string> ignored;
        require_room(estimate_size(scene_, ignored), folder_.path());
    }

    void restore(World& world) {
        const Snapshot snapshot = read_snapshot(folder_.checkpoint());
        const Scene before = parse_scene(snapshot.get_text("scene"), "checkpoint", folder_.path());
        if (physics_text(before) != physics_text(scene_)) {
            throw InputError(
                fmt::format("{}: was made by another scene than this one. Resume with the scene and --set as before "
                            "(they stand in {}), or start anew with --force",
                            folder_.checkpoint().string(), folder_.scene().string()));
        }
        world.restore(snapshot);
        for (const auto& file : folder_.frame_files()) {  // of the steps that will be taken again
            if (file.number > world.frame()) fs::remove(file.path);
        }
        for (const auto& file : folder_.rigid_frame_files()) {
            if (file.number > world.frame()) fs::remove(file.path);
        }
        options_.log.info("resuming at frame {}, step {}", world.frame(), world.steps());
    }

    RunResult advance(World& world, int frames) {
        const Stopwatch watch;
        const Real start = world.time(), end = frames * scene_.frame_duration();
        while (world.frame() < frames) {
            if (options_.stop && *options_.stop) {
                checkpoint(world);
                return RunResult::interrupted;
            }
            const auto before = world.timers().seconds();
            const Stopwatch clock;
            const ProcessorStopwatch processor;
            const StepSummary summary = world.step();
            const StepTime time = {clock.seconds(), processor.seconds()};
            if (options_.on_step) options_.on_step(world, summary, time);
            record(world, summary, before);
            if (summary.frame_done) end_frame(world, world.frame() == frames);
            report_progress(world, summary, frames, watch.seconds(), start, end);
        }
        return RunResult::finished;
    }

    void record(const World& world, const StepSummary& summary,
                const std::vector<std::pair<std::string, double>>& before) {
        StepRecord r;
        r.step = summary.step;
        r.frame = world.frame();
        r.time = summary.time;
        r.dt = summary.dt;
        r.particles = world.state().size();
        r.report = summary.report;
        r.diagnostics = world.diagnostics();
        r.seconds = world.timers().seconds();
        for (std::size_t i = 0; i < before.size(); ++i) r.seconds[i].second -= before[i].second;
        if (summary.frame_done) r.hash = world.hash();
        statistics_->add(r);
    }

    void end_frame(const World& world, bool last) {
        write_frame(world);
        statistics_->flush();
        const int every = scene_.output.checkpoint_every;
        if (last || (every > 0 && world.frame() % every == 0)) checkpoint(world);
    }

    void write_frame(const World& world) {
        if (!scene_.output.particles) return;
        if (!world.model().rigids.empty()) {
            write_rigid_poses(folder_.rigid_frame(world.frame()), world.model(), world.rigid_poses());
        }
        const ParticleFrame frame = world.particle_frame();
        const ParticleFormat& format = particle_format(scene_.output.format);
        const fs::path file = folder_.frame(world.frame(), format.extension);
        format.write(file, frame);
        if (format.name == "hdf5") list_frame(file, frame);
    }

    // ParaView's list of the frames; after a resumption the frames that are there come first.
    void list_frame(const fs::path& file, const ParticleFrame& frame) {
        if (listed_.empty()) {
            for (const auto& old : folder_.frame_files()) {
                if (old.number >= frame.frame || old.path.extension() != file.extension()) continue;
                listed_.push_back(describe_for_xdmf(fs::path("frames") / old.path.filename(),
                                                    particle_format("hdf5").read(old.path)));
            }
        }
        listed_.push_back(describe_for_xdmf(fs::path("frames") / file.filename(), frame));
        write_xdmf(folder_.frame_list(), listed_);
    }

    void checkpoint(const World& world) {
        statistics_->flush();
        write_snapshot(folder_.checkpoint(), world.save());
    }

    void report_progress(const World& world, const StepSummary& summary, int frames, double elapsed, Real start,
                         Real end) const {
        if (!options_.on_progress) return;
        Progress p;
        p.frame = world.frame();
        p.frames = frames;
        p.step = world.steps();
        p.particles = world.state().size();
        p.time = world.time();
        p.dt = summary.dt;
        for (const SolverReport& solver : summary.report.solvers) p.iterations += solver.iterations;
        p.elapsed = elapsed;
        p.left = world.time() > start ? elapsed * (end - world.time()) / (world.time() - start) : 0;
        p.frame_done = summary.frame_done;
        options_.on_progress(p);
    }

    void finish(const World& world, const char* status) {
        statistics_->flush();
        write_information(status, world);
        if (scene_.output.report) write_run_report(folder_);
    }

    void write_information(const char* status, const World& world) const {
        nlohmann::ordered_json information;
        information["pliant"] = version_text();
        information["status"] = status;
        information["command"] = options_.command;
        information["method"] = scene_.simulation.method;
        information["integrator"] = scene_.simulation.integrator;
        if (!world.choice().empty()) information["chosen"] = world.choice();
        information["particles"] = world.state().size();
        information["threads"] = world.threads();
        information["machine"] = machine_text();
        information["memory"] = world.bytes();
        information["written"] = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr)));
        write_text_atomically(folder_.information(), information.dump(2) + "\n");
    }

    Scene scene_;
    RunOptions options_;
    RunFolder folder_;
    std::optional<FolderLock> lock_;
    StatisticsWriter* statistics_ = nullptr;
    std::vector<XdmfFrame> listed_;
};

}  // namespace

RunResult run_scene(const Scene& scene, const RunOptions& options) {
    return Run(scene, options).go();
}

}  // namespace pliant
