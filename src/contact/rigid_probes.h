// Balls within a rigid body that reach to its surface from inside: what is asked whether it touches something. A ball
// as wide as its depth has a clear distance and normal to whatever it meets, also at edges and corners.
#pragma once

#include <vector>

#include "pliant/geometry/shape.h"

namespace pliant {

struct Probe {
    Vec3 centre;  // in the shape's own space [m]
    Real radius;  // m
};

// One ball for a ball and a row of them for a capsule; small ones below the whole surface of everything else, some
// thousand at most. Corners are rounded by a hundredth of the size.
std::vector<Probe> make_probes(const Shape& shape);

}  // namespace pliant
