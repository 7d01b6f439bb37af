// Where the rigid bodies of a run stood, a file a frame, and their surfaces there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/geometry/mesh.h"
#include "pliant/methods/model.h"
#include "pliant/run/run_folder.h"

namespace pliant {

// As JSON, a body a row: { "name": ..., "position": [x, y, z], "rotation": [x, y, z, w] }. Positions are of the shape's
// origin. Whole or not at all.
void write_rigid_poses(const std::filesystem::path& file, const Model& model, const std::vector<Placement>& poses);

// InputError if the file is damaged or holds another number of bodies.
std::vector<Placement> read_rigid_poses(const std::filesystem::path& file, const Model& model);

// Where they stand in a frame; at their start if the frame does not say.
std::vector<Placement> rigid_poses_of(const RunFolder& folder, int frame, const Model& model);

TriangleMesh rigid_surface(const RigidModel& rigid);  // in its own space
TriangleMesh placed_mesh(TriangleMesh mesh, const Placement& place);

// The surfaces of all rigid bodies in all frames as meshes, NAME_00012.ply; nothing without rigid bodies.
void export_rigid_meshes(const RunFolder& folder, const std::filesystem::path& output);

}  // namespace pliant
