#include "pliant/shapes/mesh_shape.h"

#include <algorithm>

#include "pliant/geometry/grid_shape.h"
#include "pliant/geometry/mesh_import.h"
#include "pliant/geometry/mesh_repair.h"
#include "pliant/geometry/mesh_report.h"
#include "pliant/shapes/require.h"

namespace pliant {
namespace {

Vec3 with_y_up(const Vec3& x, const std::string& up) {
    if (up == "z") return Vec3(x.x(), x.z(), -x.y());
    if (up == "x") return Vec3(-x.y(), x.x(), x.z());
    return x;
}

// Turned, scaled and moved as the settings say.
TriangleMesh arranged(TriangleMesh mesh, const MeshShape& settings, const std::string& path) {
    for (Vec3& x : mesh.vertices) x = with_y_up(x, settings.up);
    const Real tall = mesh.bounds().sizes().y();
    require(!settings.height || tall > 0,
            fmt::format("{}: the mesh is flat along y and cannot have a height; use scale instead", path));
    const Real factor = settings.height ? *settings.height / tall : settings.scale.value_or(1);
    const Vec3 middle = settings.centre ? Vec3(mesh.bounds().center()) : Vec3(Vec3::Zero());
    for (Vec3& x : mesh.vertices) x = factor * (x - middle);
    return mesh;
}

// Fine enough to look like the mesh, and no finer than anyone could see.
Real repair_voxel(const TriangleMesh& mesh, Real resolution) {
    const Real diagonal = mesh.bounds().diagonal().norm();
    return std::clamp(resolution / 2, diagonal / 400, diagonal / 120);
}

}  // namespace

const FieldTable& MeshShape::fields() {
    static const FieldTable table = {
        field("mesh", &MeshShape::file, "", "file of triangles: obj, ply, stl, gltf, ...").required(),
        field("height", &MeshShape::height, "m", "scale the mesh to this height along y").above(0),
        field("scale", &MeshShape::scale, "m", "metres to a unit of the file, instead of height; 1 if neither")
            .above(0),
        field("centre", &MeshShape::centre, "", "move the middle of the bounding box to the origin"),
        field("up", &MeshShape::up, "", "axis of the file that points up").one_of({"x", "y", "z"}),
    };
    return table;
}

ShapePtr MeshShape::build(const ShapeContext& context) const {
    require(!file.empty(), "mesh: the name of a file is missing");
    require(!(height && scale), fmt::format("{}: give height or scale, not both", file));
    if (height) require_positive(kind, "height", *height);
    if (scale) require_positive(kind, "scale", *scale);
    const std::filesystem::path path = context.folder / file;
    const TriangleMesh mesh = arranged(read_mesh(path), *this, path.string());
    const auto warn = [&](const std::string& sentence) { context.warn(fmt::format("{}: {}", file, sentence)); };
    if (!height && !scale && inspect(mesh).looks_like_millimetres()) {
        warn(fmt::format("it is {:.3g} m across, which looks like millimetres: set scale = 0.001",
                         mesh.bounds().diagonal().norm()));
    }
    const Real voxel = context.voxel_for(mesh.bounds());
    try {
        const RepairedMesh repair = repaired(mesh, repair_voxel(mesh, voxel));
        for (const std::string& sentence : repair.done) warn(sentence);
        DistanceGrid grid = distance_grid(repair.mesh, GridLayout::around(repair.mesh.bounds(), voxel));
        const Real lost = 1 - grid.volume() / repair.mesh.volume();
        if (lost > 0.1) {
            warn(fmt::format(
                "{:.0f} % of its volume is thinner than the resolution of {:.3g} m and lost; use a finer one",
                100 * lost, voxel));
        }
        return mesh_solid(repair.mesh, std::move(grid));
    } catch (const InputError& problem) {
        throw InputError(fmt::format("{}: {}", path.string(), problem.what()));
    }
}

}  // namespace pliant
