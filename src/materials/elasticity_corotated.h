// Corotated linear elasticity: the linear law on the stretch that is left when the rotation is taken away.
// [Zhou13] Eq. 6-7, with the corrections that the strain is the Biot strain e = S - I of F = R S.
// Symbols: sigma = singular values of F (the smallest carries the sign of det F), mu and lambda = Lame parameters [Pa].
#pragma once

#include "pliant/materials/moduli.h"
#include "pliant/math/types.h"

namespace pliant {

struct CorotatedElasticity {
    static constexpr const char* name = "corotated";
    static constexpr const char* help = "linear in the Biot strain; holds for any rotation and for moderate strain";

    Moduli moduli;

    // Psi = mu |sigma - 1|^2 + lambda/2 (sum(sigma - 1))^2     [J/m^3 of rest volume]
    Real energy_density(const Vec3& sigma) const {
        const Vec3 e = sigma - Vec3::Ones();
        return moduli.mu * e.squaredNorm() + moduli.lambda / 2 * square(e.sum());
    }

    // Phat = dPsi/dsigma = 2 mu (sigma - 1) + lambda sum(sigma - 1)     principal first Piola-Kirchhoff stress [Pa]
    Vec3 principal_stress(const Vec3& sigma) const {
        const Vec3 e = sigma - Vec3::Ones();
        return 2 * moduli.mu * e + Vec3::Constant(moduli.lambda * e.sum());
    }

    // d2Psi/dsigma2 = 2 mu I + lambda 1 1^T     [Pa]
    Mat3 principal_tangent(const Vec3&) const {
        return 2 * moduli.mu * Mat3::Identity() + Mat3::Constant(moduli.lambda);
    }
};

}  // namespace pliant
