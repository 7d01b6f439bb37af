#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include "commands.h"
#include "pliant/base/error.h"
#include "pliant/base/nearest_name.h"
#include "pliant/base/timer.h"
#include "pliant/geometry/grid_shape.h"
#include "pliant/geometry/mesh_import.h"
#include "pliant/methods/oriented/rig_builder.h"
#include "pliant/methods/oriented/rig_file.h"
#include "pliant/methods/oriented/thick_surface.h"
#include "pliant/shapes/mesh_shape.h"
#include "pliant/shapes/models/models.h"

namespace pliant::app {
namespace {

struct ModelArguments {
    std::string mesh, output;
    std::size_t particles = 300;
    std::optional<Real> spacing, height, thickness, skin_resolution, join;
    Real aspect = RigSettings().aspect_limit;
    bool force = false;
};

struct Body {
    ShapePtr shape;
    TriangleMesh surface;
};

bool is_built_in(const std::string& name) {
    const auto& models = model_list();
    return std::any_of(models.begin(), models.end(), [&](const ModelInfo& model) { return model.name == name; });
}

// Fine enough for limbs of a fraction of the spacing, which is about that of particles all over the surface.
Real resolution_for(const TriangleMesh& mesh, const ModelArguments& arguments) {
    const Real guess = std::sqrt(mesh.area() / 2 / Real(arguments.particles));
    const Real diagonal = mesh.bounds().diagonal().norm();
    return std::max(rig_resolution(arguments.spacing.value_or(guess)), diagonal / most_rig_voxels_across);
}

Body built_in_body(const ModelArguments& arguments) {
    Placement placement;
    placement.scale = arguments.height.value_or(1);
    const ShapePtr shape = placed(make_model(arguments.mesh), placement);
    const Real diagonal = shape->bounds().diagonal().norm();
    TriangleMesh surface = shape->surface(diagonal / 100);
    return {baked(shape, resolution_for(surface, arguments)), std::move(surface)};
}

TriangleMesh scaled_mesh(const ModelArguments& arguments) {
    TriangleMesh mesh = read_mesh(arguments.mesh);
    const Real tall = mesh.bounds().sizes().y();
    if (!arguments.height) return mesh;
    if (!(tall > 0))
        throw InputError(fmt::format("{}: is flat along y and has no height; leave out --height", arguments.mesh));
    for (Vec3& x : mesh.vertices) x *= *arguments.height / tall;
    return mesh;
}

ShapePtr solid_of(const MeshShape& settings, const ShapeContext& context) {
    try {
        return settings.build(context);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}. If it is a sheet and not a solid, add --thickness", error.what()));
    }
}

// The mesh where it stands, or a sheet of the given thickness around it.
Body body_from_file(const ModelArguments& arguments) {
    TriangleMesh mesh = scaled_mesh(arguments);
    if (arguments.thickness) return {thick_surface(mesh, *arguments.thickness), std::move(mesh)};
    MeshShape settings;
    settings.file = arguments.mesh;
    settings.height = arguments.height;
    settings.centre = false;
    std::vector<std::string> warnings;
    const ShapePtr shape = solid_of(settings, {"", resolution_for(mesh, arguments), &warnings});
    for (const std::string& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
    return {shape, shape->surface(0)};  // a mesh has one resolution: its own
}

Body find_body(const ModelArguments& arguments) {
    if (is_built_in(arguments.mesh)) return built_in_body(arguments);
    if (std::filesystem::exists(arguments.mesh)) return body_from_file(arguments);
    std::vector<std::string> names;
    for (const ModelInfo& model : model_list()) names.push_back(model.name);
    throw InputError(
        fmt::format("{}: is neither a file nor a built-in model{}", arguments.mesh, suggestion(arguments.mesh, names)));
}

std::vector<int> edges_at_particles(const Rig& rig) {
    std::vector<int> count(rig.size(), 0);
    for (const RigEdge& edge : rig.edges) ++count[edge.a], ++count[edge.b];
    return count;
}

void report(const Rig& rig, Real spacing, Real seconds) {
    Real shortest = rig.radii[0].minCoeff(), longest = rig.radii[0].maxCoeff();
    for (const Vec3& radii : rig.radii) {
        shortest = std::min(shortest, radii.minCoeff());
        longest = std::max(longest, radii.maxCoeff());
    }
    const std::vector<int> edges = edges_at_particles(rig);
    const auto [fewest, most] = std::minmax_element(edges.begin(), edges.end());
    const std::size_t pieces = count_pieces(rig);
    fmt::print("  particles  {}, spacing {:.4g} m\n", rig.size(), spacing);
    fmt::print("  edges      {}, {:.2f} a particle, {} to {} at each\n", rig.edges.size(),
               Real(rig.edges.size()) / Real(rig.size()), *fewest, *most);
    fmt::print("  radii      {:.4g} to {:.4g} m\n", shortest, longest);
    fmt::print("  volume     {:.4g} m^3\n", std::accumulate(rig.volume.begin(), rig.volume.end(), Real(0)));
    fmt::print("  skin       {} vertices, {} triangles\n", rig.skin.vertices.size(), rig.skin.triangles.size());
    fmt::print("  pieces     {}{}\n", pieces,
               pieces > 1 ? ", which nothing holds together: add --join, or edges in a .toml" : "");
    fmt::print("  time       {:.2f} s\n", seconds);
}

void require_sensible(const ModelArguments& arguments) {
    require_rig_name(arguments.output);
    if (std::filesystem::exists(arguments.output) && !arguments.force)
        throw InputError(fmt::format("{}: exists already. Add --force to overwrite it", arguments.output));
    if (arguments.particles < 1) throw InputError("--particles: must be at least 1");
    if (!(arguments.aspect >= 1)) throw InputError("--aspect: must be at least 1; 1 makes balls");
    for (const auto& [name, value] :
         {std::pair("--spacing", arguments.spacing), std::pair("--height", arguments.height),
          std::pair("--thickness", arguments.thickness), std::pair("--skin-resolution", arguments.skin_resolution),
          std::pair("--join", arguments.join)}) {
        if (value && !(*value > 0)) throw InputError(fmt::format("{}: must be above 0 m, but is {:g}", name, *value));
    }
}

int model(const ModelArguments& arguments) {
    require_sensible(arguments);
    const Stopwatch watch;
    const Body body = find_body(arguments);
    RigSettings settings;
    settings.aspect_limit = arguments.aspect;
    settings.spacing =
        arguments.spacing ? *arguments.spacing : spacing_for(*body.shape, body.surface, arguments.particles);
    Rig rig = build_rig(*body.shape, body.surface, settings);
    if (arguments.skin_resolution) change_skin(rig, *body.shape, *arguments.skin_resolution, settings.spacing);
    if (arguments.join) join_pieces(rig, *arguments.join);
    write_rig(arguments.output, rig);
    fmt::print("{}\n", arguments.output);
    report(rig, settings.spacing, watch.seconds());
    return 0;
}

}  // namespace

Command add_model(CLI::App& app) {
    auto arguments = std::make_shared<ModelArguments>();
    CLI::App* command = app.add_subcommand("model", "Make a body of oriented particles from a mesh");
    command->add_option("mesh", arguments->mesh, "A mesh file, or a name of: pliant list models")->required();
    command->add_option("-o,--output", arguments->output, "The rig to write: x.toml or x.rig")->required();
    auto* particles = command->add_option("--particles", arguments->particles, "About how many; 300 if left out");
    command->add_option("--spacing", arguments->spacing, "Distance between particles [m], instead")
        ->excludes(particles);
    command->add_option("--aspect", arguments->aspect, "Longest to shortest radius of a particle; 2 if left out");
    command->add_option("--height", arguments->height, "Scale it to this height [m]");
    command->add_option("--thickness", arguments->thickness, "Of a mesh that is a sheet and not a solid [m]");
    command->add_option("--skin-resolution", arguments->skin_resolution,
                        "Length of the skin's edges [m]; left out: as the mesh is, or fine for a built-in model");
    command->add_option("--join", arguments->join,
                        "Link pieces of the mesh that lie apart, where particles are closer than this [m]");
    command->add_flag("--force", arguments->force, "Overwrite the file if there is one");
    return [arguments] { return model(*arguments); };
}

}  // namespace pliant::app
