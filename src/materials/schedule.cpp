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
              "what changes: material.NAME.young, or poisson, shear, bulk, mu, lambda of a material")
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
    if (aim->modulus == "density") return {"a density cannot change over time, for mass stays what it is"};
    if (pair_of(aim->modulus) == pairs.size()) {
        return {fmt::format("a material has no '{}' that could change over time{}", aim->modulus,
                            suggestion(aim->modulus, modulus_names()))};
    }
    if (keys.empty()) return {"has no keys: add keys = [ { time = 0, value = 1e5 }, ... ]"};
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i > 0 && !(keys[i].time > keys[i - 1].time)) {
            return {fmt::format("key {} is at {:g} s, which is not after key {} at {:g} s: sort the keys by time",
                                i + 1, keys[i].time, i, keys[i - 1].time)};
        }
        const bool is_ratio = aim->modulus == "poisson";
        if (is_ratio && !(keys[i].value > -1 && keys[i].value <= 0.4999)) {
            return {fmt::format("key {} has the value {:g}; Poisson's ratio must be above -1 and at most 0.4999", i + 1,
                                keys[i].value)};
        }
        if (!is_ratio && aim->modulus != "lambda" && !(keys[i].value >= 0)) {
            return {fmt::format("key {} has the value {:g}; it must be at least 0", i + 1, keys[i].value)};
        }
    }
    return {};
}

std::optional<ScheduleSettings::Target> ScheduleSettings::target() const {
    const std::string table = "material.";
    const auto last = parameter.rfind('.');
    if (!parameter.starts_with(table) || last <= table.size() || last + 1 == parameter.size()) return std::nullopt;
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
    const std::string modulus = schedule.target()->modulus;
    for (const ScheduleSettings& other : schedules_) {
        const std::string before = other.target()->modulus;
        if (before == modulus) return fmt::format("{} is driven twice: keep one schedule", schedule.parameter);
        if (pair_of(before) != pair_of(modulus)) {
            return fmt::format(
                "{} and {} do not go together: drive one pair of young and poisson, shear and bulk, or "
                "mu and lambda",
                other.parameter, schedule.parameter);
        }
    }
    schedules_.push_back(schedule);
    for (const Real time : looked_at()) {
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

Moduli MaterialSchedule::moduli(Real time) const {
    if (schedules_.empty()) return own_;
    const auto value = [&](const char* name, Real own) {
        for (const ScheduleSettings& schedule : schedules_) {
            if (schedule.target()->modulus == name) return schedule.value(time);
        }
        return own;
    };
    switch (pair_of(schedules_.front().target()->modulus)) {
        case 0: return Moduli::from_young_poisson(value("young", own_.young()), value("poisson", own_.poisson()));
        case 1: return Moduli::from_shear_bulk(value("shear", own_.shear()), value("bulk", own_.bulk()));
        default: return {value("mu", own_.mu), value("lambda", own_.lambda)};
    }
}

Real MaterialSchedule::largest_p_wave() const {
    Real largest = own_.p_wave();
    for (const Real time : looked_at()) largest = std::max(largest, moduli(time).p_wave());
    return largest;
}

std::vector<Real> MaterialSchedule::looked_at() const {
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
