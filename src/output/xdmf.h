// The XDMF list of a run's HDF5 frames: a temporal collection that ParaView opens as one animation.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pliant/output/particle_frame.h"

namespace pliant {

// What the list says about one frame's file.
struct XdmfFrame {
    std::filesystem::path file;  // of write_hdf5_particles; relative to the list's folder, or absolute
    double time = 0;             // s
    std::size_t particles = 0;
    bool has_material = false;
    bool has_deformation = false;
    std::vector<std::string> quantities;
};

XdmfFrame describe_for_xdmf(const std::filesystem::path& file, const ParticleFrame& frame);

// Rewrites the whole list, whole or not at all, so that ParaView can reload it while the run goes on.
void write_xdmf(const std::filesystem::path& path, std::span<const XdmfFrame> frames);

}  // namespace pliant
