#include "pliant/base/toml_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/nearest_name.h"

namespace pliant {
namespace {

// The range in words: "above 0 and at most 100".
std::string range_text(const Field& field) {
    const bool from = std::isfinite(field.lowest), to = std::isfinite(field.highest);
    std::string text;
    if (from) text += fmt::format("{} {:g}", field.lowest_is_allowed ? "at least" : "above", field.lowest);
    if (from && to) text += " and ";
    if (to) text += fmt::format("at most {:g}", field.highest);
    return text;
}

std::string with_unit(double value, const Field& field) {
    return field.unit.empty() ? fmt::format("{:g}", value) : fmt::format("{:g} {}", value, field.unit);
}

bool is_infinite(const FieldValue& value) {
    const double* real = std::get_if<double>(&value);
    return real && std::isinf(*real);
}

std::optional<double> read_real(const toml::node& node, const Field& field, bool infinity_allowed,
                                std::string& complaint) {
    const auto value = node.value<double>();
    if (!value || !(node.is_floating_point() || node.is_integer())) {
        complaint = fmt::format("must be a number, but is {}", type_name(node));
        return std::nullopt;
    }
    if (std::isnan(*value) || (std::isinf(*value) && !infinity_allowed)) {
        complaint = fmt::format("must be a finite number, but is {}", *value);
        return std::nullopt;
    }
    if (*value < field.lowest || *value > field.highest || (*value == field.lowest && !field.lowest_is_allowed)) {
        complaint = fmt::format("must be {}, but is {}", range_text(field), with_unit(*value, field));
        return std::nullopt;
    }
    return value;
}

std::optional<FieldValue> read_reals(const toml::node& node, const Field& field, std::string& complaint) {
    const toml::array* array = node.as_array();
    const bool three = field.type == FieldType::vector3;
    if (!array || (three && array->size() != 3)) {
        complaint =
            three ? fmt::format("must be a list of three numbers, as in [0, 1, 0], but {}",
                                array ? fmt::format("has {}", array->size()) : fmt::format("is {}", type_name(node)))
                  : fmt::format("must be a list of numbers, but is {}", type_name(node));
        return std::nullopt;
    }
    std::vector<double> values;
    for (const toml::node& item : *array) {
        const auto value = read_real(item, field, false, complaint);
        if (!value) {
            complaint = fmt::format("item {} {}", values.size() + 1, complaint);
            return std::nullopt;
        }
        values.push_back(*value);
    }
    return values;
}

std::optional<FieldValue> read_texts(const toml::node& node, std::string& complaint) {
    std::vector<std::string> values;
    if (const toml::array* array = node.as_array()) {
        for (const toml::node& item : *array) {
            if (const auto text = item.value<std::string>()) values.push_back(*text);
        }
        if (values.size() == array->size()) return values;
    }
    complaint = "must be a list of texts, as in [\"a\", \"b\"]";
    return std::nullopt;
}

std::optional<FieldValue> read_integer(const toml::node& node, const Field& field, std::string& complaint) {
    const auto value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value) {
        complaint = fmt::format("must be a whole number, but is {}", type_name(node));
        return std::nullopt;
    }
    if (!read_real(node, field, false, complaint)) return std::nullopt;
    return *value;
}

std::optional<FieldValue> read_text(const toml::node& node, const Field& field, std::string& complaint) {
    const auto value = node.value<std::string>();
    if (!value) {
        complaint = fmt::format("must be a text in quotes, but is {}", type_name(node));
        return std::nullopt;
    }
    if (!field.choices.empty() &&
        std::find(field.choices.begin(), field.choices.end(), *value) == field.choices.end()) {
        complaint = fmt::format("there is no '{}'{}", *value, suggestion(*value, field.choices));
        return std::nullopt;
    }
    return *value;
}

}  // namespace

const char* type_name(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table: return "a table";
        case toml::node_type::array: return "a list";
        case toml::node_type::string: return "a text";
        case toml::node_type::integer: return "a whole number";
        case toml::node_type::floating_point: return "a number";
        case toml::node_type::boolean: return "true or false";
        default: return "a date or time";
    }
}

std::optional<FieldValue> read_value(const toml::node& node, const Field& field, const FieldValue& default_value,
                                     std::string& complaint) {
    switch (field.type) {
        case FieldType::real: {
            const auto value = read_real(node, field, is_infinite(default_value), complaint);
            return value ? std::optional<FieldValue>(*value) : std::nullopt;
        }
        case FieldType::integer: return read_integer(node, field, complaint);
        case FieldType::text: return read_text(node, field, complaint);
        case FieldType::vector3:
        case FieldType::real_list: return read_reals(node, field, complaint);
        case FieldType::text_list: return read_texts(node, complaint);
        case FieldType::boolean:
            if (const toml::value<bool>* value = node.as_boolean()) return value->get();
            complaint = fmt::format("must be true or false, but is {}", type_name(node));
            return std::nullopt;
    }
    return std::nullopt;
}

std::string about_unknown_key(const std::string& key, const std::set<std::string>& known) {
    return fmt::format("there is no setting '{}'{}", key, suggestion(key, {known.begin(), known.end()}));
}

}  // namespace pliant
