// Settings of the moving-least-squares methods.
#pragma once

#include <optional>
#include <string>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

// What is left out comes from the preset, or from what serves the integrator best.
struct MlsSettings {
    std::string preset;
    std::optional<Real> support;
    std::optional<std::string> kernel;
    std::optional<std::string> rest;
    std::optional<std::string> rotation;
    std::optional<Real> stabilisation;
    Real tolerance = 1e-3;
    Real implicit_step = 2e-3;
    Real viscosity = 0.2;
    Real pressure = 0.5;
    Real contact_stiffness = 1.0;
    Real safety = 0.9;

    static const FieldTable& fields();

    // With everything filled in.
    MlsSettings resolved(const std::string& integrator) const;
};

}  // namespace pliant
