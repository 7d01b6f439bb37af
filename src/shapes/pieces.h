// How finely curved surfaces are cut into triangles.
#pragma once

#include <cmath>

#include "pliant/math/types.h"

namespace pliant {

// The number of pieces of about `resolution` that a curve of this length is cut into, between the two bounds.
inline int pieces(Real length, Real resolution, int fewest, int most) {
    const Real wanted = length / resolution;
    if (!(wanted > fewest)) return fewest;
    return wanted < most ? static_cast<int>(std::ceil(wanted)) : most;
}

}  // namespace pliant
