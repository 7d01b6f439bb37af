// Any bytes, read as any mesh format, are a mesh in which every number can be trusted, or an InputError.
// The first byte picks the format. Small meshes go on through the report and the repair.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "pliant/base/error.h"
#include "pliant/geometry/mesh_import.h"
#include "pliant/geometry/mesh_repair.h"
#include "pliant/geometry/mesh_report.h"

using namespace pliant;

namespace {

void demand(bool holds) {
    if (!holds) std::abort();
}

void check(const TriangleMesh& mesh) {
    demand(!mesh.triangles.empty());
    for (const Vec3& x : mesh.vertices) demand(x.allFinite());
    for (const auto& [a, b, c] : mesh.triangles) {
        for (const int v : {a, b, c}) demand(v >= 0 && v < static_cast<int>(mesh.vertices.size()));
        demand(a != b && b != c && c != a);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const auto& extensions = mesh_extensions();
    try {
        const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
        const TriangleMesh mesh = read_mesh_from_memory(bytes, extensions[data[0] % extensions.size()]);
        check(mesh);
        if (mesh.triangles.size() > 50) return 0;
        demand(!inspect(mesh).sentences().empty());
        const Real size_of_mesh = mesh.bounds().diagonal().norm();
        check(repaired(mesh, size_of_mesh / 16).mesh);
    } catch (const InputError&) {
    }
    return 0;
}
