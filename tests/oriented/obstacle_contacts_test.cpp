#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "oriented/rigs.h"
#include "pliant/math/rotation_vector.h"

namespace pliant {
namespace {

// A flat ellipsoid falls along -u onto an obstacle around the origin, whose surface is `height` away along u, and comes
// to rest there: at its support height, nowhere else, and not turned, because the normal is u.
void expect_rest(const ShapeSettings& shape, const Vec3& u, Real height, Real tolerance) {
    SCOPED_TRACE(testing::Message() << "shape " << shape.index() << ", from " << u.transpose());
    OrientedWorld world;
    world.model.gravity = -9.81 * u;
    const Vec3 radii(0.06, 0.03, 0.05);
    const Quat turn = Quat::FromTwoVectors(Vec3::UnitY(), u);
    world.add(lone_rig(radii), (height + 0.04) * u, turn);
    ColliderSettings settings;
    settings.shape = shape;
    settings.friction = 0.5;
    ShapeContext context;
    context.folder = std::filesystem::temp_directory_path();
    context.resolution = 0.005;
    world.model.colliders.emplace_back(settings, context);
    OrientedSettings method;
    method.iterations = 2;
    world.start(method);
    world.run(0.5, 1.0 / 240);
    const Vec3 x = world.state.position[0];
    EXPECT_NEAR(x.dot(u), height + 0.03, tolerance);
    EXPECT_LT((x - x.dot(u) * u).norm(), tolerance);
    EXPECT_LT(vector_from_rotation(world.state.orientation[0] * turn.conjugate()).norm(), 20 * tolerance);
}

TEST(ObstacleContacts, AnEllipsoidRestsOnEverySideOfABox) {
    const Vec3 size(0.5, 0.4, 0.6);
    for (int axis = 0; axis < 3; ++axis) {
        for (const Real side : {-1.0, 1.0}) {
            expect_rest(BoxShape{size, 0}, side * Vec3(Vec3::Unit(axis)), size[axis] / 2, 1e-4);
        }
    }
}

TEST(ObstacleContacts, AnEllipsoidRestsOnACylinder) {
    for (const Vec3& u : {Vec3(0, 1, 0), Vec3(0, -1, 0)}) expect_rest(CylinderShape{0.3, 0.4}, u, 0.2, 1e-4);
    for (const Vec3& u : {Vec3(1, 0, 0), Vec3(0.6, 0, -0.8)}) expect_rest(CylinderShape{0.3, 0.4}, u, 0.3, 1e-3);
}

TEST(ObstacleContacts, AnEllipsoidRestsOnACapsule) {
    for (const Vec3& u : {Vec3(0, 1, 0), Vec3(0, -1, 0)}) expect_rest(CapsuleShape{0.3, 1}, u, 0.5, 1e-3);
    for (const Vec3& u : {Vec3(1, 0, 0), Vec3(0.6, 0, -0.8)}) expect_rest(CapsuleShape{0.3, 1}, u, 0.3, 1e-3);
}

TEST(ObstacleContacts, AnEllipsoidRestsOnAMesh) {
    const auto file = std::filesystem::temp_directory_path() / "pliant_obstacle_test.obj";
    std::ofstream out(file);
    for (int k = 0; k < 8; ++k)
        out << "v " << (k & 1 ? 0.25 : -0.25) << ' ' << (k & 2 ? 0.2 : -0.2) << ' ' << (k & 4 ? 0.3 : -0.3) << '\n';
    out << "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    out.close();
    MeshShape mesh;
    mesh.file = file.string();
    const Vec3 half(0.25, 0.2, 0.3);
    for (int axis = 0; axis < 3; ++axis) {
        for (const Real side : {-1.0, 1.0}) expect_rest(mesh, side * Vec3(Vec3::Unit(axis)), half[axis], 1e-3);
    }
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace pliant
