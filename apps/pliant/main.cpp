// The command line: pliant run, check, render, export, model, reproduce, list, schema.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "pliant/base/error.h"
#include "pliant/base/version.h"

namespace {

constexpr int exit_failed = 1, exit_bad_input = 2;

// A word as a shell would need it.
std::string quoted(const std::string& word) {
    const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

std::string command_line(int count, char** words) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? " " : "") + quoted(words[i]);
    return text;
}

int complain(const char* message, int code) {
    std::fprintf(stderr, "%s\n", message);
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace pliant;
    CLI::App program("Deformable solids by particle methods.\nFirst steps: pliant run scenes/gallery/gummy-bear.toml",
                     "pliant");
    program.set_version_flag("--version", version_text());
    program.require_subcommand(1);
    const std::vector<std::pair<std::string, app::Command>> commands = {
        {"run", app::add_run(program, command_line(argc, argv))},
        {"check", app::add_check(program)},
        {"render", app::add_render(program)},
        {"export", app::add_export(program)},
        {"model", app::add_model(program)},
        {"reproduce", app::add_reproduce(program, command_line(argc, argv))},
        {"list", app::add_list(program)},
        {"schema", app::add_schema(program)},
    };
    const std::string first = argc > 1 ? argv[1] : "";
    const auto is_first = [&](const auto& command) { return command.first == first; };
    if (!first.empty() && first.front() != '-' && std::none_of(commands.begin(), commands.end(), is_first)) {
        std::string known;
        for (const auto& [name, command] : commands) known += (known.empty() ? "" : ", ") + name;
        return complain(("there is no command '" + first + "'; there are: " + known).c_str(), exit_bad_input);
    }
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? 0 : exit_bad_input;
    }
    try {
        for (const auto& [name, command] : commands) {
            if (program.got_subcommand(name)) return command();
        }
    } catch (const InputError& error) {
        return complain(error.what(), exit_bad_input);
    } catch (const std::bad_alloc&) {
        return complain("out of memory: use a larger spacing", exit_failed);
    } catch (const std::exception& error) {
        return complain(error.what(), exit_failed);
    }
    return exit_bad_input;
}
