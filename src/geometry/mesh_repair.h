// Making a solid of a mesh that is open, inside out, or cuts through itself.
#pragma once

#include <string>
#include <vector>

#include "pliant/geometry/mesh.h"

namespace pliant {

struct RepairedMesh {
    TriangleMesh mesh;              // closed and outward
    std::vector<std::string> done;  // what was changed, a sentence each; empty when the mesh was sound
};

// Turns sides and joins corners where that is enough, and keeps all triangles then. Otherwise rebuilds the outer
// surface from the distance to the triangles on a grid of `voxel` [m], which rounds edges and loses what is thinner.
// InputError when the mesh holds nothing: a sheet, or a hole as large as the thing itself.
RepairedMesh repaired(const TriangleMesh& mesh, Real voxel);

}  // namespace pliant
