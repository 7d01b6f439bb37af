// Settings of the moving-least-squares methods.
#pragma once

#include <string>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

struct MlsSettings {
    Real support = 2.0;
    std::string kernel = "wendland_c2";
    Real viscosity = 0.2;
    Real pressure = 0.5;
    Real contact_stiffness = 1.0;
    Real safety = 0.9;

    static const FieldTable& fields();
};

}  // namespace pliant
