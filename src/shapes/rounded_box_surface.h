// One tessellation for boxes, balls and capsules: each is a box, a point or a segment grown by a radius.
#pragma once

#include "pliant/geometry/mesh.h"

namespace pliant {

// The surface of { x : distance from the box of half sizes `inner` <= radius }, closed and outward. Triangles on the
// curved parts are about `resolution` long; there are at least 8 and at most 512 of them to a quarter turn.
TriangleMesh rounded_box_surface(const Vec3& inner, Real radius, Real resolution);

}  // namespace pliant
