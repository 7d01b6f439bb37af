// An order of particles in which those close in space are close in memory: by cells along a Morton (Z-order) curve.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

// The k-th particle in the new order is particle result[k] of the old one. Particles of one cell keep their order, so
// that ordering twice changes nothing. Errors as in CellFrameFinder.
std::vector<std::uint32_t> cell_order(std::span<const Vec3> positions, Real cell_size);

}  // namespace pliant
