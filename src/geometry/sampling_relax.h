// Evening out random particles: close ones push each other apart a few times.
#pragma once

#include <vector>

#include "pliant/geometry/shape.h"

namespace pliant {

// Points closer to each other than 1.4 spacings repel. None leaves what is `depth` below the surface, and no two come
// closer than least_relaxed_distance spacings if they were not before. Eight rounds halve the scatter of the density.
void relax_points(const Shape& shape, Real spacing, Real depth, std::vector<Vec3>& points, int rounds = 8);

constexpr Real least_relaxed_distance = 0.8;

}  // namespace pliant
