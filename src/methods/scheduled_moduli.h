// The moduli of a material at a time.
#pragma once

#include "pliant/methods/model.h"

namespace pliant {

// As the scene's schedules drive them; the material's own where none does.
inline Moduli scheduled_moduli(const Model& model, std::size_t material, Real time) {
    for (const MaterialSchedule& schedule : model.schedules) {
        if (schedule.material == material) return schedule.moduli(time);
    }
    return model.materials[material].moduli;
}

}  // namespace pliant
