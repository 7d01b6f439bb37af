#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "pliant/base/error.h"
#include "pliant/run/pictures.h"
#include "pliant/run/run_folder.h"
#include "pliant/scene/scene_file.h"

namespace pliant::app {
namespace {

struct RenderArguments {
    std::string folder;
    std::string output;
    std::optional<int> frame;
    std::vector<std::string> changes;
};

int render(const RenderArguments& arguments) {
    const RunFolder folder(arguments.folder);
    if (!folder.holds_a_run()) {
        throw InputError(fmt::format("{}: holds no run. Name the folder that pliant run wrote", arguments.folder));
    }
    // The scene's [render] table, with changes as "colour_by=stress".
    std::vector<std::string> changes;
    for (const std::string& change : arguments.changes) changes.push_back("render." + change);
    const RenderSettings settings = read_scene(folder.scene(), changes).render;
    const auto usual = folder.path() / (arguments.frame ? "picture.png" : "movie.mp4");
    const auto output = arguments.output.empty() ? usual : std::filesystem::path(arguments.output);
    if (arguments.frame && output.extension() != ".png") {
        throw InputError(fmt::format("{}: --frame draws one picture: let the name end in .png", output.string()));
    }
    const bool is_terminal = isatty(STDERR_FILENO) != 0;
    render_run(folder, output, settings, arguments.frame, [&](int done, int all) {
        if (is_terminal) fmt::print(stderr, "\rframe {}/{}{}", done, all, done == all ? "\n" : "");
    });
    fmt::print("{}\n", output.string());
    return 0;
}

}  // namespace

Command add_render(CLI::App& app) {
    auto arguments = std::make_shared<RenderArguments>();
    CLI::App* command =
        app.add_subcommand("render", "Draw a run: a picture (.png) of one frame or a movie (.mp4) of all");
    command->add_option("folder", arguments->folder, "The folder that run wrote")->required();
    command->add_option("-o,--output", arguments->output,
                        "x.png or x.mp4; movie.mp4 in the folder if left out, or picture.png with --frame");
    command->add_option("--frame", arguments->frame, "The frame to draw as a picture; the last if left out");
    command
        ->add_option("--set", arguments->changes,
                     "Change a setting of [render]: --set colour_by=stress; may be repeated")
        ->take_all()
        ->allow_extra_args(false);
    return [arguments] { return render(*arguments); };
}

}  // namespace pliant::app
