#include "pliant/scene/schema.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pliant/scene/describe.h"

namespace pliant {
namespace {

using nlohmann::ordered_json;

const char* type_text(FieldType type) {
    switch (type) {
        case FieldType::boolean: return "true or false";
        case FieldType::integer: return "whole number";
        case FieldType::real: return "number";
        case FieldType::text: return "text";
        case FieldType::vector3: return "three numbers";
        case FieldType::real_list: return "list of numbers";
        case FieldType::text_list: return "list of texts";
    }
    return "";
}

ordered_json value_json(const FieldValue& value) {
    struct Visitor {
        ordered_json operator()(std::monostate) const { return nullptr; }
        ordered_json operator()(bool v) const { return v; }
        ordered_json operator()(std::int64_t v) const { return v; }
        ordered_json operator()(double v) const {
            return std::isinf(v) ? ordered_json(v > 0 ? "inf" : "-inf") : ordered_json(v);
        }
        ordered_json operator()(const std::string& v) const { return v; }
        ordered_json operator()(const std::vector<double>& v) const { return v; }
        ordered_json operator()(const std::vector<std::string>& v) const { return v; }
    };
    return std::visit(Visitor(), value);
}

ordered_json field_json(const Field& field, const void* defaults) {
    ordered_json f;
    f["name"] = field.name;
    f["type"] = type_text(field.type);
    if (!field.unit.empty()) f["unit"] = field.unit;
    const bool any_integer = field.type == FieldType::integer;
    if (std::isfinite(field.lowest) && !(any_integer && field.lowest < -2e9))
        f[field.lowest_is_allowed ? "at_least" : "above"] = field.lowest;
    if (std::isfinite(field.highest) && !(any_integer && field.highest > 2e9)) f["at_most"] = field.highest;
    if (!field.choices.empty()) f["choices"] = field.choices;
    if (field.is_required) {
        f["required"] = true;
    } else {
        f["default"] = value_json(field.get(defaults));
    }
    f["help"] = field.help;
    return f;
}

// The visitor that turns the grammar into a tree: { kind, help, fields, children }.
class SchemaVisitor {
public:
    ordered_json tree = {{"fields", ordered_json::array()}, {"tables", ordered_json::object()}};

    template <class Settings>
    void fields(Settings& settings) {
        for (const Field& field : Settings::fields()) tree["fields"].push_back(field_json(field, &settings));
    }
    template <class Settings>
    void table(const char* key, Settings&, const char* help) {
        add(key, "table", help, visited<Settings>());
    }
    template <class Settings>
    void optional_table(const char* key, std::optional<Settings>&, const char* help) {
        add(key, "optional table", help, visited<Settings>());
    }
    template <class Settings>
    void tables(const char* key, std::vector<Settings>&, const char* help) {
        add(key, "list of tables", help, visited<Settings>());
    }
    template <class Settings>
    void named_tables(const char* key, std::vector<Settings>&, const char* help) {
        add(key, "tables by name", help, visited<Settings>());
    }
    template <class... Kinds>
    void shape(const char* key, std::variant<Kinds...>&, const char* help) {
        add(key, "one of, told by its first key", help,
            {{"kinds", kinds<Kinds...>({Kinds::kind...}, {Kinds::help...})}});
    }
    template <class... Kinds>
    void optional_shape(const char* key, std::optional<std::variant<Kinds...>>&, const char* help) {
        std::variant<Kinds...> any;
        shape(key, any, help);
    }
    template <class... Kinds>
    void model(const char* key, std::optional<std::variant<Kinds...>>&, const char* help) {
        add(key, "one of, told by model", help, {{"kinds", kinds<Kinds...>({Kinds::name...}, {Kinds::help...})}});
    }

private:
    template <class Settings>
    static ordered_json visited() {
        SchemaVisitor inner;
        Settings settings;
        describe(inner, settings);
        return inner.tree;
    }
    template <class... Kinds>
    static ordered_json kinds(std::vector<std::string> names, std::vector<std::string> helps) {
        ordered_json result = ordered_json::object();
        std::size_t i = 0;
        ((result[names[i]] = visited<Kinds>(), result[names[i]]["help"] = helps[i], ++i), ...);
        return result;
    }
    void add(const char* key, const char* kind, const char* help, ordered_json inner) {
        inner["kind"] = kind;
        inner["help"] = help;
        tree["tables"][key] = std::move(inner);
    }
};

std::string range_cell(const ordered_json& f) {
    if (f.contains("choices")) {
        std::vector<std::string> names;
        for (const auto& name : f["choices"]) names.push_back(fmt::format("`{}`", name.get<std::string>()));
        return fmt::format("{}", fmt::join(names, ", "));
    }
    std::vector<std::string> parts;
    if (f.contains("above")) parts.push_back(fmt::format("> {:g}", f["above"].get<double>()));
    if (f.contains("at_least")) parts.push_back(fmt::format("≥ {:g}", f["at_least"].get<double>()));
    if (f.contains("at_most")) parts.push_back(fmt::format("≤ {:g}", f["at_most"].get<double>()));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string default_cell(const ordered_json& f) {
    if (f.contains("required")) return "**required**";
    return f["default"].is_null() ? "" : "`" + f["default"].dump() + "`";
}

void write_fields(std::string& text, const ordered_json& fields) {
    if (fields.empty()) return;
    text += "| setting | type | unit | range | default | |\n|---|---|---|---|---|---|\n";
    for (const ordered_json& f : fields) {
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", f["name"].get<std::string>(),
                            f["type"].get<std::string>(), f.value("unit", ""), range_cell(f), default_cell(f),
                            f["help"].get<std::string>());
    }
    text += "\n";
}

std::string heading(const std::string& path, const std::string& kind) {
    if (kind == "list of tables" && path.find('.') == std::string::npos) return "[[" + path + "]]";
    if (kind == "tables by name") return "[" + path + ".NAME]";
    if (kind == "table") return "[" + path + "]";
    return path;
}

void write_tables(std::string& text, const ordered_json& tree, const std::string& path, int depth) {
    const auto dotted = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
    for (const auto& [key, table] : tree["tables"].items()) {
        text += fmt::format("{} `{}`\n\n{}.\n\n", std::string(std::size_t(depth), '#'),
                            heading(dotted(key), table["kind"]), table["help"].get<std::string>());
        if (table.contains("kinds")) {
            text += fmt::format("{}:\n\n", table["kind"] == "one of, told by model"
                                               ? "One of these, told by `model = \"...\"`"
                                               : "One of these, told by its first key");
            for (const auto& [name, kind] : table["kinds"].items()) {
                text += fmt::format("**`{}`**: {}\n\n", name, kind["help"].get<std::string>());
                write_fields(text, kind["fields"]);
            }
            continue;
        }
        write_fields(text, table["fields"]);
        write_tables(text, table, dotted(key), depth + 1);
    }
}

ordered_json schema_tree() {
    SchemaVisitor visitor;
    Scene scene;
    describe(visitor, scene);
    return visitor.tree;
}

}  // namespace

std::string schema_json() {
    return schema_tree().dump(2) + "\n";
}

std::string schema_markdown() {
    std::string text =
        "# Scene reference\n\nMade by `pliant schema` from the tables that the reader itself uses. Units are SI. "
        "A setting without a default may be left out; what then happens stands beside it.\n\n";
    write_tables(text, schema_tree(), "", 2);
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

}  // namespace pliant
