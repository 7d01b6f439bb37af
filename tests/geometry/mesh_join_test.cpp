#include "pliant/geometry/mesh_join.h"

#include <gtest/gtest.h>

#include "geometry/mesh_samples.h"
#include "pliant/geometry/mesh_report.h"

namespace pliant {
namespace {

// Every triangle with corners of its own, as an STL file has them, each moved by up to `jitter`.
TriangleMesh torn(const TriangleMesh& mesh, Real jitter = 0) {
    TriangleMesh result;
    samples::Points random(jitter);
    for (const auto& triangle : mesh.triangles) {
        const int first = static_cast<int>(result.vertices.size());
        for (const int v : triangle) result.vertices.push_back(mesh.vertices[v] + random.next());
        result.triangles.push_back({first, first + 1, first + 2});
    }
    return result;
}

TEST(MeshJoin, TornSphereIsClosedAgain) {
    const TriangleMesh sphere = samples::sphere_mesh(1, 10);
    const TriangleMesh again = joined(torn(sphere));
    EXPECT_EQ(again.vertices.size(), sphere.vertices.size());
    EXPECT_EQ(again.triangles.size(), sphere.triangles.size());
    EXPECT_TRUE(inspect(again).is_solid());
}

TEST(MeshJoin, ToleranceBridgesRounding) {
    const TriangleMesh sphere = samples::sphere_mesh(1, 10);
    const TriangleMesh shaken = torn(sphere, 1e-8);
    EXPECT_FALSE(inspect(joined(shaken)).is_closed());
    EXPECT_TRUE(inspect(joined(shaken, 1e-6)).is_solid());
    EXPECT_EQ(joined(shaken, 1e-6).vertices.size(), sphere.vertices.size());
}

TEST(MeshJoin, PlusAndMinusZeroAreOnePlace) {
    TriangleMesh mesh;
    mesh.vertices = {Vec3(0.0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-0.0, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
    EXPECT_EQ(joined(mesh).vertices.size(), 4u);
}

TEST(MeshJoin, TrianglesThatUseACornerTwiceAreDroppedAndSliversStay) {
    TriangleMesh mesh;
    mesh.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(0, 0, 0)};
    mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {1, 1, 2}};
    const TriangleMesh result = joined(mesh);
    ASSERT_EQ(result.triangles.size(), 1u);
    EXPECT_EQ(result.vertices.size(), 3u);
}

TEST(MeshJoin, EmptyStaysEmpty) {
    EXPECT_TRUE(joined(TriangleMesh{}).triangles.empty());
    EXPECT_TRUE(joined(TriangleMesh{}, 0.1).vertices.empty());
}

}  // namespace
}  // namespace pliant
