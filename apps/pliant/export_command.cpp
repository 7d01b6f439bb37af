#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "pliant/base/error.h"
#include "pliant/output/particle_format.h"
#include "pliant/output/xdmf.h"
#include "pliant/run/rigid_files.h"
#include "pliant/run/run_folder.h"

namespace pliant::app {
namespace {

struct ExportArguments {
    std::string folder, output, format;
};

int export_frames(const ExportArguments& arguments) {
    const RunFolder folder(arguments.folder);
    const auto frames = folder.frame_files();
    if (frames.empty()) throw InputError(fmt::format("{}: holds no frames to export", arguments.folder));
    const ParticleFormat& format = particle_format(arguments.format);
    const std::filesystem::path output =
        arguments.output.empty() ? folder.path() / ("export-" + format.name) : std::filesystem::path(arguments.output);
    std::vector<XdmfFrame> listed;
    for (const auto& file : frames) {
        const ParticleFrame frame = particle_format_of(file.path).read(file.path);
        const auto target = output / fmt::format("particles_{:05}{}", file.number, format.extension);
        format.write(target, frame);
        if (format.name == "hdf5") listed.push_back(describe_for_xdmf(target.filename(), frame));
    }
    if (std::filesystem::exists(folder.scene())) export_rigid_meshes(folder, output);
    if (!listed.empty()) write_xdmf(output / "particles.xdmf", listed);
    fmt::print("{}\n", output.string());
    return 0;
}

}  // namespace

Command add_export(CLI::App& app) {
    auto arguments = std::make_shared<ExportArguments>();
    CLI::App* command = app.add_subcommand("export", "Write a run's particles in another format");
    command->add_option("folder", arguments->folder, "The folder that run wrote")->required();
    command->add_option("--format", arguments->format, "See: pliant list formats")->required();
    command->add_option("-o,--output", arguments->output,
                        "The folder to write; export-FORMAT in the run's folder if left out");
    return [arguments] { return export_frames(*arguments); };
}

}  // namespace pliant::app
