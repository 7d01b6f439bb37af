// What plastic flow does to the singular values of F = Fe Fp in a step.
#pragma once

#include "pliant/math/types.h"

namespace pliant {

struct PlasticStep {
    Vec3 elastic;  // singular values of Fe
    Vec3 plastic;  // singular values of Fp; their product is 1
    Real alpha;    // accumulated plastic strain after the step
};

}  // namespace pliant
