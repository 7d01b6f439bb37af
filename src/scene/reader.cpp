#include "pliant/scene/reader.h"

#include <fmt/format.h>

namespace pliant {

Reading::Place place_of(const toml::source_region& region) {
    return {region.path ? *region.path : std::string(), static_cast<int>(region.begin.line),
            static_cast<int>(region.begin.column)};
}

void Reader::complain(const std::string& name, const toml::source_region& region, const std::string& message) {
    reading_.findings.push_back({place_of(region), name.empty() ? message : fmt::format("{}: {}", name, message)});
}

void Reader::complain_about_kind(const toml::table& table, const std::string& name,
                                 const std::vector<std::string>& kinds, const std::vector<std::string>& given) {
    if (given.size() > 1) {
        return complain(name, table.source(), fmt::format("is both {} and {}: keep one", given[0], given[1]));
    }
    if (table.empty())
        return complain(name, table.source(), fmt::format("is empty; valid are: {}", fmt::join(kinds, ", ")));
    const std::string first(table.begin()->first.str());
    complain(name, table.source(), fmt::format("names no kind of shape, only '{}'{}", first, suggestion(first, kinds)));
}

void Reader::complain_about_model(const toml::table& table, const std::string& name,
                                  const std::vector<std::string>& kinds, const std::optional<std::string>& given) {
    if (given)
        return complain(name, table.source(),
                        fmt::format("there is no model '{}'{}", *given, suggestion(*given, kinds)));
    complain(name, table.source(), fmt::format("has no model: add model = \"{}\"", fmt::join(kinds, "\" or \"")));
}

const toml::table* Reader::take_table(const char* key) {
    known_.insert(key);
    const toml::node* node = table_.get(key);
    if (!node) return nullptr;
    reading_.places[joined(path_, key)] = place_of(node->source());
    if (!node->as_table()) wrong(*node, joined(name_, key), "must be a table, but is {}", type_name(*node));
    return node->as_table();
}

void Reader::read_fields(const FieldTable& table, void* settings, const void* defaults) {
    for (const Field& field : table) {
        known_.insert(field.name);
        const toml::node* node = table_.get(field.name);
        if (!node) {
            if (field.is_required) {
                complain(name_, table_.source(),
                         fmt::format("has no {}: add {} = ... ({}{}{})", field.name, field.name, field.help,
                                     field.unit.empty() ? "" : ", in ", field.unit));
            }
            continue;
        }
        reading_.places[joined(path_, field.name)] = place_of(node->source());
        std::string complaint;
        if (const auto value = read_value(*node, field, field.get(defaults), complaint)) {
            field.set(settings, *value);
        } else {
            wrong(*node, joined(name_, field.name), "{}", complaint);
        }
    }
}

void Reader::finish() {
    for (const auto& [key, node] : table_) {
        const std::string name(key.str());
        if (known_.contains(name)) continue;
        complain(name_, key.source(), about_unknown_key(name, known_));
    }
}

}  // namespace pliant
