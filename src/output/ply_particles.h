// Particles as PLY, binary little endian: a point cloud for Blender, Houdini, MeshLab and ParaView.
// The deformation gradient is written as F11, F12, ..., F33; time, frame and units stand in comments of the header.
#pragma once

#include <filesystem>

#include "pliant/output/particle_frame.h"

namespace pliant {

void write_ply_particles(const std::filesystem::path& path, const ParticleFrame& frame);
ParticleFrame read_ply_particles(const std::filesystem::path& path);

}  // namespace pliant
