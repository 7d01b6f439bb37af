// The part of a material that forgets: springs in series with dashpots, beside the elastic part (Zener's standard
// linear solid). It answers a quick load and lets go of a lasting one.     [Fang19], [Govindjee97]
// With F = Fn Fv, eps = log sigma of Fn and tau = 2 G dev(eps) + K tr(eps) its Kirchhoff stress,
//     deps/dt = dlog sigma/dt - dev(tau) / (2 eta) - tr(tau) / (9 zeta)
// so that eta and zeta are the viscosities of the textbooks: shear flow at a steady rate D bears dev(tau) = 2 eta D.
// The paper's nu_d and nu_v are twice these. Relaxation times are eta / G and zeta / K.
#pragma once

#include <optional>

#include "pliant/base/fields.h"
#include "pliant/materials/moduli.h"

namespace pliant {

struct Viscous {
    Real shear = 0;                      // G [Pa]
    Real bulk = 0;                       // K [Pa]
    Real viscosity = 0;                  // eta [Pa s]
    std::optional<Real> bulk_viscosity;  // zeta [Pa s]; left out: volume relaxes as fast as shape

    static const FieldTable& fields();

    // What is left of dev(eps) and of tr(eps) after an implicit step: 1 / (1 + dt / relaxation time).
    Real shear_kept(Real dt) const { return 1 / (1 + dt * shear / viscosity); }
    Real bulk_kept(Real dt) const {
        return 1 / (1 + dt * (bulk_viscosity ? bulk / *bulk_viscosity : shear / viscosity));
    }
};

}  // namespace pliant
