#include "pliant/geometry/mesh_repair.h"

#include <fmt/core.h>

#include <cstdint>

#include "pliant/base/error.h"
#include "pliant/geometry/mesh_edges.h"
#include "pliant/geometry/mesh_join.h"
#include "pliant/geometry/mesh_orient.h"
#include "pliant/geometry/mesh_rebuild.h"
#include "pliant/geometry/mesh_report.h"

namespace pliant {
namespace {

// Corners closer than a millionth of the mesh are meant to be one.
void join_seams(RepairedMesh& repair) {
    const Real tolerance = 1e-6 * repair.mesh.bounds().diagonal().norm();
    TriangleMesh joint = joined(repair.mesh, tolerance);
    if (joint.triangles.empty()) return;
    const std::size_t before = joined(repair.mesh).vertices.size(), after = joint.vertices.size();
    if (after < before)
        repair.done.push_back(fmt::format("Joined corners closer than {:.2g} m: {} fewer.", tolerance, before - after));
    repair.mesh = std::move(joint);
}

void turn_sides(RepairedMesh& repair) {
    const int turned = orient_consistently(repair.mesh);
    if (turned > 0)
        repair.done.push_back(fmt::format("Turned {} triangles to face the same way as their neighbours.", turned));
    const int outward = turn_outward(repair.mesh);
    if (outward > 0) repair.done.push_back(fmt::format("Turned {} triangles that faced inward.", outward));
}

// A few crossings in a closed mesh do no harm: the distance is wrong only beside them.
bool can_stay(const MeshReport& report) {
    const bool few_crossings = 1000 * std::int64_t(report.crossing_triangles) <= report.triangles;
    return report.triangles > 0 && report.is_closed() && report.misoriented_edges == 0 && report.volume > 0 &&
           few_crossings;
}

// More than a film around the triangles?
bool holds_enough(const TriangleMesh& rebuilt, Real area, Real voxel) {
    return !rebuilt.triangles.empty() && rebuilt.volume() > 0.1 * area * voxel;
}

std::string reason(const MeshReport& report) {
    if (!report.is_closed()) return fmt::format("open at {} edges", report.boundary_edges);
    if (report.misoriented_edges > 0)
        return fmt::format("undecided about its inside at {} edges", report.misoriented_edges);
    return "cutting through itself";
}

TriangleMesh rebuilt(TriangleMesh mesh, const MeshReport& report, Real voxel, std::vector<std::string>& done) {
    const char* sentence = "The mesh is {}: its surface was rebuilt with voxels of {:.3g} m{}.";
    for (const bool turned_around : {false, true}) {
        if (turned_around) turn_all(mesh);
        if (share_facing_out(mesh) < 0.95) continue;
        TriangleMesh result = rebuilt_by_winding(mesh, voxel);
        if (!holds_enough(result, report.area, voxel)) continue;
        done.push_back(fmt::format(fmt::runtime(sentence), reason(report), voxel, ", holes closed by a smooth sheet"));
        return result;
    }
    const Real widest = report.bounds.diagonal().norm() / 10;
    for (Real gap = 1.5 * voxel; gap <= widest; gap *= 2) {
        TriangleMesh result = rebuilt_by_flooding(mesh, voxel, gap);
        if (!holds_enough(result, report.area, voxel)) continue;
        done.push_back(fmt::format(fmt::runtime(sentence), reason(report), voxel,
                                   fmt::format(", gaps up to {:.2g} m closed", 2 * gap)));
        return result;
    }
    throw InputError(fmt::format(
        "the mesh is {} and holds nothing thicker than {:.2g} m: it is a sheet, or its holes are as large as "
        "itself; close it in a modelling program, give it thickness, or use a finer resolution",
        reason(report), voxel));
}

}  // namespace

RepairedMesh repaired(const TriangleMesh& mesh, Real voxel) {
    RepairedMesh repair{mesh, {}};
    MeshReport report = inspect(mesh);
    if (report.is_solid() && report.components == 1) return repair;
    if (mesh.triangles.empty()) throw InputError("the mesh has no triangles");
    if (!report.is_closed()) join_seams(repair);
    turn_sides(repair);
    report = inspect(repair.mesh);
    if (!can_stay(report)) repair.mesh = rebuilt(std::move(repair.mesh), report, voxel, repair.done);
    return repair;
}

}  // namespace pliant
