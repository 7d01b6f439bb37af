#include "pliant/materials/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pliant/base/nearest_name.h"

namespace pliant {
namespace {

using Pair = std::array<const char*, 2>;
constexpr std::array<Pair, 3> pairs = {Pair{"young", "poisson"}, Pair{"shear", "bulk"}, Pair{"mu", "lambda"}};

std::vector<std::string> modulus_names() {
    std::vector<std::string> names;
    for (const Pair& pair : pairs) names.insert(names.end(), pair.begin(), pair.end());
    return names;
}

// The number of the pair that a modulus belongs to; one past the last for what is none.
std::size_t pair_of(const std::string& modulus) {
    const auto has = [&](const Pair& pair) { return modulus == pair[0] || modulus == pair[1]; };
    return static_cast<std::size_t>(std::find_if(pairs.begin(), pairs.end(), has) - pairs.begin());
}

// The end of a parameter that names a setting of a part, behind "plastic." or "viscous.".
std::string part_of(const std::string& name) {
    return name.substr(0, name.find('.'));
}
std::string setting_of(const std::string& name) {
    return name.substr(name.find('.') + 1);
}

// body(fields, settings) of a part that the material has.
template <class Body>
void with_part(Material& material, const std::string& part, Body&& body) {
    if (part == "viscous" && material.viscous) body(Viscous::fields(), &*material.viscous);
    if (part == "plastic" && material.plasticity) {
        std::visit([&](auto& law) { body(law.fields(), &law); }, *material.plasticity);
    }
}

const Field* number_in(const FieldTable& fields, const std::string& name) {
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == name; });
    return found != fields.end() && found->type == FieldType::real ? &*found : nullptr;
}

}  // namespace

const FieldTable& ScheduleKey::fields() {
    static const FieldTable table = {
        field("time", &ScheduleKey::time, "s", "when").at_least(0).required(),
        field("value", &ScheduleKey::value, "", "of the parameter, in its own unit").at_most(1e13).required(),
    };
    return table;
}

const FieldTable& ScheduleSettings::fields() {
    using S = ScheduleSettings;
    static const FieldTable table = {
        field("parameter", &S::parameter, "",
              "what changes: material.NAME.young, or poisson, shear, bulk, mu, lambda of a material; in the method mpm "
              "also numbers of its plastic and viscous parts, as material.NAME.plastic.yield_stress")
            .required(),
        field("interpolation", &S::interpolation, "",
              "between keys: linear changes at an even rate, smooth starts and ends gently at each key")
            .one_of({"linear", "smooth"}),
    };
    return table;
}

std::vector<std::string> ScheduleSettings::problems() const {
    const auto aim = target();
    if (!aim) {
        return {fmt::format("'{}' names no parameter of a material: write it like material.toffee.young", parameter)};
    }
    if (aim->name == "density") return {"a density cannot change over time, for mass stays what it is"};
    if (!aim->is_flow() && pair_of(aim->name) == pairs.size()) {
        return {fmt::format("a material has no '{}' that could change over time{}", aim->name,
                            suggestion(aim->name, modulus_names()))};
    }
    if (keys.empty()) return {"has no keys: add keys = [ { time = 0, value = 1e5 }, ... ]"};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i > 0 && !(keys[i].time > keys[i - 1].time)) {
            return {fmt::format("key {} is at {:g} s, which is not after key {} at {:g} s: sort the keys by time",
                                i + 1, keys[i].time, i, keys[i - 1].time)};
        }
        if (aim->is_flow()) continue;
        const bool is_ratio = aim->name == "poisson";
        if (is_ratio && !(keys[i].value > -1 && keys[i].value <= 0.4999)) {
            return {fmt::format("key {} has the value {:g}; Poisson's ratio must be above -1 and at most 0.4999", i + 1,
                                keys[i].value)};
        }
        if (!is_ratio && aim->name != "lambda" && !(keys[i].value >= 0)) {
            return {fmt::format("key {} has the value {:g}; it must be at least 0", i + 1, keys[i].value)};
        }
    }
    return {};
}

std::optional<ScheduleSettings::Target> ScheduleSettings::target() const {
    const std::string table = "material.";
    auto last = parameter.rfind('.');
    if (!parameter.starts_with(table) || last <= table.size() || last + 1 == parameter.size()) return std::nullopt;
    for (const char* part : {".plastic", ".viscous"}) {  // names of materials may have dots, too
        const auto begin = parameter.rfind('.', last - 1);
        if (begin > table.size() && parameter.substr(begin, last - begin) == part) last = begin;
    }
    return Target{parameter.substr(table.size(), last - table.size()), parameter.substr(last + 1)};
}

Real ScheduleSettings::value(Real time) const {
    const auto next =
        std::upper_bound(keys.begin(), keys.end(), time, [](Real t, const ScheduleKey& key) { return t < key.time; });
    if (next == keys.begin()) return keys.front().value;
    if (next == keys.end()) return keys.back().value;
    const ScheduleKey &a = *(next - 1), &b = *next;
    const Real u = (time - a.time) / (b.time - a.time);
    const Real s = interpolation == "smooth" ? u * u * (3 - 2 * u) : u;
    return a.value + s * (b.value - a.value);
}

std::optional<std::string> MaterialSchedule::add(const ScheduleSettings& schedule) {
    const std::string name = schedule.target()->name;
    for (const ScheduleSettings& other : schedules_) {
        if (other.target()->name == name)
            return fmt::format("{} is driven twice: keep one schedule", schedule.parameter);
    }
    if (schedule.target()->is_flow()) {
        auto problem = problem_with_flow(schedule);
        if (!problem) schedules_.push_back(schedule);
        return problem;
    }
    return problem_with_modulus(schedule);
}

