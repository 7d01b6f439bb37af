// Triangles where a field is zero (OpenVDB).
#pragma once

#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh.h"

namespace pliant {

struct FieldSurfaceSettings {
    Real voxel = 0.01;                          // [m] about the length of an edge
    Real steepness = 1;                         // the field changes by no more than this a metre, near its zero
    bool snap = true;                           // move corners onto the zero of the field along its gradient
    std::size_t memory = std::size_t(1) << 30;  // [bytes] of voxels; a finer voxel is refused with an InputError
};

// The surface around what is negative within `bounds`, closed and outward; empty if nothing is. Values that are not
// finite count as outside. The field is asked only near its zero, from several threads.
TriangleMesh field_surface(FunctionRef<Real(const Vec3&)> field, const Box& bounds,
                           const FieldSurfaceSettings& settings);

}  // namespace pliant
