// Settings of the SPH method.
#pragma once

#include <optional>
#include <string>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

struct SphSettings {
    std::string elasticity = "peer2018";
    bool correction = true;
    std::optional<Real> zero_energy;
    Real tolerance = 1e-3;
    std::optional<Real> relative_tolerance;
    std::string preconditioner = "auto";
    Real damping = 0;
    bool pressure = true;
    Real density_error = 1e-3;
    int most_pressure_iterations = 100;
    Real largest_step = 5e-3;
    Real cfl = 0.4;

    static const FieldTable& fields();
};

}  // namespace pliant
