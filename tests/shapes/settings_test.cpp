// What the settings of the shapes mean, and which are refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/shapes/shapes.h"

namespace pliant {
namespace {

const Real nan = std::numeric_limits<Real>::quiet_NaN();

Vec3 size_of(const ShapeSettings& settings) {
    return build_shape(settings, {})->bounds().sizes();
}

std::string problem_of(const ShapeSettings& settings, const ShapeContext& context = {}) {
    try {
        build_shape(settings, context);
    } catch (const InputError& problem) {
        return problem.what();
    }
    return "";
}

TEST(ShapeSettings, SizesAreWhatTheSceneSays) {
    EXPECT_LT((size_of(BoxShape{Vec3(0.2, 0.4, 0.6), 0.1}) - Vec3(0.2, 0.4, 0.6)).norm(), 1e-12);
    EXPECT_LT((size_of(SphereShape{0.1}) - Vec3(0.2, 0.2, 0.2)).norm(), 1e-12);
    EXPECT_LT((size_of(CapsuleShape{0.05, 0.3}) - Vec3(0.1, 0.3, 0.1)).norm(), 1e-12);
    EXPECT_LT((size_of(CylinderShape{0.1, 0.5}) - Vec3(0.2, 0.5, 0.2)).norm(), 1e-12);
    EXPECT_LT((size_of(ConeShape{0.1, 0.5}) - Vec3(0.2, 0.5, 0.2)).norm(), 1e-12);
    EXPECT_LT((size_of(TorusShape{0.1, 0.02}) - Vec3(0.24, 0.04, 0.24)).norm(), 1e-12);
}

TEST(ShapeSettings, ConeStandsOnItsBase) {
    const ShapePtr cone = build_shape(ConeShape{0.1, 0.2}, {});
    EXPECT_NEAR(cone->distance(Vec3(0, 0.1, 0)), 0, 1e-12);
    EXPECT_NEAR(cone->distance(Vec3(0.1, -0.1, 0)), 0, 1e-12);
    EXPECT_GT(cone->distance(Vec3(0.09, 0.09, 0)), 0.05);
    EXPECT_LT((cone->normal(Vec3(0.01, -0.3, 0)) - Vec3(0, -1, 0)).norm(), 1e-12);
    EXPECT_NEAR(cone->distance(Vec3(0, 0.3, 0)), 0.2, 1e-12);
}

// The axis of a cylinder is as far from the side as from anywhere on it; inside, the nearest of side and ends counts.
TEST(ShapeSettings, InsideDistancesAreExact) {
    const ShapePtr cylinder = build_shape(CylinderShape{0.1, 0.5}, {});
    EXPECT_NEAR(cylinder->distance(Vec3(0, 0, 0)), -0.1, 1e-12);
    EXPECT_NEAR(cylinder->distance(Vec3(0, 0.22, 0)), -0.03, 1e-12);
    const ShapePtr box = build_shape(BoxShape{Vec3(0.2, 0.4, 0.6), 0}, {});
    EXPECT_NEAR(box->distance(Vec3(0.05, 0.19, 0)), -0.01, 1e-12);
    EXPECT_NEAR(box->distance(Vec3(0.2, 0.3, 0.4)), std::sqrt(0.03), 1e-12);
}

TEST(ShapeSettings, PlaneLiesAtItsOffsetAlongAnyDirection) {
    const ShapePtr wall = build_shape(PlaneShape{Vec3(3, 0, 4), 0.5}, {});
    EXPECT_NEAR(wall->distance(Vec3(0.6, 7, 0.8)), 0.5, 1e-12);
    EXPECT_NEAR(wall->distance(Vec3(0, 0, 0)), -0.5, 1e-12);
    EXPECT_LT((wall->normal(Vec3(1, 2, 3)) - Vec3(0.6, 0, 0.8)).norm(), 1e-12);
}

TEST(ShapeSettings, ImpossibleSizesAreRefused) {
    for (const Real bad : {0.0, -1.0, nan, std::numeric_limits<Real>::infinity()}) {
        EXPECT_NE(problem_of(BoxShape{Vec3(1, bad, 1), 0}), "");
        EXPECT_NE(problem_of(SphereShape{bad}), "");
        EXPECT_NE(problem_of(CapsuleShape{bad, 1}), "");
        EXPECT_NE(problem_of(CapsuleShape{0.1, bad}), "");
        EXPECT_NE(problem_of(CylinderShape{0.1, bad}), "");
        EXPECT_NE(problem_of(ConeShape{bad, 0.1}), "");
        EXPECT_NE(problem_of(TorusShape{0.1, bad}), "");
        EXPECT_NE(problem_of(ModelShape{"gummy-bear", bad}), "");
    }
    EXPECT_NE(problem_of(BoxShape{Vec3(1, 1, 1), 0.6}), "");
    EXPECT_NE(problem_of(BoxShape{Vec3(1, 1, 1), nan}), "");
    EXPECT_NE(problem_of(PlaneShape{Vec3(0, 0, 0), 0}), "");
    EXPECT_NE(problem_of(PlaneShape{Vec3(0, 1, 0), nan}), "");
    EXPECT_EQ(problem_of(SphereShape{-1}), "sphere: the radius is -1 m; it must be above 0");
    EXPECT_EQ(problem_of(CapsuleShape{0.2, 0.3}),
              "capsule: the height of 0.3 m is less than twice the radius; make it at least 0.4 m");
    EXPECT_EQ(problem_of(TorusShape{0.1, 0.2}),
              "torus: the tube's radius of 0.2 m must be less than the ring's, 0.1 m");
}

TEST(ShapeSettings, LimitsAreShapesToo) {
    EXPECT_NEAR(build_shape(CapsuleShape{0.1, 0.2}, {})->surface(0.01).volume(), 4 * pi / 3 * 1e-3, 5e-5);
    EXPECT_NEAR(build_shape(BoxShape{Vec3(0.2, 0.2, 0.2), 0.1}, {})->surface(0.01).volume(), 4 * pi / 3 * 1e-3, 5e-5);
    EXPECT_GT(build_shape(SphereShape{1e-9}, {})->surface(1).volume(), 0);
    EXPECT_LT(build_shape(SphereShape{1e9}, {})->surface(1e-3).triangles.size(), 4'000'000u);
}

class MeshSettings : public testing::Test {
protected:
    void SetUp() override {
        context_.folder =
            std::filesystem::path(PLIANT_BINARY_DIR) / ("shapes_settings_test_" + std::to_string(getpid()));
        context_.resolution = 0.02;
        context_.warnings = &warnings_;
        std::filesystem::create_directories(context_.folder);
        write("brick.obj", 1);
        write("brick_in_millimetres.obj", 1000);
    }
    // A brick from (0, 0, 0) to (1, 0.5, 0.25), in the given units to a metre.
    void write(const std::string& name, Real units) {
        std::ofstream file(context_.folder / name);
        for (int corner = 0; corner < 8; ++corner) {
            file << "v " << (corner & 1 ? units : 0) << " " << (corner & 2 ? units / 2 : 0) << " "
                 << (corner & 4 ? units / 4 : 0) << "\n";
        }
        file << "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
    }
    Box bounds_of(const MeshShape& mesh) { return build_shape(mesh, context_)->bounds(); }
    MeshShape brick() const {
        MeshShape mesh;
        mesh.file = "brick.obj";
        return mesh;
    }
    std::vector<std::string> warnings_;
    ShapeContext context_;
};

TEST_F(MeshSettings, MeshIsCentredAndKeepsItsSize) {
    const Box box = bounds_of(brick());
    EXPECT_LT(box.center().norm(), 1e-6);
    EXPECT_LT((box.sizes() - Vec3(1, 0.5, 0.25)).norm(), 1e-6);
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(MeshSettings, HeightScalesEvenlyAndScaleMultiplies) {
    MeshShape tall = brick(), small = brick();
    tall.height = 1;
    small.scale = 0.5;
    EXPECT_LT((bounds_of(tall).sizes() - Vec3(2, 1, 0.5)).norm(), 1e-6);
    EXPECT_LT((bounds_of(small).sizes() - Vec3(0.5, 0.25, 0.125)).norm(), 1e-6);
    tall.scale = 1;
    EXPECT_EQ(problem_of(tall, context_), "brick.obj: give height or scale, not both");
}

TEST_F(MeshSettings, CentreCanBeLeftWhereItIs) {
    MeshShape mesh = brick();
    mesh.centre = false;
    EXPECT_LT(bounds_of(mesh).min().norm(), 1e-6);
}

TEST_F(MeshSettings, UpwardAxisIsTurnedToY) {
    MeshShape along_z = brick(), along_x = brick();
    along_z.up = "z";
    along_x.up = "x";
    EXPECT_LT((bounds_of(along_z).sizes() - Vec3(1, 0.25, 0.5)).norm(), 1e-6);
    EXPECT_LT((bounds_of(along_x).sizes() - Vec3(0.5, 1, 0.25)).norm(), 1e-6);
    EXPECT_GT(build_shape(along_z, context_)->surface(1).volume(), 0);  // turned, not mirrored
    EXPECT_GT(build_shape(along_x, context_)->surface(1).volume(), 0);
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(MeshSettings, MillimetresAreNoticed) {
    context_.resolution = 20;
    MeshShape mesh = brick();
    mesh.file = "brick_in_millimetres.obj";
    build_shape(mesh, context_);
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_NE(warnings_[0].find("set scale = 0.001"), std::string::npos);
    context_.resolution = 0.02;
    warnings_.clear();
    mesh.scale = 0.001;
    build_shape(mesh, context_);
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(MeshSettings, PartsThinnerThanTheResolutionAreMissed) {
    context_.resolution = 0.4;
    build_shape(brick(), context_);
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_NE(warnings_[0].find("thinner than the resolution"), std::string::npos) << warnings_[0];
}

TEST_F(MeshSettings, RepairsAreTold) {
    TriangleMesh ball = build_shape(SphereShape{0.3}, context_)->surface(0.05);
    ball.triangles.pop_back();
    std::ofstream file(context_.folder / "open.obj");
    for (const Vec3& x : ball.vertices) file << "v " << x.x() << ' ' << x.y() << ' ' << x.z() << '\n';
    for (const auto& [a, b, c] : ball.triangles) file << "f " << a + 1 << ' ' << b + 1 << ' ' << c + 1 << '\n';
    file.close();
    MeshShape mesh;
    mesh.file = "open.obj";
    const ShapePtr shape = build_shape(mesh, context_);
    ASSERT_FALSE(warnings_.empty());
    EXPECT_EQ(warnings_[0].find("open.obj: The mesh is open at 3 edges"), 0u) << warnings_[0];
    EXPECT_NEAR(shape->surface(0.02).volume(), 4 * pi / 3 * 0.027, 0.006);
}

TEST_F(MeshSettings, ProblemsNameTheFile) {
    MeshShape absent, sheet;
    absent.file = "absent.obj";
    sheet.file = "sheet.obj";
    std::ofstream(context_.folder / "sheet.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    EXPECT_NE(problem_of(absent, context_).find((context_.folder / "absent.obj").string()), std::string::npos);
    EXPECT_NE(problem_of(sheet, context_).find((context_.folder / "sheet.obj").string()), std::string::npos);
    EXPECT_NE(problem_of(MeshShape{}, context_), "");
}

TEST(ModelSettings, HeightIsTheExtentAlongY) {
    ShapeContext context;
    context.resolution = 0.01;
    const ShapePtr bear = build_shape(ModelShape{"gummy-bear", 0.3}, context);
    EXPECT_NEAR(bear->bounds().sizes().y(), 0.3, 1e-9);
    EXPECT_LT(bear->bounds().center().norm(), 1e-9);
    EXPECT_NE(problem_of(ModelShape{"no such thing", 0.3}), "");
}

}  // namespace
}  // namespace pliant
