// Multiplicative plastic flow, F = Fe Fp, that preserves volume.     [Bargteil07], [Zhou13] Eq. 12-14
// Symbols: sigma = singular values of F, P = principal first Piola-Kirchhoff stress [Pa], alpha = accumulated plastic
// strain, PY = yield stress, K = hardening modulus, k = flow rate.
//
// Four choices of ours.
//
// The papers' flow rate nu is a share a step, so that results change with the step; ours is a rate in 1/s, and
// nu(dt) = 1 - exp(-k dt).
//
// Hardening acts within the step too: the step solves d' = -k d (1 - (PY + K alpha) / |P|) for d = dev log sigma with
// |P| in proportion to |d|, and so does not overshoot when K is large.
//
// alpha is the equivalent plastic strain of the textbooks, sqrt(2/3) |log sigma_p| summed over the steps: the permanent
// logarithmic strain of a bar pulled along one axis. The papers leave its definition open.
//
// Flow never feeds energy to the body: where the stress would do work against it, as it can in matter that is strongly
// compressed, there is none.
#pragma once

#include <algorithm>
#include <limits>

#include "pliant/base/fields.h"
#include "pliant/materials/plastic_step.h"

namespace pliant {

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

    //     d = dev log sigma,   r = 1 + sqrt(2/3) K |d| / |P|
    //     gamma = (1 - exp(-k r dt)) / r (1 - (PY + K alpha) / |P|)       within 0 and 1 - exp(-k dt)
    //     sigma_p = exp(gamma d) = (sigma / det^(1/3))^gamma,   sigma_e = sigma / sigma_p
    // Flattened or inverted matter (a singular value below 1e-4) does not flow, nor does what is beyond 1e100.
    PlasticStep flow(const Vec3& sigma, const Vec3& P, Real alpha, Real dt) const;
};

}  // namespace pliant
