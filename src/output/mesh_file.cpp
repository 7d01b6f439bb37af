#include "pliant/output/mesh_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <iterator>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"

namespace pliant {

namespace {

void check_corners(const TriangleMesh& mesh) {
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (const int corner : mesh.triangles[t]) {
            if (corner >= 0 && std::size_t(corner) < mesh.vertices.size()) continue;
            throw InputError(fmt::format("triangle {} of a mesh of {} vertices has corner {}; it cannot be written", t,
                                         mesh.vertices.size(), corner));
        }
    }
}

template <class Number>
void append(std::vector<std::byte>& bytes, const Number& number) {
    const auto* first = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), first, first + sizeof number);
}

std::vector<std::byte> as_ply(const TriangleMesh& mesh) {
    const std::string header = fmt::format(
        "ply\nformat binary_little_endian 1.0\ncomment pliant surface 1\nelement vertex {}\nproperty float x\n"
        "property float y\nproperty float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.vertices.size(), mesh.triangles.size());
    std::vector<std::byte> bytes;
    bytes.reserve(header.size() + 12 * mesh.vertices.size() + 13 * mesh.triangles.size());
    for (const char c : header) bytes.push_back(std::byte(c));
    for (const Vec3& x : mesh.vertices) {
        const Eigen::Vector3f single = x.cast<float>();
        for (Eigen::Index k = 0; k < 3; ++k) append(bytes, single[k]);
    }
    for (const auto& triangle : mesh.triangles) {
        append(bytes, std::uint8_t(3));
        for (const int corner : triangle) append(bytes, std::int32_t(corner));
    }
    return bytes;
}

std::vector<std::byte> as_obj(const TriangleMesh& mesh) {
    std::string text = "# pliant surface\n";
    for (const Vec3& x : mesh.vertices) {
        fmt::format_to(std::back_inserter(text), "v {:.9g} {:.9g} {:.9g}\n", x.x(), x.y(), x.z());
    }
    for (const auto& t : mesh.triangles) {
        fmt::format_to(std::back_inserter(text), "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    std::vector<std::byte> bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

struct MeshFormat {
    const char* extension;
    std::vector<std::byte> (*encode)(const TriangleMesh&);
};
constexpr MeshFormat mesh_formats[] = {{".ply", as_ply}, {".obj", as_obj}};

}  // namespace

std::vector<std::string> mesh_file_extensions() {
    std::vector<std::string> extensions;
    for (const MeshFormat& format : mesh_formats) extensions.emplace_back(format.extension);
    return extensions;
}

void write_mesh(const std::filesystem::path& path, const TriangleMesh& mesh) {
    check_corners(mesh);
    for (const MeshFormat& format : mesh_formats) {
        if (path.extension() == format.extension) return write_bytes_atomically(path, format.encode(mesh));
    }
    throw InputError(fmt::format("{}: meshes are written as {}; choose one of these extensions", path.string(),
                                 fmt::join(mesh_file_extensions(), " or ")));
}

}  // namespace pliant
