// Making a body of oriented particles from a mesh, without a hand: particles all over it and inside where it is
// thick, ellipsoids that fit it, edges between neighbours.   [Mueller11] Sec. 6.2, 8
#pragma once

#include <cstddef>

#include "pliant/geometry/shape.h"
#include "pliant/methods/oriented/rig.h"

namespace pliant {

struct RigSettings {
    Real spacing = 0.01;     // of particles along the body [m]
    Real aspect_limit = 2;   // longest to shortest radius of an ellipsoid
    Real edge_reach = 1.15;  // the longest edge, in spacings; those that hold the body together may be longer
    int seed = 0;            // of the first particle's place
};

// How finely a rig's shape must be known: gaps between limbs that are a fraction of the spacing count. [m]
constexpr Real rig_resolution(Real spacing) {
    return spacing / 8;
}
constexpr Real most_rig_voxels_across = 500;

// The surface is that of the shape, and becomes the rig's skin. InputError if it is empty, not finite, or so large for
// the spacing that it would take more than a hundred thousand particles.
Rig build_rig(const Shape& shape, const TriangleMesh& surface, const RigSettings& settings);

// Weights of the skin from distances along it, for particles about `spacing` apart. Joints carry none of it: they do
// not turn.
void hang_skin(Rig& rig, Real spacing);

// Another skin of the same shape, with edges about as long as `resolution` [m] and none longer than twice that.
// Particles stay as they are, so that a skin costs nothing but its own time.
void change_skin(Rig& rig, const Shape& shape, Real resolution, Real spacing);

// The spacing at which build_rig makes about so many particles: within 5 % where the body allows it.
Real spacing_for(const Shape& shape, const TriangleMesh& surface, std::size_t particles);

// How many pieces the edges leave the body in.
std::size_t count_pieces(const Rig& rig);

// Links pieces with particles closer than `reach` [m]: wheels that a mesh shows beside their car. The skin stays.
void join_pieces(Rig& rig, Real reach);

}  // namespace pliant
