// Ellipsoids that fill the cells of a body without gaps and lie along its surface.   [Mueller11] Sec. 6.2
#pragma once

#include <vector>

#include "pliant/methods/oriented/body_cells.h"

namespace pliant {

struct FittedEllipsoid {
    Quat orientation = Quat::Identity();
    Vec3 radii = Vec3::Zero();  // m, the longest first
};

// No radius is longer than largest_radius of the spacing, or shorter than half the spacing or the longest over the
// aspect limit: the paper's limits, but tighter around thin parts.
std::vector<FittedEllipsoid> fit_ellipsoids(const BodySamples& samples, const BodyCells& cells, Real spacing,
                                            Real aspect_limit);

constexpr Real largest_radius = 0.8;  // in spacings

}  // namespace pliant
