#include "pliant/run/rigid_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"
#include "pliant/output/mesh_file.h"
#include "pliant/scene/build.h"
#include "pliant/scene/scene_file.h"

namespace pliant {
namespace {

using nlohmann::ordered_json;

// A name that files can have.
std::string file_name(const RigidModel& rigid, std::size_t number) {
    const bool is_plain = std::all_of(rigid.name.begin(), rigid.name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
    return is_plain && !rigid.name.empty() ? rigid.name : fmt::format("rigid{}", number + 1);
}

Placement placement_from(const ordered_json& row) {
    const auto x = row.at("position").get<std::vector<double>>(), q = row.at("rotation").get<std::vector<double>>();
    return {Vec3(x.at(0), x.at(1), x.at(2)), Quat(q.at(3), q.at(0), q.at(1), q.at(2)).normalized()};
}

}  // namespace

void write_rigid_poses(const std::filesystem::path& file, const Model& model, const std::vector<Placement>& poses) {
    ordered_json rows = ordered_json::array();
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const Vec3& x = poses[i].position;
        const Quat& q = poses[i].rotation;
        rows.push_back({{"name", model.rigids.at(i).name},
                        {"position", {x.x(), x.y(), x.z()}},
                        {"rotation", {q.x(), q.y(), q.z(), q.w()}}});
    }
    write_text_atomically(file, rows.dump(1) + "\n");
}

std::vector<Placement> read_rigid_poses(const std::filesystem::path& file, const Model& model) {
    std::vector<Placement> poses;
    try {
        std::ifstream stream(file);
        for (const ordered_json& row : ordered_json::parse(stream)) poses.push_back(placement_from(row));
    } catch (const std::exception&) {
        throw InputError(fmt::format("{}: is damaged; run the scene again", file.string()));
    }
    if (poses.size() != model.rigids.size()) {
        throw InputError(fmt::format("{}: holds {} rigid bodies and the scene {}", file.string(), poses.size(),
                                     model.rigids.size()));
    }
    return poses;
}

std::vector<Placement> rigid_poses_of(const RunFolder& folder, int frame, const Model& model) {
    if (!model.rigids.empty() && std::filesystem::exists(folder.rigid_frame(frame))) {
        return read_rigid_poses(folder.rigid_frame(frame), model);
    }
    std::vector<Placement> poses;
    for (const RigidModel& rigid : model.rigids) poses.push_back(rigid.place);
    return poses;
}

TriangleMesh rigid_surface(const RigidModel& rigid) {
    return rigid.shape->surface(0.02 * rigid.shape->bounds().diagonal().norm());
}

TriangleMesh placed_mesh(TriangleMesh mesh, const Placement& place) {
    for (Vec3& x : mesh.vertices) x = place.to_world(x);
    return mesh;
}

void export_rigid_meshes(const RunFolder& folder, const std::filesystem::path& output) {
    const Scene scene = read_scene(folder.scene());
    if (scene.rigids.empty()) return;
    std::vector<std::string> ignored;
    const Model model = build_model(scene, ignored);
    for (std::size_t i = 0; i < model.rigids.size(); ++i) {
        const TriangleMesh mesh = rigid_surface(model.rigids[i]);
        for (const auto& frame : folder.frame_files()) {
            const Placement place = rigid_poses_of(folder, frame.number, model)[i];
            write_mesh(output / fmt::format("{}_{:05}.ply", file_name(model.rigids[i], i), frame.number),
                       placed_mesh(mesh, place));
        }
    }
}

}  // namespace pliant
