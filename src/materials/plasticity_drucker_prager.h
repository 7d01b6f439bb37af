// Granular matter: no tension beyond its cohesion, and shear only as far as friction holds it.     [Klar16]
// Symbols: e = log sigma, t = sum e, d = dev e, phi = angle of friction, c = cohesion [Pa].
//
// Drucker and Prager's cone in Kirchhoff stress, through the corners of Mohr and Coulomb's under compression:
//     |dev tau| <= a (3 c - tr(tau)),    a = sqrt(2/3) 2 sin(phi) / (3 - sin(phi))
// The flow keeps the volume on the cone, and opens gaps at its tip: matter that is pulled apart has no stress, and
// remembers by how much it has opened, so that it must close again before it bears (`volume_correction`).
// Only methods that work in logarithmic strain compute it: see log_strain_law.h.
#pragma once

#include <cmath>

#include "pliant/base/fields.h"
#include "pliant/materials/moduli.h"

namespace pliant {

struct DruckerPragerPlasticity {
    static constexpr const char* name = "drucker_prager";
    static constexpr const char* help = "sand, soil: friction within, no or little tension";

    Real friction_angle = 30;
    Real cohesion = 0;
    bool volume_correction = true;

    static const FieldTable& fields();

    Real cone() const {  // a
        const Real s = std::sin(friction_angle * pi / 180);
        return std::sqrt(2.0 / 3.0) * 2 * s / (3 - s);
    }
};

}  // namespace pliant
