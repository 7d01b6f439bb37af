// Hencky's elasticity: the linear law on the logarithmic strain. Equal ratios of stretching and squeezing cost the
// same, and volume and shape are apart: tau = 2 mu log sigma + lambda log J.     [Klar16] Symbols: sigma = singular
// values of F (the smallest carries the sign of det F), mu and lambda = Lame parameters [Pa].
//
// One choice of ours. The logarithm ends at zero, but matter in a computer is flattened and turned inside out: below
// sigma = 0.2 we go on along the tangent of the logarithm,
//     h(sigma) = log sigma                                  above the knee k = 0.2
//              = log k + (sigma - k) / k                    below
// so that there the energy is quadratic in sigma, and finite. Energy and stress are continuous; the tangent of a
// squeezed bar steps down by 1 - log k = 2.6 and stays positive. The stress drives matter back, the more the further it
// inverts.
//
// A pulled bar bears its largest force at a stretch of e = 2.7 and gives way beyond: a law for moderate elastic strain,
// as in metals and clay, and not for rubber.
#pragma once

#include <cmath>

#include "pliant/materials/moduli.h"
#include "pliant/math/types.h"

namespace pliant {

struct HenckyElasticity {
    static constexpr const char* name = "hencky";
    static constexpr const char* help = "linear in the logarithmic strain; for large strain that is mostly plastic";
    static constexpr Real knee = 0.2;

    Moduli moduli;

    // h, dh/dsigma, d2h/dsigma2
    static Vec3 strain(const Vec3& sigma) {
        return sigma.unaryExpr([](Real s) { return s > knee ? std::log(s) : std::log(knee) + (s - knee) / knee; });
    }
    static Vec3 strain_slope(const Vec3& sigma) { return sigma.cwiseMax(knee).cwiseInverse(); }
    static Vec3 strain_curvature(const Vec3& sigma) {
        return sigma.unaryExpr([](Real s) { return s > knee ? -1 / square(s) : Real(0); });
    }

    // Psi = mu |h|^2 + lambda/2 (sum h)^2     [J/m^3 of rest volume]
    Real energy_density(const Vec3& sigma) const {
        const Vec3 h = strain(sigma);
        return moduli.mu * h.squaredNorm() + moduli.lambda / 2 * square(h.sum());
    }

    // dPsi/dh = 2 mu h + lambda sum h     principal Kirchhoff stress above the knee [Pa]
    Vec3 strain_stress(const Vec3& sigma) const {
        const Vec3 h = strain(sigma);
        return 2 * moduli.mu * h + Vec3::Constant(moduli.lambda * h.sum());
    }

    // Phat = dPsi/dsigma = h' (2 mu h + lambda sum h)     principal first Piola-Kirchhoff stress [Pa]
    Vec3 principal_stress(const Vec3& sigma) const { return strain_slope(sigma).cwiseProduct(strain_stress(sigma)); }

    // d2Psi/dsigma2 = diag(2 mu h'^2 + h'' (2 mu h + lambda sum h)) + lambda h' h'^T     [Pa]
    Mat3 principal_tangent(const Vec3& sigma) const {
        const Vec3 slope = strain_slope(sigma);
        Mat3 tangent = moduli.lambda * Mat3(slope * slope.transpose());
        tangent.diagonal() +=
            2 * moduli.mu * slope.cwiseAbs2() + strain_curvature(sigma).cwiseProduct(strain_stress(sigma));
        return tangent;
    }
};

}  // namespace pliant
