// Granular matter: no tension beyond its cohesion, and shear only as far as friction holds it.     [Klar16]
// Symbols: e = log sigma, t = sum e, d = dev e, phi = angle of friction, c = cohesion [Pa].
//
// A cone in Kirchhoff stress, with u = dev tau / |dev tau| and its largest and least entries:
//     |dev tau| <= a (3 c - tr(tau)) / f
//     mohr_coulomb  a = 2/3 sin(phi),  f = (1 + sin(phi)) u_max - (1 - sin(phi)) u_min: six sides, the largest and the
//                   least stress are to each other as (1 + sin(phi)) to (1 - sin(phi)), whatever the third
//     plane_strain  a = sqrt(2)/3 sin(phi),  f = 1: round; the same between walls, where flow that keeps the volume
//                   brings the third stress to the mean of the two
//     compression   a = sqrt(2/3) 2 sin(phi) / (3 - sin(phi)),  f = 1: round; the same in a cylinder that is pressed
//                   along its axis [Klar16]. Between walls 30 degrees of it are as strong as 44.
// The flow keeps the volume on the cone, and opens gaps at its tip: matter that is pulled apart has no stress, and
// remembers by how much it has opened, so that it must close again before it bears (`volume_correction`).
// Only methods that work in logarithmic strain compute it: see log_strain_law.h.
#pragma once

#include <cmath>
#include <string>

#include "pliant/base/fields.h"
#include "pliant/materials/moduli.h"

namespace pliant {

struct DruckerPragerPlasticity {
    static constexpr const char* name = "drucker_prager";
    static constexpr const char* help = "sand, soil: friction within, no or little tension";

    Real friction_angle = 30;
    Real cohesion = 0;
    bool volume_correction = true;
    std::string cone = "mohr_coulomb";

    static const FieldTable& fields();

    Real sine() const { return std::sin(friction_angle * pi / 180); }
    bool is_six_sided() const { return cone == "mohr_coulomb"; }
    Real slope() const {  // a
        const Real s = sine();
        if (cone == "compression") return std::sqrt(2.0 / 3.0) * 2 * s / (3 - s);
        return is_six_sided() ? 2.0 / 3.0 * s : std::sqrt(2.0) / 3 * s;
    }
};

}  // namespace pliant
