// Points spread evenly over the surface of a shape and a little below it: what stands for an obstacle among particles.
#pragma once

#include <vector>

#include "pliant/geometry/shape.h"

namespace pliant {

// About one point a spacing^2 of the surface moved inward by `depth`: none nearer than 0.7 spacings to another, no hole
// wider than about a spacing. Half a spacing is a good depth: the layer then ends where the shape does. Where the shape
// is too thin for that, points are as deep as its middle. Boxes have straight rows. The same points at any number of
// threads; time grows with their number.
//
// InputError if the shape is unbounded or empty, or would take more than `most_points`.
std::vector<Vec3> sample_surface(const Shape& shape, Real spacing, Real depth, std::size_t most_points = 20'000'000);

}  // namespace pliant
