// The visitor that writes a scene as TOML.
#include <fmt/format.h>

#include <cmath>

#include "pliant/scene/describe.h"
#include "pliant/scene/scene_file.h"

namespace pliant {
namespace {

std::string in_quotes(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (code < 0x20 || code == 0x7F) {
            result += fmt::format("\\u{:04X}", code);
        } else {
            result += c;
        }
    }
    return result + '"';
}

// The shortest text that reads back as the same number, with a point or an exponent so that it stays a real.
std::string number(double value) {
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

template <class List, class Format>
std::string listed(const List& list, Format&& format) {
    std::vector<std::string> items;
    for (const auto& item : list) items.push_back(format(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
}

// Empty for an optional field that is not set.
std::string value_text(const FieldValue& value) {
    struct Visitor {
        std::string operator()(std::monostate) const { return ""; }
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(double v) const { return number(v); }
        std::string operator()(const std::string& v) const { return in_quotes(v); }
        std::string operator()(const std::vector<double>& v) const { return listed(v, number); }
        std::string operator()(const std::vector<std::string>& v) const { return listed(v, in_quotes); }
    };
    return std::visit(Visitor(), value);
}

// Inside a table of its own each setting has a line; inside braces they follow each other.
class Writer {
public:
    std::string text;

    template <class Settings>
    void fields(Settings& settings) {
        for (const Field& field : Settings::fields()) {
            const std::string value = value_text(field.get(&settings));
            if (!value.empty()) entry(field.name, value);
        }
    }
    template <class Settings>
    void table(const char* key, Settings& settings, const char*) {
        item(fmt::format("[{}]", key), settings);
    }
    template <class Settings>
    void optional_table(const char* key, std::optional<Settings>& settings, const char*) {
        if (settings) entry(key, braces(*settings));
    }
    template <class Settings>
    void tables(const char* key, std::vector<Settings>& list, const char*) {
        if (inside_table_ || inside_braces_) {
            if (list.empty()) return;
            entry(key, listed(list, [&](auto& settings) { return braces(const_cast<Settings&>(settings)); }));
            return;
        }
        for (Settings& settings : list) item(fmt::format("[[{}]]", key), settings);
    }
    template <class Settings>
    void named_tables(const char* key, std::vector<Settings>& list, const char*) {
        for (Settings& settings : list) item(fmt::format("[{}.{}]", key, in_quotes(settings.name)), settings);
    }
    template <class... Kinds>
    void shape(const char* key, std::variant<Kinds...>& variant, const char*) {
        entry(key, std::visit([&](auto& kind) { return braces(kind); }, variant));
    }
    template <class... Kinds>
    void optional_shape(const char* key, std::optional<std::variant<Kinds...>>& choice, const char* help) {
        if (choice) shape(key, *choice, help);
    }
    template <class... Kinds>
    void model(const char* key, std::optional<std::variant<Kinds...>>& choice, const char*) {
        if (!choice) return;
        entry(key, std::visit([&](auto& kind) { return braces(kind, fmt::format("model = {}", in_quotes(kind.name))); },
                              *choice));
    }

private:
    template <class Settings>
    void item(const std::string& heading, Settings& settings) {
        text += heading + "\n";
        inside_table_ = true;
        describe(*this, settings);
        inside_table_ = false;
        text += "\n";
    }
    template <class Settings>
    std::string braces(Settings& settings, std::string first = "") {
        Writer inner;
        inner.inside_braces_ = true;
        inner.text = std::move(first);
        describe(inner, settings);
        return "{ " + inner.text + " }";
    }
    void entry(const std::string& key, const std::string& value) {
        if (!inside_braces_) {
            text += fmt::format("{} = {}\n", key, value);
        } else {
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
        }
    }
    bool inside_table_ = false, inside_braces_ = false;
};

}  // namespace

std::string to_toml(const Scene& scene) {
    Scene copy = scene;
    Writer writer;
    describe(writer, copy);
    return writer.text;
}

}  // namespace pliant
