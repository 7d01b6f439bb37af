// One table of fields a settings struct: name, unit, range, default, help. The table feeds the scene reader, the
// validation, the schema, and the reference page, so that each setting is described once, beside its owner.
//
//     struct SphereShape {
//         Real radius = 0.1;
//         static const FieldTable& fields();
//     };
//     const FieldTable& SphereShape::fields() {
//         static const FieldTable table = {
//             field("sphere", &SphereShape::radius, "m", "radius").above(0).required(),
//         };
//         return table;
//     }
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pliant {

enum class FieldType { boolean, integer, real, text, vector3, real_list, text_list };

// Unset optional fields are monostate; vector3 is a list of three.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>,
                                std::vector<std::string>>;

struct Field {
    std::string name;
    FieldType type = FieldType::real;
    std::string unit;  // SI, empty for pure numbers
    std::string help;  // one line
    double lowest = -std::numeric_limits<double>::infinity();
    double highest = std::numeric_limits<double>::infinity();
    bool lowest_is_allowed = true;
    bool is_required = false;
    std::vector<std::string> choices;  // the values a text may have; empty: any
    std::function<FieldValue(const void* settings)> get;
    std::function<void(void* settings, const FieldValue& value)> set;  // the value must be of this field's type

    Field at_least(double value) const {
        return changed([&](Field& f) {
            f.lowest = value;
            f.lowest_is_allowed = true;
        });
    }
    Field above(double value) const {
        return changed([&](Field& f) {
            f.lowest = value;
            f.lowest_is_allowed = false;
        });
    }
    Field at_most(double value) const {
        return changed([&](Field& f) { f.highest = value; });
    }
    Field one_of(std::vector<std::string> names) const {
        return changed([&](Field& f) { f.choices = names; });
    }
    Field required() const {
        return changed([](Field& f) { f.is_required = true; });
    }

private:
    template <class Change>
    Field changed(Change&& change) const {
        Field copy = *this;
        change(copy);
        return copy;
    }
};

using FieldTable = std::vector<Field>;

namespace fields_detail {

template <class T>
concept ThreeReals = requires(T v) {
    v.x(), v.y(), v.z();
}
&&sizeof(T) == 3 * sizeof(double);

template <class T>
struct Codec;

template <class T>
struct Plain {
    static FieldValue to_value(const T& v) { return v; }
    static T from_value(const FieldValue& v) { return std::get<T>(v); }
};
template <>
struct Codec<bool> : Plain<bool> {
    static constexpr FieldType type = FieldType::boolean;
};
template <>
struct Codec<double> : Plain<double> {
    static constexpr FieldType type = FieldType::real;
};
template <>
struct Codec<std::string> : Plain<std::string> {
    static constexpr FieldType type = FieldType::text;
};
template <>
struct Codec<std::vector<double>> : Plain<std::vector<double>> {
    static constexpr FieldType type = FieldType::real_list;
};
template <>
struct Codec<std::vector<std::string>> : Plain<std::vector<std::string>> {
    static constexpr FieldType type = FieldType::text_list;
};
template <>
struct Codec<int> {
    static constexpr FieldType type = FieldType::integer;
    static FieldValue to_value(int v) { return std::int64_t(v); }
    static int from_value(const FieldValue& v) { return static_cast<int>(std::get<std::int64_t>(v)); }
};
template <ThreeReals T>
struct Codec<T> {
    static constexpr FieldType type = FieldType::vector3;
    static FieldValue to_value(const T& v) { return std::vector<double>{v.x(), v.y(), v.z()}; }
    static T from_value(const FieldValue& v) {
        const auto& list = std::get<std::vector<double>>(v);
        return T(list.at(0), list.at(1), list.at(2));
    }
};
template <class T>
struct Codec<std::optional<T>> {
    static constexpr FieldType type = Codec<T>::type;
    static FieldValue to_value(const std::optional<T>& v) { return v ? Codec<T>::to_value(*v) : FieldValue(); }
    static std::optional<T> from_value(const FieldValue& v) {
        if (std::holds_alternative<std::monostate>(v)) return std::nullopt;
        return Codec<T>::from_value(v);
    }
};

}  // namespace fields_detail

template <class Settings, class T>
Field field(std::string name, T Settings::*member, std::string unit, std::string help) {
    using Codec = fields_detail::Codec<T>;
    Field result;
    result.name = std::move(name);
    result.type = Codec::type;
    result.unit = std::move(unit);
    result.help = std::move(help);
    if (Codec::type == FieldType::integer) {
        result.lowest = std::numeric_limits<int>::min();
        result.highest = std::numeric_limits<int>::max();
    }
    result.get = [member](const void* s) { return Codec::to_value(static_cast<const Settings*>(s)->*member); };
    result.set = [member](void* s, const FieldValue& v) { static_cast<Settings*>(s)->*member = Codec::from_value(v); };
    return result;
}

}  // namespace pliant
