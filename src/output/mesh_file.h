// Triangle meshes as files: PLY (binary little endian) and OBJ (text), chosen by the extension.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/geometry/mesh.h"

namespace pliant {

// Whole or not at all. Throws InputError for an unknown extension or a triangle of corners that do not exist.
void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh);

std::vector<std::string> mesh_file_extensions();  // with the dot

}  // namespace pliant
