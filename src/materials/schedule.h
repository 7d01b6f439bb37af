// The stiffness of a material over time, by keys: what melts, sets, or hardens and softens again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/fields.h"
#include "pliant/materials/moduli.h"

namespace pliant {

struct ScheduleKey {
    Real time = 0;
    Real value = 0;

    static const FieldTable& fields();
};

struct ScheduleSettings {
    std::string parameter;  // "material.toffee.young"
    std::string interpolation = "linear";
    std::vector<ScheduleKey> keys;

    static const FieldTable& fields();
    std::vector<std::string> problems() const;  // what is wrong with keys and parameter, whatever materials there are

    // The parts of `parameter`: the material's name, and which of its moduli. Nothing if it is not of that form.
    struct Target {
        std::string material, modulus;
    };
    std::optional<Target> target() const;
    // Before the first key: as at the first; after the last: as at the last.
    Real value(Real time) const;
};

// All schedules of one material: one, or both of a pair of moduli. The other of the pair stays the material's own.
// A modulus may be zero: without shear modulus a solid is a liquid.
class MaterialSchedule {
public:
    MaterialSchedule(std::size_t index, const Moduli& own) : material(index), own_(own) {}

    // The sentence that says why not, if the schedule does not go with those that are there.
    std::optional<std::string> add(const ScheduleSettings& schedule);

    std::size_t material;  // index into the model's materials
    Moduli moduli(Real time) const;
    Real largest_p_wave() const;  // of all times [Pa]

private:
    std::vector<Real> looked_at() const;  // times: all keys, and some between

    Moduli own_;
    std::vector<ScheduleSettings> schedules_;
};

}  // namespace pliant
