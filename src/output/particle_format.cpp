#include "pliant/output/particle_format.h"

#include <fmt/core.h>

#include "pliant/base/error.h"
#include "pliant/output/hdf5_particles.h"
#include "pliant/output/ply_particles.h"

namespace pliant {

const std::vector<ParticleFormat>& particle_formats() {
    static const std::vector<ParticleFormat> formats = {
        {"ply", ".ply", "point cloud for Blender, Houdini, MeshLab and ParaView", write_ply_particles,
         read_ply_particles},
        {"hdf5", ".h5", "arrays for Python, and with its .xdmf list for ParaView", write_hdf5_particles,
         read_hdf5_particles},
    };
    return formats;
}

namespace {

template <class IsIt>
const ParticleFormat& find_format(const std::string& wanted, IsIt&& is_it) {
    std::string known;
    for (const ParticleFormat& format : particle_formats()) {
        if (is_it(format)) return format;
        known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", format.name, format.extension);
    }
    throw InputError(fmt::format("no particle format is called `{}`; there are {}", wanted, known));
}

}  // namespace

const ParticleFormat& particle_format(const std::string& name) {
    return find_format(name, [&](const ParticleFormat& format) { return format.name == name; });
}

const ParticleFormat& particle_format_of(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    return find_format(extension, [&](const ParticleFormat& format) { return format.extension == extension; });
}

}  // namespace pliant
