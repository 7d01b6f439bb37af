// Which frames move which vertices of a skin, found from the bind pose alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "pliant/geometry/skin.h"

namespace pliant {

// Frames are `points` in or on the mesh, about `spacing` [m] apart; `links` name the pairs that are neighbours within
// the body. Distances are straight from a point to the vertices around it and from there on along edges of the mesh:
// limbs that only pass close by each other share no frames. The mesh must not be inside out, for a gap between limbs
// is known by the faces on its sides. Weights fade to zero with distance, so they change little along an edge. A piece
// of the mesh without points hangs on those nearest to it.
// An InputError if there are no points, a link names none of them, or something is not finite.
SkinWeights geodesic_weights(const TriangleMesh& bind, std::span<const Vec3> points,
                             std::span<const std::array<std::uint32_t, 2>> links, Real spacing);

}  // namespace pliant
