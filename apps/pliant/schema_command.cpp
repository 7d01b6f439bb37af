#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands.h"
#include "pliant/scene/schema.h"

namespace pliant::app {

Command add_schema(CLI::App& app) {
    auto format = std::make_shared<std::string>("markdown");
    CLI::App* command =
        app.add_subcommand("schema", "Print every setting of a scene file: name, type, unit, range, default, help");
    command->add_option("--format", *format, "markdown (docs/scene-reference.md) or json")
        ->check(CLI::IsMember({"markdown", "json"}));
    return [format] {
        fmt::print("{}", *format == "json" ? schema_json() : schema_markdown());
        return 0;
    };
}

}  // namespace pliant::app
