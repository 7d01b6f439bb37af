// Plastic flow of the textbooks: von Mises' yield condition, flow of the deviator (J2), linear isotropic hardening,
// radial return in logarithmic strain; no rate, so that a step of any length returns all the way.     [Simo92]
// Symbols: sigma = singular values of F, tau = P sigma = principal Kirchhoff stress [Pa], d = dev log sigma,
// q = sqrt(3/2) |dev tau| = von Mises' equivalent stress, alpha = equivalent plastic strain, sqrt(2/3) |log sigma_p|
// summed over the steps, PY = yield stress, K = hardening modulus.
//
// Matter yields where q > PY + K alpha, and flows along d by the share g of it that brings it back:
//     q(g) = PY + K (alpha + sqrt(2/3) g |d|),   sigma_p = exp(g d),   sigma_e = sigma / sigma_p
// With Hencky's law above its knee q(g) = (1 - g) q and dev tau is along d: this is the associated flow, and exact.
// With other laws the direction d differs from dev tau in second order of the elastic strain.
//
// Flow feeds no energy to the body: it ends, or does not begin, where tau does no work in it. In nearly incompressible
// corotated matter under pressure that can be before the yield surface, and only the law tells where.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "pliant/base/fields.h"
#include "pliant/materials/elasticity.h"
#include "pliant/materials/plastic_step.h"

namespace pliant {

struct VonMisesPlasticity {
    static constexpr const char* name = "von_mises";
    static constexpr const char* help =
        "metals: flow at once where the von Mises stress is above yield, with hardening";

    Real yield_stress = std::numeric_limits<Real>::infinity();
    Real hardening = 0;
    std::string measure = "uniaxial";  // what both numbers are of; see fields()

    static const FieldTable& fields();

    // PY and K, however they were given.
    struct Uniaxial {
        Real yield_stress, hardening;
        // PY + K alpha, never below zero when softening
        Real at(Real alpha) const { return std::max(Real(0), yield_stress + hardening * alpha); }
    };
    // With |dev tau| <= Y + X gamma, gamma the summed norm of plastic strain:  PY = sqrt(3/2) Y,  K = 3/2 X
    Uniaxial uniaxial() const;

    // From the stress alone: q(g) = (1 - g) q, that is with the secant shear modulus G = |dev tau| / (2 |d|),
    //     g = (q - PY - K alpha) / (q + sqrt(2/3) K |d|)       at most 1, and 1 where softening outruns unloading
    // Exact for Hencky's law; others land off the yield surface by a share of the excess that is as large as the
    // strain. Flattened or inverted matter (a singular value below 1e-4) does not flow, nor does what is beyond 1e100.
    PlasticStep flow(const Vec3& sigma, const Vec3& P, Real alpha, Real dt) const;

    // With the law at hand: the g above is the first guess, and the return lands on the yield surface of every law.
    PlasticStep flow(const Elasticity& elastic, const Vec3& sigma, Real alpha, Real dt) const;
};

}  // namespace pliant
