// What a liquid is made of.
#pragma once

#include "pliant/math/types.h"

namespace pliant {

struct Liquid {
    Real density = 1000;       // rho0, at rest [kg/m^3]
    Real viscosity = 1e-3;     // mu, dynamic [Pa s]: water 1e-3, honey 10
    Real surface_tension = 0;  // gamma [N/m]: water against air 0.072
};

}  // namespace pliant
