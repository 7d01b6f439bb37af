// A medium that bodies are in, water or air: it lifts, slows and carries them, and is not changed by them.
#pragma once

#include <optional>
#include <string>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

struct FieldSettings {
    std::string name;
    Real density = 1000;
    Vec3 velocity = Vec3::Zero();
    Vec3 sway = Vec3::Zero();
    Real period = 4;
    Real drag = 1;
    std::optional<Real> viscosity;
    std::optional<Real> surface;

    static const FieldTable& fields();

    bool holds(const Vec3& x) const { return !surface || x.y() < *surface; }
    Vec3 flow(Real time) const;    // m/s
    Real shear_viscosity() const;  // Pa s
};

// The velocity after dt of a piece of matter in the medium: buoyancy -rho V g, and drag (1/2) rho C A |u| u towards
// the flow, u the velocity of the flow past it and A the area that it shows to it. Drag never overshoots, whatever dt.
Vec3 velocity_in(const FieldSettings& field, const Vec3& velocity, Real mass, Real volume, Real area,
                 const Vec3& gravity, Real time, Real dt);

}  // namespace pliant
