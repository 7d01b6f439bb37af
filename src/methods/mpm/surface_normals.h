// Where the surfaces of bodies are at rest and which way they face, from the particles alone: a particle whose
// neighbours of the same body lie to one side is at the surface, and looks away from them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

struct SurfaceNormal {
    Vec3 normal = Vec3::Zero();  // outwards, of length 1; zero inside
    Real flatness = 0;           // 1 where all normals around are alike, near 0 at edges and corners
    Real curvature = 0;          // mean, where the surface curves away from its plane; never negative [1/m]
    bool is_surface() const { return flatness > 0; }
};

// Of all particles, with their places at rest.
std::vector<SurfaceNormal> surface_normals(const Model& model, const ParticleState& state, std::span<const Vec3> rest);

}  // namespace pliant
