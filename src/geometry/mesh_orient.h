// Turning triangles around until they agree about which side is outside.
#pragma once

#include "pliant/geometry/mesh.h"

namespace pliant {

// Makes neighbours across an edge agree, turning the fewer of each patch. Returns how many were turned.
int orient_consistently(TriangleMesh& mesh);

// Turns the whole mesh if its volume is negative, then closed pieces that are inside out and not the wall of a hollow
// in another piece. Returns how many triangles were turned.
int turn_outward(TriangleMesh& mesh);

void turn_all(TriangleMesh& mesh);

}  // namespace pliant
