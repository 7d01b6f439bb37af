// Settings of the material point method.
#pragma once

#include <optional>
#include <string>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

struct MpmSettings {
    Real cell = 2;
    std::string grid = "moving";
    Real cfl = 0.6;
    Real largest_step = 5e-3;
    std::string implicit = "backward_euler";
    Real tolerance = 1e-3;
    int most_iterations = 50;
    Real damping = 0;
    Real penalty = 0.5;
    Real relaxation = 1.5;
    std::string weights = "stiffness";
    bool equilibration = false;
    Real liquid_speed = 20;

    static const FieldTable& fields();
};

}  // namespace pliant
