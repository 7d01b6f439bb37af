// Settings of the method of oriented particles.
#pragma once

#include <optional>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

struct OrientedSettings {
    Real step = 1.0 / 240;
    int iterations = 2;
    std::optional<Real> stiffness;
    Real torsion = 0;
    Real stretch = 0;
    Real damping = 0;
    Real yield = 0;
    Real creep = 0;
    int dent_steps = 20;
    bool self_collision = true;
    bool keeps_spin = true;

    static const FieldTable& fields();
};

}  // namespace pliant
