// Smoothing of a mesh that takes out bumps and keeps the volume [Taubin95].
#pragma once

#include "pliant/geometry/mesh.h"

namespace pliant {

// Each pass moves every vertex towards the mean of its neighbours and then a little farther back. Vertices of open
// edges move too. The same bits at any number of threads.
void fair(TriangleMesh& mesh, int passes);

}  // namespace pliant
