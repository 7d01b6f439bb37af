#include "pliant/output/read_bytes.h"

#include <fmt/core.h>

#include <fstream>

#include "pliant/base/error.h"

namespace pliant {

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        throw FileError(fmt::format("cannot read {}: there is no such file; check the name", path.string()));
    }
    std::vector<std::byte> bytes(std::filesystem::file_size(path, error));
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (error || !file) {
        throw FileError(
            fmt::format("cannot read {}: reading fails; check its permissions and the disk", path.string()));
    }
    return bytes;
}

}  // namespace pliant
