// The largest eigenvalue of M^-1 K, with K symmetric and at least semidefinite and M the masses of the points: power
// iteration from a rough start. It comes from below, to a few percent.
#pragma once

#include <span>

#include "pliant/base/parallel.h"
#include "pliant/math/types.h"

namespace pliant {

Real largest_eigenvalue(std::span<const Real> mass,
                        FunctionRef<void(std::span<const Vec3> x, std::span<Vec3> result)> multiply,  // K x
                        int iterations = 40);

}  // namespace pliant
