// Neo-Hookean elasticity in the stable form, for rubber and flesh: finite for every F, and no flat or inverted state is
// at rest but the point F = 0, which is unstable.     [Smith18] Eq. 14
//     Psi = mu'/2 (I - 3) - mu'/2 log(I + 1) + lambda'/2 (J - a)^2,   I = |sigma|^2,   J = det F
// Symbols: sigma = singular values of F (the smallest carries the sign of det F), mu and lambda = Lame parameters [Pa].
//
// As in the paper, mu' and lambda' are chosen so that the law is Hooke's with mu and lambda at small strain, and a so
// that it rests at F = 1:
//     mu' = 4/3 mu,   lambda' = lambda + 5/6 mu,   a = 1 + 3/4 mu' / lambda'
// lambda' is above mu/6 for every matter whose bulk modulus is positive. We subtract the energy of rest, and multiply
// (J - a)^2 out, so that nothing is divided by lambda' and little is lost to rounding at small strain.
#pragma once

#include <cmath>

#include "pliant/materials/moduli.h"
#include "pliant/math/types.h"

namespace pliant {

struct NeoHookeanElasticity {
    static constexpr const char* name = "neo_hookean";
    static constexpr const char* help = "rubber: stiffens in large stretch, recovers from being flattened or inverted";

    Moduli moduli;

    // lambda'
    Real volume_stiffness() const { return moduli.lambda + 5.0 / 6.0 * moduli.mu; }

    // With e = sigma - 1, its product III and sum of pairwise products II:
    // J - 1 = sum e + II + III,   t = (I - 3)/4 = (2 sum e + |e|^2)/4
    // Psi = mu (|e|^2/2 - II - III + 2/3 (t - log(1 + t))) + lambda'/2 (J - 1)^2     [J/m^3 of rest volume]
    Real energy_density(const Vec3& sigma) const {
        const Vec3 e = sigma - Vec3::Ones();
        const Real pairs = e.x() * e.y() + e.y() * e.z() + e.z() * e.x(), product = e.prod();
        const Real t = (2 * e.sum() + e.squaredNorm()) / 4;
        return moduli.mu * (e.squaredNorm() / 2 - pairs - product + 2.0 / 3.0 * (t - std::log1p(t))) +
               volume_stiffness() / 2 * square(e.sum() + pairs + product);
    }

    // Phat = dPsi/dsigma = mu (4/3 I/(I + 1) sigma - C) + lambda' (J - 1) C,   C = dJ/dsigma
    //                                                 principal first Piola-Kirchhoff stress [Pa]
    Vec3 principal_stress(const Vec3& sigma) const {
        const Real I = sigma.squaredNorm();
        const Vec3 C = volume_slope(sigma);
        return moduli.mu * (4 * I / (3 * (I + 1)) * sigma - C) + volume_stiffness() * (sigma.prod() - 1) * C;
    }

    // d2Psi/dsigma2 = mu (4/3 I/(I + 1) 1 + 8/3 sigma sigma^T/(I + 1)^2 - dC) + lambda' ((J - 1) dC + C C^T),
    //     dC = dC/dsigma     [Pa]
    Mat3 principal_tangent(const Vec3& sigma) const {
        const Real I = sigma.squaredNorm();
        const Vec3 C = volume_slope(sigma);
        Mat3 dC;
        dC << 0, sigma.z(), sigma.y(), sigma.z(), 0, sigma.x(), sigma.y(), sigma.x(), 0;
        const Mat3 outer = sigma * sigma.transpose(), volume = C * C.transpose();
        return moduli.mu * (4 * I / (3 * (I + 1)) * Mat3::Identity() + 8 / (3 * square(I + 1)) * outer - dC) +
               volume_stiffness() * ((sigma.prod() - 1) * dC + volume);
    }

private:
    static Vec3 volume_slope(const Vec3& sigma) {
        return {sigma.y() * sigma.z(), sigma.z() * sigma.x(), sigma.x() * sigma.y()};
    }
};

}  // namespace pliant
