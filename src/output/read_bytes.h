// A file's bytes, whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace pliant {

// Throws FileError when there is no such plain file or it cannot be read.
std::vector<std::byte> read_bytes(const std::filesystem::path& path);

}  // namespace pliant
