// A material over time, by keys: what melts and sets, hardens and softens again, or flows more easily for a while.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/fields.h"
#include "pliant/materials/material.h"

namespace pliant {

struct ScheduleKey {
    Real time = 0;
    Real value = 0;

    static const FieldTable& fields();
};

struct ScheduleSettings {
    std::string parameter;  // "material.toffee.young", "material.toffee.plastic.yield_stress"
    std::string interpolation = "linear";
    std::vector<ScheduleKey> keys;

    static const FieldTable& fields();
    std::vector<std::string> problems() const;  // what is wrong with keys and parameter, whatever materials there are

    // The parts of `parameter`: the material's name, and which of its moduli ("young") or of the settings of its
    // plastic or viscous part ("plastic.yield_stress"). Nothing if it is not of that form.
    struct Target {
        std::string material, name;
        bool is_flow() const { return name.find('.') != std::string::npos; }  // of the plastic or viscous part
    };
    std::optional<Target> target() const;
    // Before the first key: as at the first; after the last: as at the last.
    Real value(Real time) const;
};

// All schedules of one material. Of its moduli one, or both of a pair: the other of the pair stays the material's own.
// A modulus may be zero: without shear modulus a solid is a liquid.
class MaterialSchedule {
public:
    MaterialSchedule(std::size_t index, Material own) : material(index), own_(std::move(own)) {}

    // The sentence that says why not, if the schedule does not go with those that are there.
    std::optional<std::string> add(const ScheduleSettings& schedule);

    std::size_t material;  // index into the model's materials
    Material at(Real time) const;
    Moduli moduli(Real time) const;
    std::vector<Real> times() const;  // to look at, to know it at all times: all keys, and some between
    Real largest_p_wave() const;      // of all times [Pa]
    bool changes_flow() const;        // the plastic or viscous part
    bool melts() const;               // there is a time without shear modulus
    bool loses_volume() const;        // it melts, and there is a time without bulk modulus

private:
    std::optional<std::string> problem_with_modulus(const ScheduleSettings& schedule);
    std::optional<std::string> problem_with_flow(const ScheduleSettings& schedule) const;

    Material own_;
    std::vector<ScheduleSettings> schedules_;
};

}  // namespace pliant
