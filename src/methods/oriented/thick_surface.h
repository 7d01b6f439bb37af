// A sheet of cloth, paper or rubber from an open mesh: everything within half a thickness of its triangles.
#pragma once

#include "pliant/geometry/shape.h"

namespace pliant {

ShapePtr thick_surface(const TriangleMesh& mesh, Real thickness);  // m

}  // namespace pliant
