// A smooth surface around particles, after [Zhu05]: the zero level of
//     phi(x) = |x - x_mean| - a r_mean,
// where x_mean and r_mean are averages over the particles near x with weights (1 - |x - x_i|^2 / R_i^2)^3. Our a makes
// up for the mean of a body's particles lying deeper than those at its surface; for a lone particle it is 1, as in the
// paper. For pictures and files; the simulation does not see it.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "pliant/geometry/mesh.h"

namespace pliant {

struct SurfacingSettings {
    Real voxel = 0;      // size of a grid cell [m]; 0: 0.7 of the mean radius
    Real reach = 5;      // R_i in radii: gaps up to about this wide are bridged, and bumps smaller than it are smoothed
    int smoothing = 12;  // passes over the triangles that even out what bumps remain, without shrinking
    Real adaptivity = 0;  // 0..1: larger triangles where the surface is flat
};

// The surface lies about one radius outside of the outermost centres; a lone particle becomes a ball. Left out are
// particles without a finite position or a positive radius, and those farther than a million voxels from the median.
// Radii above four times the mean count as that. The voxel is made coarser where the particles would fill more than
// some hundred million. Empty without particles. The same bits at any number of threads.
TriangleMesh particle_surface(std::span<const Eigen::Vector3f> positions, std::span<const float> radii,
                              const SurfacingSettings& settings = {});

// What particles carry (a colour, say), averaged with the weights above at points near them; zero where there are none.
std::vector<Eigen::Vector3f> blend_particle_values(std::span<const Vec3> points,
                                                   std::span<const Eigen::Vector3f> positions,
                                                   std::span<const float> radii,
                                                   std::span<const Eigen::Vector3f> values,
                                                   const SurfacingSettings& settings = {});

}  // namespace pliant
