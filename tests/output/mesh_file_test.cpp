#include "pliant/output/mesh_file.h"

#include <gtest/gtest.h>

#include "output/scratch_folder.h"
#include "pliant/base/error.h"
#include "pliant/geometry/mesh_import.h"

namespace pliant {
namespace {

TriangleMesh tetrahedron() {
    return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

TEST(MeshFiles, HoldTheMesh) {
    const ScratchFolder folder;
    for (const std::string& extension : mesh_file_extensions()) {
        write_mesh(folder / ("mesh" + extension), tetrahedron());
        const TriangleMesh read = read_mesh(folder / ("mesh" + extension));
        EXPECT_EQ(read.vertices.size(), 4u) << extension;
        EXPECT_EQ(read.triangles.size(), 4u) << extension;
        EXPECT_NEAR(read.volume(), 0.1 / 6, 1e-8) << extension;
    }
}

TEST(MeshFiles, MayHoldNothing) {
    const ScratchFolder folder;
    for (const std::string& extension : mesh_file_extensions()) {
        write_mesh(folder / ("mesh" + extension), {});
        EXPECT_GT(file_text(folder / ("mesh" + extension)).size(), 0u);
    }
}

TEST(MeshFiles, AreRefusedForUnknownExtensionsAndBrokenMeshes) {
    const ScratchFolder folder;
    EXPECT_THROW(write_mesh(folder / "mesh.stl", tetrahedron()), InputError);
    TriangleMesh broken = tetrahedron();
    broken.triangles[2][1] = 4;
    EXPECT_THROW(write_mesh(folder / "mesh.ply", broken), InputError);
    broken.triangles[2][1] = -1;
    EXPECT_THROW(write_mesh(folder / "mesh.obj", broken), InputError);
    EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace pliant
