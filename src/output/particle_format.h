// The formats that particle frames are written in. Adding one is one file and one line in particle_formats().
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pliant/output/particle_frame.h"

namespace pliant {

struct ParticleFormat {
    std::string name;
    std::string extension;  // with the dot
    std::string help;       // one line: what opens it

    // Whole or not at all (base/atomic_file.h). Throws FileError, or InputError for a frame that is not consistent.
    std::function<void(const std::filesystem::path&, const ParticleFrame&)> write;

    // Throws FileError when the file cannot be opened and InputError when it does not hold what it should.
    std::function<ParticleFrame(const std::filesystem::path&)> read;
};

const std::vector<ParticleFormat>& particle_formats();

// Throws InputError that lists the formats there are.
const ParticleFormat& particle_format(const std::string& name);
const ParticleFormat& particle_format_of(const std::filesystem::path& path);  // by its extension

}  // namespace pliant
