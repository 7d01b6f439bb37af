// The commands of the program. Each adds itself to the command line and returns what runs it.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace pliant::app {

using Command = std::function<int()>;

Command add_run(CLI::App& app, const std::string& command_line);
Command add_check(CLI::App& app);
Command add_render(CLI::App& app);
Command add_export(CLI::App& app);
Command add_model(CLI::App& app);
Command add_reproduce(CLI::App& app, const std::string& command_line);
Command add_list(CLI::App& app);
Command add_schema(CLI::App& app);

}  // namespace pliant::app
