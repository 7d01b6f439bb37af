// Reading triangle meshes from files: positions and triangles only, all parts of the file merged into one mesh.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pliant/geometry/mesh.h"

namespace pliant {

// What can be read, in lower case and without the dot: "obj", "ply", ...
const std::vector<std::string>& mesh_extensions();

// Parts stand where the file's scene places them, polygons are cut into triangles, corners at the same place are
// joined, triangles that use a corner twice are dropped. Whatever is wrong with the file is an InputError that names
// it.
TriangleMesh read_mesh(const std::filesystem::path& path);

// The same from bytes. `extension` tells the format as in a file name; formats that refer to other files cannot.
TriangleMesh read_mesh_from_memory(std::span<const std::byte> bytes, const std::string& extension);

}  // namespace pliant
