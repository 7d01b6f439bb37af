// Sizes of a shape, measured on its distance by ever smaller cubes along its surface.
#pragma once

#include "pliant/geometry/shape.h"

namespace pliant {

// Volume of all points at least `depth` below the surface [m^3], to about 0.1 %. The shape must be bounded.
Real measure_volume(const Shape& shape, Real depth = 0);

// The largest depth of a point below the surface [m], to about 2 %; 0 if nothing is inside.
Real measure_greatest_depth(const Shape& shape);

}  // namespace pliant
