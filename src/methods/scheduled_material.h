// A material at a time.
#pragma once

#include "pliant/methods/model.h"

namespace pliant {

// Null where no schedule drives it.
inline const MaterialSchedule* schedule_of(const Model& model, std::size_t material) {
    for (const MaterialSchedule& schedule : model.schedules) {
        if (schedule.material == material) return &schedule;
    }
    return nullptr;
}

// As the scene's schedules drive it; as it is where none does.
inline Moduli scheduled_moduli(const Model& model, std::size_t material, Real time) {
    const MaterialSchedule* schedule = schedule_of(model, material);
    return schedule ? schedule->moduli(time) : model.materials[material].moduli;
}
inline Material scheduled_material(const Model& model, std::size_t material, Real time) {
    const MaterialSchedule* schedule = schedule_of(model, material);
    return schedule ? schedule->at(time) : model.materials[material];
}

}  // namespace pliant
