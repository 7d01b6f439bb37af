#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "pliant/run/reproduce.h"

namespace pliant::app {
namespace {

struct ReproduceArguments {
    std::string what, output, scenes = "scenes";
    std::optional<int> frames;
    int threads = 0;
    bool is_quick = false, resume = false;
};

int reproduce_paper(const ReproduceArguments& arguments, const std::string& command_line) {
    if (arguments.what.empty()) {
        fmt::print("{}", reproduce_list());
        return 0;
    }
    ReproduceOptions options;
    options.folder = arguments.output;
    options.scenes = arguments.scenes;
    options.frames = arguments.frames;
    options.threads = arguments.threads;
    options.is_quick = arguments.is_quick;
    options.resume = arguments.resume;
    options.command = command_line;
    options.log = Log::to_terminal();
    const auto folder = reproduce(arguments.what, options);
    fmt::print("{}\n", (folder / "index.html").string());
    return 0;
}

}  // namespace

Command add_reproduce(CLI::App& app, const std::string& command_line) {
    auto arguments = std::make_shared<ReproduceArguments>();
    CLI::App* command = app.add_subcommand("reproduce", "Run what a paper shows, and write our results beside its own");
    command->add_option("what", arguments->what, "A paper, or PAPER/ITEM; tells what there is if left out");
    command->add_option("-o,--output", arguments->output, "The folder to write; reproduce/PAPER if left out");
    command->add_option("--scenes", arguments->scenes, "The folder that holds a folder of scenes a paper");
    command->add_option("--frames", arguments->frames, "Stop every run after this many frames")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--threads", arguments->threads, "Threads to use; all cores if left out")
        ->check(CLI::Range(1, 1024));
    command->add_flag("--quick", arguments->is_quick,
                      "Three frames a run and no search for steps: to see that it works");
    command->add_flag("--resume", arguments->resume,
                      "Go on after an interruption: items that are done stay as they are");
    return [arguments, command_line] { return reproduce_paper(*arguments, command_line); };
}

}  // namespace pliant::app
