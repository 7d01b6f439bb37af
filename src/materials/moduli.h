// Elastic moduli of an isotropic solid and every conversion between them.
#pragma once

#include <cmath>

#include "pliant/math/types.h"

namespace pliant {

// Lame's parameters [Pa]; mu is the shear modulus G.
struct Moduli {
    Real mu = 0;
    Real lambda = 0;

    // mu = E / (2 (1 + nu)),  lambda = E nu / ((1 + nu) (1 - 2 nu))
    static constexpr Moduli from_young_poisson(Real E, Real nu) {
        return {E / (2 * (1 + nu)), E * nu / ((1 + nu) * (1 - 2 * nu))};
    }
    // lambda = K - 2/3 G
    static constexpr Moduli from_shear_bulk(Real G, Real K) { return {G, K - 2.0 / 3.0 * G}; }

    constexpr Real young() const { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }
    constexpr Real poisson() const { return lambda / (2 * (lambda + mu)); }
    constexpr Real shear() const { return mu; }
    constexpr Real bulk() const { return lambda + 2.0 / 3.0 * mu; }
    constexpr Real p_wave() const { return lambda + 2 * mu; }  // M, the modulus of a confined bar
};

// c = sqrt((lambda + 2 mu) / rho), the speed of sound [m/s].
inline Real sound_speed(const Moduli& m, Real density) {
    return std::sqrt(m.p_wave() / density);
}

}  // namespace pliant
