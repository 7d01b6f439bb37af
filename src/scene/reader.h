// The visitor that fills settings from TOML tables and notes everything that is wrong.
#pragma once

#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pliant/base/nearest_name.h"
#include "pliant/base/toml_values.h"
#include "pliant/scene/describe.h"

namespace pliant {

// What the reader finds out beside the settings: problems, and where each key stands in the file.
struct Reading {
    struct Place {
        std::string source;  // file name, or the --set that the key came from
        int line = 0, column = 0;
    };
    struct Finding {
        Place place;
        std::string message;
    };
    std::map<std::string, Place> places;  // by path, "body.0.material"
    std::vector<Finding> findings;
};

Reading::Place place_of(const toml::source_region& region);

class Reader {
public:
    // `name` is what messages call the table ("body.bear"), `path` how the checks do ("body.0").
    Reader(const toml::table& table, std::string name, std::string path, Reading& reading)
        : table_(table), name_(std::move(name)), path_(std::move(path)), reading_(reading) {}

    template <class Settings>
    void fields(Settings& settings) {
        static const Settings defaults;
        read_fields(Settings::fields(), &settings, &defaults);
    }

    template <class Settings>
    void table(const char* key, Settings& settings, const char*) {
        if (const toml::table* child = take_table(key))
            read_into(*child, joined(name_, key), joined(path_, key), settings);
    }

    template <class Settings>
    void optional_table(const char* key, std::optional<Settings>& settings, const char* help) {
        known_.insert(key);
        if (table_.contains(key)) table(key, settings.emplace(), help);
    }

    template <class Settings>
    void tables(const char* key, std::vector<Settings>& list, const char*) {
        known_.insert(key);
        const toml::node* node = table_.get(key);
        if (!node) return;
        const toml::array* array = node->as_array();
        if (!array) {
            wrong(*node, joined(name_, key), "must be a list of tables, as in [[{}]], but is {}", key,
                  type_name(*node));
            return;
        }
        for (std::size_t i = 0; i < array->size(); ++i) {
            const toml::table* child = (*array)[i].as_table();
            if (!child) {
                wrong((*array)[i], joined(name_, key), "must be a list of tables, but item {} is {}", i + 1,
                      type_name((*array)[i]));
                continue;
            }
            const auto given = (*child)["name"].value<std::string>();
            const std::string label = given && !given->empty() ? *given : std::to_string(i);
            read_into(*child, joined(joined(name_, key), label), joined(joined(path_, key), std::to_string(i)),
                      list.emplace_back());
        }
    }

    template <class Settings>
    void named_tables(const char* key, std::vector<Settings>& list, const char*) {
        const toml::table* group = take_table(key);
        if (!group) return;
        for (const auto& [name, node] : *group) {
            const std::string label(name.str());
            const std::string where = joined(joined(name_, key), label);
            const toml::table* child = node.as_table();
            if (!child) {
                wrong(node, where, "must be a table, as in [{}.{}], but is {}", key, label, type_name(node));
                continue;
            }
            Settings& settings = list.emplace_back();
            settings.name = label;
            read_into(*child, where, joined(joined(path_, key), label), settings);
        }
    }

    template <class... Kinds>
    void shape(const char* key, std::variant<Kinds...>& variant, const char*) {
        const std::vector<std::string> kinds = {Kinds::kind...};
        known_.insert(key);
        if (!table_.contains(key)) {
            complain(name_, table_.source(), fmt::format("has no {}: add {} = {{ {} = ... }}", key, key, kinds[0]));
            return;
        }
        const toml::table* child = take_table(key);
        if (!child) return;
        std::vector<std::string> given;
        for (const auto& [k, node] : *child) {
            if (std::find(kinds.begin(), kinds.end(), k.str()) != kinds.end()) given.emplace_back(k.str());
        }
        if (given.size() != 1) {
            complain_about_kind(*child, joined(name_, key), kinds, given);
            return;
        }
        ((given[0] == Kinds::kind
              ? read_into(*child, joined(name_, key), joined(path_, key), variant.template emplace<Kinds>())
              : void()),
         ...);
    }

    template <class... Kinds>
    void optional_shape(const char* key, std::optional<std::variant<Kinds...>>& choice, const char* help) {
        known_.insert(key);
        if (table_.contains(key)) shape(key, choice.emplace(), help);
    }

    template <class... Kinds>
    void model(const char* key, std::optional<std::variant<Kinds...>>& choice, const char*) {
        const std::vector<std::string> kinds = {Kinds::name...};
        const toml::table* child = take_table(key);
        if (!child) return;
        const auto given = (*child)["model"].value<std::string>();
        if (!given || std::find(kinds.begin(), kinds.end(), *given) == kinds.end()) {
            complain_about_model(*child, joined(name_, key), kinds, given);
            return;
        }
        ((*given == Kinds::name ? read_model<Kinds>(*child, key, choice) : void()), ...);
    }

    void expect(const char* key) { known_.insert(key); }
    void finish();  // complains about keys that nobody asked for

private:
    template <class Settings>
    void read_into(const toml::table& child, const std::string& name, const std::string& path, Settings& settings) {
        Reader reader(child, name, path, reading_);
        const std::size_t before = reading_.findings.size();
        describe(reader, settings);
        reader.finish();
        if constexpr (requires { settings.problems(); }) {
            if (reading_.findings.size() > before) return;
            for (const std::string& problem : settings.problems()) complain(name, child.source(), problem);
        }
    }

    template <class Kind, class Choice>
    void read_model(const toml::table& child, const char* key, Choice& choice) {
        Reader reader(child, joined(name_, key), joined(path_, key), reading_);
        reader.expect("model");
        describe(reader, choice.emplace(Kind()).template emplace<Kind>());
        reader.finish();
    }

    static std::string joined(const std::string& path, const std::string& key) {
        return path.empty() ? key : path + "." + key;
    }
    template <class... Args>
    void wrong(const toml::node& node, const std::string& name, fmt::format_string<Args...> format, Args&&... args) {
        complain(name, node.source(), fmt::format(format, std::forward<Args>(args)...));
    }
    void complain(const std::string& name, const toml::source_region& region, const std::string& message);
    void complain_about_kind(const toml::table& table, const std::string& name, const std::vector<std::string>& kinds,
                             const std::vector<std::string>& given);
    void complain_about_model(const toml::table& table, const std::string& name, const std::vector<std::string>& kinds,
                              const std::optional<std::string>& given);
    const toml::table* take_table(const char* key);
    void read_fields(const FieldTable& table, void* settings, const void* defaults);

    const toml::table& table_;
    std::string name_, path_;
    Reading& reading_;
    std::set<std::string> known_;
};

}  // namespace pliant
