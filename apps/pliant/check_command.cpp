#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "commands.h"
#include "pliant/run/resources.h"
#include "pliant/scene/build.h"
#include "pliant/scene/scene_file.h"
#include "pliant/scene/world.h"

namespace pliant::app {
namespace {

struct CheckArguments {
    std::string scene;
    std::vector<std::string> changes;
    std::string output = "runs";
};

int check(const CheckArguments& arguments) {
    const Scene scene = read_scene(arguments.scene, arguments.changes);
    std::vector<std::string> warnings;
    const SizeEstimate size = estimate_size(scene, warnings);
    require_room(size, arguments.output);
    std::string warned;
    const Log log([&](LogLevel, std::string_view message) { warned += fmt::format("  warning   {}\n", message); });
    World world(scene, {0, log});
    const StepSummary first = world.step();
    fmt::print("{}: good\n", arguments.scene);
    fmt::print("  method    {} ({})\n", scene.simulation.method, scene.simulation.integrator);
    fmt::print("  frames    {} at {:g} a second, {:g} s\n", scene.frame_count(), scene.simulation.fps,
               scene.simulation.duration);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
        fmt::print("  body      {}: about {} particles of {}, spacing {:g} m\n", size.bodies[b].name,
                   size.bodies[b].particles, scene.bodies[b].material, scene.bodies[b].spacing);
    }
    for (std::size_t f = 0; f < scene.fluids.size(); ++f) {
        const BodyEstimate& fluid = size.bodies[scene.bodies.size() + f];
        fmt::print("  fluid     {}: about {} particles, spacing {:g} m\n", fluid.name, fluid.particles,
                   scene.fluids[f].spacing);
    }
    for (std::size_t e = 0; e < scene.emitters.size(); ++e) {
        const EmitterSettings& emitter = scene.emitters[e];
        fmt::print("  emitter   {}: about {} particles of {} at {:.3g} m/s\n", emitter.name, size.poured[e],
                   emitter.pours(), emitter.flow_speed());
    }
    for (const RigidSettings& rigid : scene.rigids) {
        const char* kind = std::visit([](const auto& shape) { return shape.kind; }, rigid.shape);
        fmt::print("  rigid     {}: {} of {:g} kg/m^3\n", rigid.name, kind, rigid.density);
    }
    for (const ColliderSettings& collider : scene.colliders) {
        const char* kind = std::visit([](const auto& shape) { return shape.kind; }, collider.shape);
        fmt::print("  collider  {}: {}{}\n", collider.name, kind, collider.motion ? ", moving" : "");
    }
    fmt::print("  memory    about {}; {} are free\n", byte_text(size.memory), byte_text(available_memory()));
    fmt::print("  disk      about {}; {} are free\n", byte_text(size.disk),
               byte_text(available_disk(arguments.output)));
    fmt::print("{}", warned);
    if (!world.choice().empty()) fmt::print("  chosen    {}\n", world.choice());
    fmt::print("  time step {:.4g} ms{}, about {} steps a frame\n", 1e3 * first.dt,
               scene.simulation.timestep ? "" : " (the method's own choice)",
               std::lround(scene.frame_duration() / first.dt));
    return 0;
}

}  // namespace

Command add_check(CLI::App& app) {
    auto arguments = std::make_shared<CheckArguments>();
    CLI::App* command = app.add_subcommand("check", "Tell everything that is wrong with a scene, or what would run");
    command->add_option("scene", arguments->scene, "The scene file (.toml)")->required();
    command->add_option("--set", arguments->changes, "Change a setting, as for run")
        ->take_all()
        ->allow_extra_args(false);
    return [arguments] { return check(*arguments); };
}

}  // namespace pliant::app
