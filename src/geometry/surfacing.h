// A smooth surface around particles: a level set of balls that is closed over the gaps between them, smoothed, and cut
// into triangles (OpenVDB). For pictures and files; the simulation does not see it.
#pragma once

#include <Eigen/Core>
#include <span>

#include "pliant/geometry/mesh.h"

namespace pliant {

struct SurfacingSettings {
    Real voxel = 0;       // size of a grid cell [m]; 0: half the mean radius
    Real closing = 2;     // gaps up to about this many radii wide are filled; 1: none, the balls as they are
    int smoothing = 3;    // passes of a Gaussian filter, one voxel wide
    Real adaptivity = 0;  // 0..1: larger triangles where the surface is flat
};

// The surface lies about one radius outside of the outermost centres. Left out are particles without a finite position
// or a positive radius, and those farther than a million voxels from the median. Empty without particles.
// Balls thinner than 1.5 voxels are drawn that thick; the voxel is coarsened where the balls would fill some hundred
// million of them. The same bits at any number of threads.
TriangleMesh particle_surface(std::span<const Eigen::Vector3f> positions, std::span<const float> radii,
                              const SurfacingSettings& settings = {});

}  // namespace pliant
