// New surfaces around meshes that hold something but are not closed: two ways of telling inside from outside.
#pragma once

#include "pliant/geometry/mesh.h"

namespace pliant {

// The surface where the winding number passes 1/2. Holes are closed by a smooth sheet, what overlaps becomes one, and
// walls within vanish. Needs sides that agree; empty for a sheet, or for a mesh that is inside out.
TriangleMesh rebuilt_by_winding(const TriangleMesh& mesh, Real voxel);

// The share of the area, 0..1, that has its outer side out: between winding numbers of about 0 and 1, or further in.
// Below some 0.95, pieces disagree and winding numbers mean little.
Real share_facing_out(const TriangleMesh& mesh);

// The outer skin, whichever way the triangles face: what a ball of radius `gap` cannot reach from outside.
// Closes holes and grooves narrower than twice the gap; empty if the ball gets everywhere.
TriangleMesh rebuilt_by_flooding(const TriangleMesh& mesh, Real voxel, Real gap);

}  // namespace pliant
