// Particles at random places, none closer to another than a given distance, so dense that next to none fits between
// them: a maximal Poisson-disk sample. No direction is special and no distance repeats, unlike on a lattice.
#pragma once

#include <cstdint>
#include <vector>

#include "pliant/geometry/shape.h"

namespace pliant {

// Points at least `depth` below the surface and at least `distance` apart. The same seed gives the same points, at any
// number of threads.
std::vector<Vec3> poisson_disk_points(const Shape& shape, Real distance, Real depth, std::uint64_t seed);

// Number density of such points inside a body: one in poisson_disk_fill * distance^3.
constexpr Real poisson_disk_fill = 1.325;

}  // namespace pliant
