// Multiplicative plastic flow, F = Fe Fp, that preserves volume.     [Bargteil07], [Zhou13] Eq. 12-14
// Symbols: sigma = singular values of F, P = principal first Piola-Kirchhoff stress [Pa], alpha = accumulated plastic
// strain, PY = yield stress, K = hardening modulus, k = flow rate.
//
// Two choices of ours. The papers' flow rate nu is a share a step, so that results change with the step; ours is a
// rate in 1/s, and nu(dt) = 1 - exp(-k dt). And alpha sums |log sigma_p|, which adds up the same over any number of
// steps, where the papers leave its definition open.
#pragma once

#include <limits>

#include "pliant/base/fields.h"
#include "pliant/math/types.h"

namespace pliant {

struct PlasticStep {
    Vec3 elastic;  // singular values of Fe
    Vec3 plastic;  // singular values of Fp; their product is 1
    Real alpha;    // accumulated plastic strain after the step
};

struct Bargteil2007Plasticity {
    static constexpr const char* name = "bargteil07";
    static constexpr const char* help = "volume-preserving flow at a finite rate above a yield stress, with hardening";

    Real yield_stress = std::numeric_limits<Real>::infinity();
    Real flow_rate = 50;
    Real hardening = 0;

    static const FieldTable& fields();

    // PY + K alpha, never below zero when softening. |P| of a bar pulled along one axis is its tension, so PY is the
    // uniaxial yield stress of the textbooks.
    Real current_yield_stress(Real alpha) const { return std::max(Real(0), yield_stress + hardening * alpha); }

    //     gamma = (1 - exp(-k dt)) (|P| - PY - K alpha) / |P|       where that is positive
    //     sigma_p = (sigma / det^(1/3))^gamma,   sigma_e = sigma / sigma_p
    // Flattened or inverted matter (a singular value below 1e-4) does not flow.
    PlasticStep flow(const Vec3& sigma, const Vec3& P, Real alpha, Real dt) const;
};

}  // namespace pliant
