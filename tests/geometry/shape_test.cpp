#include "pliant/geometry/shape.h"

#include <gtest/gtest.h>

#include <limits>

#include "geometry/mesh_samples.h"
#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh_report.h"

namespace pliant {
namespace {

// Knows only its distance, so that everything else is the default.
class Ball : public Shape {
public:
    explicit Ball(Real radius) : radius_(radius) {}
    Real distance(const Vec3& x) const override { return x.norm() - radius_; }
    Box bounds() const override { return Box(Vec3::Constant(-radius_), Vec3::Constant(radius_)); }

private:
    Real radius_;
};

class Floor : public Shape {
public:
    Real distance(const Vec3& x) const override { return x.y(); }
    bool is_bounded() const override { return false; }
    Box bounds() const override {
        return Box(Vec3::Constant(-std::numeric_limits<Real>::infinity()),
                   Vec3::Constant(std::numeric_limits<Real>::infinity()));
    }
};

// Two balls that touch in one point, and a thin plate: where surfaces come close, closedness is at risk.
class BallsAndPlate : public Shape {
public:
    Real distance(const Vec3& x) const override {
        const Real balls = std::min((x - Vec3(0.5, 0, 0)).norm(), (x + Vec3(0.5, 0, 0)).norm()) - 0.5;
        return std::min(balls, samples::box_distance(x - Vec3(0, 0.7, 0), Vec3(1, 0.03, 0.5)));
    }
    Box bounds() const override { return Box(Vec3(-1, -0.5, -0.5), Vec3(1, 0.73, 0.5)); }
};

TEST(Shape, DefaultNormalIsTheGradient) {
    const Ball ball(0.3);
    samples::Points random(1);
    for (int i = 0; i < 100; ++i) {
        const Vec3 x = random.next();
        EXPECT_LT((ball.normal(x) - x.normalized()).norm(), 1e-6);
    }
    EXPECT_LT((ball.normal(Vec3(1e5, 2e5, 0)) - Vec3(1, 2, 0).normalized()).norm(), 1e-5);
    EXPECT_EQ(Floor().normal(Vec3(3, -4, 5)), Vec3(0, 1, 0));
}

TEST(Shape, DefaultNormalHasUnitLengthEvenWhereThereIsNone) {
    const Ball ball(0.3);
    EXPECT_NEAR(ball.normal(Vec3(0, 0, 0)).norm(), 1, 1e-12);
    EXPECT_EQ(ball.normal(Vec3::Constant(std::numeric_limits<Real>::quiet_NaN())), Vec3(0, 1, 0));
}

TEST(ShapeSurface, DefaultSurfaceOfABallIsClosedOutwardAndOnTheBall) {
    const TriangleMesh mesh = Ball(0.5).surface(0.05);
    const MeshReport report = inspect(mesh);
    EXPECT_TRUE(report.is_solid());
    EXPECT_EQ(report.components, 1);
    EXPECT_NEAR(report.volume, 4 * pi / 3 / 8, 0.01);
    for (const Vec3& x : mesh.vertices) EXPECT_NEAR(x.norm(), 0.5, 1e-6);
}

TEST(ShapeSurface, CloseSurfacesStayClosed) {
    for (const Real resolution : {0.05, 0.037, 0.11}) {
        const MeshReport report = inspect(BallsAndPlate().surface(resolution));
        EXPECT_EQ(report.boundary_edges, 0) << resolution;
        EXPECT_EQ(report.misoriented_edges, 0) << resolution;
        EXPECT_GT(report.volume, 0.9) << resolution;
    }
}

TEST(ShapeSurface, ResolutionIsAboutTheLengthOfEdges) {
    const TriangleMesh coarse = Ball(0.5).surface(0.1), fine = Ball(0.5).surface(0.05);
    EXPECT_NEAR(Real(fine.triangles.size()) / Real(coarse.triangles.size()), 4, 1);
    const Real mean_area = fine.area() / Real(fine.triangles.size());
    EXPECT_NEAR(std::sqrt(2 * mean_area), 0.05, 0.02);
}

TEST(ShapeSurface, UnboundedShapesHaveNone) {
    EXPECT_TRUE(Floor().surface(0.1).triangles.empty());
}

TEST(ShapeSurface, AbsurdResolutionsAreRefused) {
    for (const Real resolution : {0.0, -1.0, 1e-12, std::numeric_limits<Real>::quiet_NaN()}) {
        EXPECT_THROW(Ball(0.5).surface(resolution), InputError) << resolution;
    }
    EXPECT_TRUE(Ball(1e-3).surface(10).triangles.size() < 100);
}

TEST(ShapeSurface, SameBitsAtAnyNumberOfThreads) {
    const auto hash_with = [&](int threads) {
        Hash hash;
        Threads(threads).run([&] {
            const TriangleMesh mesh = BallsAndPlate().surface(0.02);
            hash.add_bytes(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3));
            hash.add(std::span<const std::array<int, 3>>(mesh.triangles));
        });
        return hash.value();
    };
    const auto alone = hash_with(1);
    EXPECT_EQ(alone, hash_with(2));
    EXPECT_EQ(alone, hash_with(5));
}

TEST(PlacedShape, DistanceNormalBoundsAndSurfaceFollow) {
    Placement placement;
    placement.position = Vec3(1, 2, 3);
    placement.rotation = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()));
    placement.scale = 2.5;
    const ShapePtr local = std::make_shared<BallsAndPlate>();
    const ShapePtr shape = placed(local, placement);
    samples::Points random(2);
    for (int i = 0; i < 200; ++i) {
        const Vec3 x = random.next();
        EXPECT_NEAR(shape->distance(placement.to_world(x)), 2.5 * local->distance(x), 1e-12);
        EXPECT_LT((shape->normal(placement.to_world(x)) - placement.rotation * local->normal(x)).norm(), 1e-9);
    }
    const TriangleMesh mesh = shape->surface(0.1);
    EXPECT_NEAR(mesh.volume(), cube(2.5) * local->surface(0.04).volume(), 1e-9);
    for (const Vec3& x : mesh.vertices) {
        EXPECT_TRUE(shape->bounds().contains(x));
        EXPECT_NEAR(shape->distance(x), 0, 0.06);
    }
}

TEST(PlacedShape, UnboundedStaysUnbounded) {
    Placement placement;
    placement.position = Vec3(0, 2, 0);
    placement.rotation = Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
    const ShapePtr floor = placed(std::make_shared<Floor>(), placement);
    EXPECT_FALSE(floor->is_bounded());
    EXPECT_FALSE(floor->bounds().sizes().allFinite());
    EXPECT_NEAR(floor->distance(Vec3(0, 2, 0)), 0, 1e-12);
}

TEST(PlacedShape, RotationsNeedNoUnitLength) {
    Placement placement;
    placement.rotation = Quat(2, 0, 0, 0);
    EXPECT_NEAR(placed(std::make_shared<Ball>(1), placement)->distance(Vec3(3, 0, 0)), 2, 1e-12);
}

TEST(PlacedShape, ImpossiblePlacementsAreRefused) {
    const ShapePtr ball = std::make_shared<Ball>(1);
    Placement flat, turned, lost;
    flat.scale = 0;
    turned.rotation = Quat(0, 0, 0, 0);
    lost.position.x() = std::numeric_limits<Real>::quiet_NaN();
    for (const Placement& placement : {flat, turned, lost}) EXPECT_THROW(placed(ball, placement), InputError);
}

}  // namespace
}  // namespace pliant
