// Shapes whose distance stands on a grid: meshes, and formulas that are too slow to ask at every step.
#pragma once

#include "pliant/geometry/distance_grid.h"
#include "pliant/geometry/mesh.h"
#include "pliant/geometry/shape.h"

namespace pliant {

// The solid within a closed, outward mesh. Its surface is the mesh itself at any resolution.
ShapePtr mesh_solid(const TriangleMesh& mesh, Real voxel, std::size_t memory = GridLayout::default_memory);
ShapePtr mesh_solid(const TriangleMesh& mesh, DistanceGrid grid);

// The same solid as `shape`, with its distance on a grid. An unbounded shape comes back as it is. The surface still
// comes from `shape`, in full detail.
ShapePtr baked(ShapePtr shape, Real voxel, std::size_t memory = GridLayout::default_memory);

}  // namespace pliant
