// Snow: packs and hardens when it is pressed, breaks and softens when it is pulled.     after [Stomakhin13]
// Symbols: e = log sigma, t = sum e, d = dev e, J = volume of the plastic part over that of fresh snow.
//
// The elastic part bears so much and no more, and what is beyond it flows:
//     3 log(1 - critical_compression) <= t <= 3 log(1 + critical_stretch)
//     |d| <= (critical_compression + critical_stretch) / sqrt(2)
// Both moduli are those of fresh snow times exp(hardening (1 - J)), by J at the beginning of the step.
// Where we deviate: the paper bounds each singular value, we bound volume and shape, so that the step stays a
// minimisation. Both agree under pressure and under tension from all sides; in shear ours ends, to first order, at the
// corner (critical_stretch, -critical_compression) of the paper's box.
// Only methods that work in logarithmic strain compute it: see log_strain_law.h.
#pragma once

#include <cmath>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

struct SnowPlasticity {
    static constexpr const char* name = "snow";
    static constexpr const char* help = "packs and hardens when pressed, breaks when pulled";

    Real critical_compression = 0.025;
    Real critical_stretch = 0.0075;
    Real hardening = 10;

    static const FieldTable& fields();

    Real least_volume_strain() const { return 3 * std::log(1 - critical_compression); }
    Real most_volume_strain() const { return 3 * std::log(1 + critical_stretch); }
    Real most_shear_strain() const { return (critical_compression + critical_stretch) / std::sqrt(2.0); }
};

}  // namespace pliant
