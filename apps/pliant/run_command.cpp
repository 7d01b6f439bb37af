#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <memory>

#include "commands.h"
#include "pliant/base/error.h"
#include "pliant/run/run_folder.h"
#include "pliant/run/simulate.h"
#include "pliant/scene/scene_file.h"
#include "progress.h"

namespace pliant::app {
namespace {

constexpr int exit_interrupted = 130;

std::atomic<bool> stop_asked = false;  // a signal handler can reach nothing else

void ask_to_stop(int) {
    if (stop_asked.exchange(true)) _exit(exit_interrupted);  // asked twice: at once
}

// The command that goes on with an interrupted run.
std::string resuming(std::string command) {
    for (const std::string word : {" --force", " --resume"}) {
        for (std::size_t at; (at = command.find(word + ' ')) != std::string::npos;) command.erase(at, word.size());
        if (command.ends_with(word)) command.erase(command.size() - word.size());
    }
    return command + " --resume";
}

struct RunArguments {
    std::string scene;
    std::string output;
    std::vector<std::string> changes;
    std::optional<int> frames;
    int threads = 0;
    bool resume = false, force = false, quiet = false;
};

int run(const RunArguments& arguments, const std::string& command_line) {
    const Scene scene = read_scene(arguments.scene, arguments.changes);
    RunOptions options;
    options.folder = !arguments.output.empty()
                         ? std::filesystem::path(arguments.output)
                         : std::filesystem::path("runs") / std::filesystem::path(arguments.scene).stem();
    options.threads = arguments.threads;
    options.frames = arguments.frames;
    options.resume = arguments.resume;
    options.force = arguments.force;
    options.command = command_line;
    options.stop = &stop_asked;
    options.log = Log::to_terminal();
    ProgressBar bar;
    if (!arguments.quiet) options.on_progress = [&](const Progress& progress) { bar.show(progress); };

    std::signal(SIGINT, ask_to_stop);
    std::signal(SIGTERM, ask_to_stop);
    std::signal(SIGPIPE, SIG_IGN);
    try {
        const RunResult result = run_scene(scene, options);
        bar.clear();
        if (result == RunResult::interrupted) {
            fmt::print(stderr, "interrupted; a checkpoint is written. Go on with: {}\n", resuming(command_line));
            return exit_interrupted;
        }
    } catch (const SimulationError& error) {
        bar.clear();
        throw SimulationError(
            fmt::format("{}\nAll frames so far are kept in {}", error.what(), options.folder.string()));
    } catch (...) {
        bar.clear();
        throw;
    }
    fmt::print("{}\n", options.folder.string());
    return 0;
}

}  // namespace

Command add_run(CLI::App& app, const std::string& command_line) {
    auto arguments = std::make_shared<RunArguments>();
    CLI::App* command =
        app.add_subcommand("run", "Run a scene; writes a folder of frames, statistics, checkpoints and a report");
    command->add_option("scene", arguments->scene, "The scene file (.toml)")->required();
    command->add_option("-o,--output", arguments->output, "The folder to write; runs/NAME of the scene if left out");
    command->add_option("--frames", arguments->frames, "Stop after this many frames")->check(CLI::Range(0, 1'000'000));
    command
        ->add_option("--threads", arguments->threads, "Threads to use; all cores if left out. The result is the same")
        ->check(CLI::Range(1, 1024));
    command
        ->add_option("--set", arguments->changes,
                     "Change a setting: --set body.bear.spacing=0.01, * for all bodies; may be repeated")
        ->take_all()
        ->allow_extra_args(false);
    command->add_flag("--resume", arguments->resume, "Go on from the folder's checkpoint");
    command->add_flag("--force", arguments->force, "Overwrite a run that the folder holds");
    command->add_flag("-q,--quiet", arguments->quiet, "No progress");
    return [arguments, command_line] { return run(*arguments, command_line); };
}

}  // namespace pliant::app
