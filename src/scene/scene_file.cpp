#include "pliant/scene/scene_file.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "pliant/scene/reader.h"

namespace pliant {
namespace {

constexpr std::uintmax_t largest_file = 16 << 20;  // bytes; a scene is text written by people

std::string where(const Reading::Place& place) {
    if (place.line == 0) return place.source.empty() ? "" : place.source + ": ";
    if (place.source.starts_with("--set")) return place.source + ": ";
    return fmt::format("{}:{}:{}: ", place.source, place.line, place.column);
}

[[noreturn]] void throw_syntax_error(const toml::parse_error& error, const std::string& source) {
    auto place = place_of(error.source());
    place.source = source;
    throw SceneError({where(place) + std::string(error.description())});
}

toml::table parse(std::string_view text, const std::string& source) {
    try {
        return toml::parse(text, source);
    } catch (const toml::parse_error& error) {
        throw_syntax_error(error, source);
    }
}

std::string read_text(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        throw SceneError({fmt::format("{}: is a folder; name the .toml file in it", path.string())});
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) throw SceneError({fmt::format("{}: cannot be opened; is the name right?", path.string())});
    if (std::filesystem::file_size(path, error) > largest_file && !error) {
        throw SceneError({fmt::format("{}: is larger than 16 MiB and so not a scene", path.string())});
    }
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// The child of a node that a part of a --set key names: a key of a table, an index or a name in a list.
toml::node* child(toml::node& parent, const std::string& part) {
    if (toml::table* table = parent.as_table()) return table->get(part);
    toml::array* array = parent.as_array();
    if (!array) return nullptr;
    for (toml::node& item : *array) {
        const toml::table* table = item.as_table();
        if (table && (*table)["name"].value<std::string>() == part) return &item;
    }
    const bool is_index = !part.empty() && part.size() < 9 && part.find_first_not_of("0123456789") == std::string::npos;
    return is_index ? array->get(std::stoul(part)) : nullptr;
}

// A value as in a scene file; a word that is none counts as a text, so that quotes need not pass through a shell.
toml::table parse_change(const std::string& value, const std::string& source) {
    try {
        return toml::parse("value = " + value, source);
    } catch (const toml::parse_error&) {
        const bool plain = !value.empty() && value.find_first_of("\"'\\\n[]{}=") == std::string::npos;
        if (plain) return toml::parse("value = \"" + value + "\"", source);
        throw SceneError({fmt::format("{}: '{}' is not a value: write it as in a scene file", source, value)});
    }
}

// --set a.b.c=value
struct Change {
    std::string source, key, value;  // the source as messages tell it
    std::vector<std::string> parts;  // of the key

    explicit Change(const std::string& text) : source("--set " + text) {
        const auto equals = text.find('=');
        if (equals == std::string::npos || equals == 0) {
            throw SceneError(
                {fmt::format("{}: write it as key=value, for example --set simulation.duration=1", source)});
        }
        key = text.substr(0, equals);
        value = text.substr(equals + 1);
        std::istringstream words(key);
        for (std::string part; std::getline(words, part, '.');) parts.push_back(part);
        if (parts.empty()) throw SceneError({fmt::format("{}: '{}' is not inside a table", source, key)});
    }

    // From the parts k on, within a node. A star stands for all of a list, or of the tables with names in a table.
    void apply_to(toml::node& node, std::size_t k) const {
        toml::table* table = node.as_table();
        toml::array* list = node.as_array();
        if (k + 1 == parts.size()) {
            set_in(table, list);
        } else if (parts[k] == "*" && list) {
            for (toml::node& item : *list) apply_to(item, k + 1);
        } else if (parts[k] == "*" && table && !table->contains("*")) {
            for (auto&& [name, item] : *table) {
                if (item.is_table()) apply_to(item, k + 1);
            }
        } else {
            toml::node* next = child(node, parts[k]);
            if (!next && table) {
                table->insert(parts[k], toml::table{});
                next = table->get(parts[k]);
            }
            if (!next) {
                throw SceneError({fmt::format(
                    "{}: there is no '{}' in the list; use a name, a number from 0, or * for all", source, parts[k])});
            }
            apply_to(*next, k + 1);
        }
    }

private:
    void set_in(toml::table* table, const toml::array* list) const {
        if (list) {
            throw SceneError({fmt::format("{}: there may be several: say which by name or number, for example {}.0.{}",
                                          source, parts.front(), parts.back())});
        }
        if (!table) throw SceneError({fmt::format("{}: '{}' is not inside a table", source, key)});
        toml::table parsed = parse_change(value, source);
        table->insert_or_assign(parts.back(),
                                std::move(*parsed.get("value")));  // a copy would forget where it came from
    }
};

// A place for a problem that the checks found: of the key itself, or of the nearest table around it.
Reading::Place nearest_place(const Reading& reading, std::string path, const std::string& source) {
    for (;;) {
        if (const auto found = reading.places.find(path); found != reading.places.end()) return found->second;
        const auto dot = path.rfind('.');
        if (dot == std::string::npos) return {source};
        path.resize(dot);
    }
}

}  // namespace

SceneError::SceneError(std::vector<std::string> lines, std::source_location place)
    : InputError(fmt::format("{}", fmt::join(lines, "\n")), place), lines_(std::move(lines)) {}

Scene parse_scene(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                  const std::vector<std::string>& changes) {
    toml::table root = parse(text, name);
    for (const std::string& change : changes) Change(change).apply_to(root, 0);

    Scene scene;
    scene.folder = folder;
    Reading reading;
    Reader reader(root, "", "", reading);
    describe(reader, scene);
    reader.finish();
    fill_in_names(scene);
    if (reading.findings.empty()) {
        for (const Problem& problem : check_scene(scene)) {
            reading.findings.push_back(
                {nearest_place(reading, problem.path, name), fmt::format("{}: {}", problem.path, problem.message)});
        }
    }
    if (!reading.findings.empty()) {
        std::vector<std::string> lines;
        for (auto& finding : reading.findings) {
            if (finding.place.source.empty()) finding.place.source = name;
            lines.push_back(where(finding.place) + finding.message);
        }
        throw SceneError(lines);
    }
    return scene;
}

Scene read_scene(const std::filesystem::path& file, const std::vector<std::string>& changes) {
    return parse_scene(read_text(file), file.string(), file.parent_path(), changes);
}

}  // namespace pliant
