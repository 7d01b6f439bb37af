#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "commands.h"
#include "pliant/base/error.h"
#include "pliant/geometry/mesh_import.h"
#include "pliant/materials/elasticity.h"
#include "pliant/output/particle_format.h"
#include "pliant/scene/method_list.h"
#include "pliant/scene/scene.h"
#include "pliant/shapes/models/models.h"

namespace pliant::app {
namespace {

void line(const std::string& name, const std::string& help) {
    fmt::print("{:<16} {}\n", name, help);
}

void list_methods() {
    for (const MethodKind& kind : method_list())
        line(kind.name, fmt::format("{}; integrators: {}", kind.help, fmt::join(kind.integrators, ", ")));
}

template <class... Laws>
void list_laws(const char* kind, std::variant<Laws...>*) {
    (line(Laws::name, fmt::format("{}: {}", kind, Laws::help)), ...);
}

template <class... Shapes>
void list_shapes(std::variant<Shapes...>*) {
    (line(Shapes::kind, Shapes::help), ...);
}

void list_formats() {
    for (const ParticleFormat& format : particle_formats())
        line(format.name, fmt::format("particles: {}", format.help));
    line("png, mp4", "pictures and movies, by pliant render");
    line("meshes", fmt::format("read as bodies and colliders: {}", fmt::join(mesh_extensions(), " ")));
}

// The scenes below scenes/ here, with the first line of each, which is a comment.
void list_scenes() {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator("scenes", error)) {
        if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    if (files.empty()) throw InputError("there is no folder scenes/ here: go to the project's folder");
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        std::ifstream stream(file);
        std::string first;
        std::getline(stream, first);
        fmt::print("{:<40} {}\n", file.string(), first.starts_with("# ") ? first.substr(2) : "");
    }
}

int list(const std::string& what) {
    if (what == "methods") list_methods();
    if (what == "materials") {
        list_laws("elastic", static_cast<Elasticity*>(nullptr));
        list_laws("plastic", static_cast<Plasticity*>(nullptr));
    }
    if (what == "shapes") list_shapes(static_cast<ShapeSettings*>(nullptr));
    if (what == "models") {
        for (const ModelInfo& model : model_list()) line(model.name, model.help);
    }
    if (what == "formats") list_formats();
    if (what == "scenes") list_scenes();
    return 0;
}

}  // namespace

Command add_list(CLI::App& app) {
    auto what = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("list", "Tell what there is");
    command->add_option("what", *what, "methods, materials, shapes, models, formats or scenes")
        ->required()
        ->check(CLI::IsMember({"methods", "materials", "shapes", "models", "formats", "scenes"}));
    return [what] { return list(*what); };
}

}  // namespace pliant::app
