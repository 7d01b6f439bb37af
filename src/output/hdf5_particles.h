// Particles as HDF5, one file a frame, one dataset an array; xdmf.h makes the list by which ParaView opens a run.
#pragma once

#include <filesystem>

#include "pliant/output/particle_frame.h"

namespace pliant {

void write_hdf5_particles(const std::filesystem::path& path, const ParticleFrame& frame);
ParticleFrame read_hdf5_particles(const std::filesystem::path& path);

}  // namespace pliant
