// Joining the corners of a mesh that lie at the same place. Most files repeat a corner for every triangle.
#pragma once

#include "pliant/geometry/mesh.h"

namespace pliant {

// Joins corners within `tolerance` [m] of one another (0: the same numbers), each group at the place of its first
// corner; then drops triangles that use a corner twice, and corners that no triangle uses. Triangles of no area whose
// corners differ stay: dropping them would tear the mesh open.
TriangleMesh joined(const TriangleMesh& mesh, Real tolerance = 0);

}  // namespace pliant
