// Cutting the triangles of a mesh until no edge is long, so that a flat face can bend.
#pragma once

#include "pliant/geometry/mesh.h"

namespace pliant {

// Cuts edges longer than `longest_edge` [m] in half. The surface stays in place; a closed mesh stays closed.
TriangleMesh subdivided(const TriangleMesh& mesh, Real longest_edge);

}  // namespace pliant