std::optional<std::string> MaterialSchedule::problem_with_modulus(const ScheduleSettings& schedule) {
    const std::string modulus = schedule.target()->name;
    for (const ScheduleSettings& other : schedules_) {
        const auto before = *other.target();
        if (!before.is_flow() && pair_of(before.name) != pair_of(modulus)) {
            return fmt::format(
                "{} and {} do not go together: drive one pair of young and poisson, shear and bulk, or "
                "mu and lambda",
                other.parameter, schedule.parameter);
        }
    }
    schedules_.push_back(schedule);
    for (const Real time : times()) {
        const Real bulk = moduli(time).bulk(), rounding = 1e-9 * (std::abs(moduli(time).lambda) + moduli(time).mu);
        if (bulk >= -rounding) continue;
        schedules_.pop_back();
        return fmt::format(
            "the material would swell under pressure at {:g} s, with a bulk modulus of {:g} Pa: raise "
            "lambda above -2/3 mu",
            time, bulk);
    }
    return std::nullopt;
}

std::optional<std::string> MaterialSchedule::problem_with_flow(const ScheduleSettings& schedule) const {
    const std::string name = schedule.target()->name, part = part_of(name), setting = setting_of(name);
    std::optional<std::string> problem = fmt::format(
        "the material '{}' has no {} part that could change: add {} = {{ ... }} to it", own_.name, part, part);
    Material copy = own_;
    with_part(copy, part, [&](const FieldTable& fields, const void*) {
        problem.reset();
        const Field* field = number_in(fields, setting);
        if (field == nullptr) {
            std::vector<std::string> names;
            for (const Field& other : fields) {
                if (other.type == FieldType::real) names.push_back(other.name);
            }
            problem = fmt::format("its {} part has no number '{}'{}", part, setting, suggestion(setting, names));
            return;
        }
        for (const ScheduleKey& key : schedule.keys) {
            const bool is_low = field->lowest_is_allowed ? key.value < field->lowest : key.value <= field->lowest;
            if (!is_low && key.value <= field->highest) continue;
            problem = is_low ? fmt::format("the key at {:g} s has the value {:g}; it must be {} {:g}", key.time,
                                           key.value, field->lowest_is_allowed ? "at least" : "above", field->lowest)
                             : fmt::format("the key at {:g} s has the value {:g}; it must be at most {:g}", key.time,
                                           key.value, field->highest);
            return;
        }
    });
    return problem;
}

Moduli MaterialSchedule::moduli(Real time) const {
    std::optional<std::size_t> pair;
    for (const ScheduleSettings& schedule : schedules_) {
        if (const auto target = schedule.target(); !target->is_flow()) pair = pair_of(target->name);
    }
    const Moduli& own = own_.moduli;
    if (!pair) return own;
    const auto value = [&](const char* name, Real otherwise) {
        for (const ScheduleSettings& schedule : schedules_) {
            if (schedule.target()->name == name) return schedule.value(time);
        }
        return otherwise;
    };
    switch (*pair) {
        case 0: return Moduli::from_young_poisson(value("young", own.young()), value("poisson", own.poisson()));
        case 1: return Moduli::from_shear_bulk(value("shear", own.shear()), value("bulk", own.bulk()));
        default: return {value("mu", own.mu), value("lambda", own.lambda)};
    }
}

Material MaterialSchedule::at(Real time) const {
    Material now = own_;
    now.moduli = moduli(time);
    std::visit([&](auto& law) { law.moduli = now.moduli; }, now.elasticity);
    for (const ScheduleSettings& schedule : schedules_) {
        const auto target = *schedule.target();
        if (!target.is_flow()) continue;
        with_part(now, part_of(target.name), [&](const FieldTable& fields, void* settings) {
            number_in(fields, setting_of(target.name))->set(settings, schedule.value(time));
        });
    }
    return now;
}

Real MaterialSchedule::largest_p_wave() const {
    Real largest = own_.moduli.p_wave();
    for (const Real time : times()) largest = std::max(largest, moduli(time).p_wave());
    return largest;
}

bool MaterialSchedule::changes_flow() const {
    return std::any_of(schedules_.begin(), schedules_.end(),
                       [](const ScheduleSettings& schedule) { return schedule.target()->is_flow(); });
}

bool MaterialSchedule::melts() const {
    const auto looked_at = times();
    return std::any_of(looked_at.begin(), looked_at.end(), [&](Real time) { return moduli(time).shear() <= 0; });
}

bool MaterialSchedule::loses_volume() const {
    const auto looked_at = times();
    return melts() &&
           std::any_of(looked_at.begin(), looked_at.end(), [&](Real time) { return moduli(time).bulk() <= 0; });
}

std::vector<Real> MaterialSchedule::times() const {
    std::vector<Real> times;
    for (const ScheduleSettings& schedule : schedules_) {
        for (const ScheduleKey& key : schedule.keys) times.push_back(key.time);
    }
    std::sort(times.begin(), times.end());
    constexpr int between = 16;
    const std::size_t keys = times.size();
    for (std::size_t i = 1; i < keys; ++i) {
        for (int k = 1; k < between; ++k) times.push_back(times[i - 1] + (times[i] - times[i - 1]) * k / between);
    }
    return times;
}

}  // namespace pliant
