#include "pliant/geometry/mesh.h"

#include <gtest/gtest.h>

#include "geometry/mesh_samples.h"

namespace pliant {
namespace {

using samples::box_mesh;

TEST(Mesh, BoxHasItsVolumeAreaAndBounds) {
    const TriangleMesh mesh = box_mesh(Vec3(1, 2, 3));
    EXPECT_NEAR(mesh.volume(), 48, 1e-12);
    EXPECT_NEAR(mesh.area(), 2 * (8 + 12 + 24), 1e-12);
    EXPECT_EQ(mesh.bounds().min(), Vec3(-1, -2, -3));
    EXPECT_EQ(mesh.bounds().max(), Vec3(1, 2, 3));
}

TEST(Mesh, InsideOutHasNegativeVolume) {
    EXPECT_NEAR(samples::inside_out(box_mesh(Vec3(1, 1, 1))).volume(), -8, 1e-12);
}

TEST(Mesh, VolumeDoesNotSufferFarFromTheOrigin) {
    EXPECT_NEAR(box_mesh(Vec3(1, 1, 1), Vec3(1e7, -1e7, 1e7)).volume(), 8, 1e-6);
}

TEST(Mesh, SphereApproachesTheBall) {
    const TriangleMesh mesh = samples::sphere_mesh(0.5, 64);
    EXPECT_NEAR(mesh.volume(), 4 * pi / 3 / 8, 1e-3);
    EXPECT_NEAR(mesh.area(), pi, 4e-3);
}

// Angle weights make a cube's corner normal its diagonal, however the faces are cut into triangles.
TEST(Mesh, CornerNormalsOfACubePointAlongTheDiagonals) {
    const TriangleMesh mesh = box_mesh(Vec3(1, 1, 1));
    const std::vector<Vec3> normals = mesh.vertex_normals();
    for (std::size_t v = 0; v < normals.size(); ++v) {
        EXPECT_LT((normals[v] - mesh.vertices[v].normalized()).norm(), 1e-12);
    }
}

TEST(Mesh, LoneCornersAndFlatTrianglesHaveNoNormal) {
    TriangleMesh mesh;
    mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(5, 5, 5)};
    mesh.triangles = {{0, 1, 2}};
    for (const Vec3& normal : mesh.vertex_normals()) EXPECT_EQ(normal, Vec3(0, 0, 0));
}

TEST(Mesh, EmptyMeshHasNothing) {
    const TriangleMesh mesh;
    EXPECT_EQ(mesh.volume(), 0);
    EXPECT_EQ(mesh.area(), 0);
    EXPECT_TRUE(mesh.bounds().isEmpty());
    EXPECT_TRUE(mesh.vertex_normals().empty());
}

}  // namespace
}  // namespace pliant
