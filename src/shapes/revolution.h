// Solids of revolution around y, by their outline in the half-plane of r (from the axis) and y.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "pliant/geometry/mesh.h"
#include "pliant/geometry/shape.h"

namespace pliant {

// Points (r, y) of an outline. Outward is to the right when walking along it.
using Outline = std::vector<Eigen::Vector2d>;

// A turned outline as triangles, closed and outward. The outline either begins and ends on the axis, or is a loop
// away from it.
TriangleMesh revolved(const Outline& outline, bool is_loop, int pieces_around);

// The solid that a convex outline from the axis to the axis sweeps. Exact distance inside and outside.
ShapePtr revolved_solid(const Outline& outline);

}  // namespace pliant
