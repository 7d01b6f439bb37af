// Points on the surfaces of shapes: deep, even, dense enough, and the same at any number of threads.
#include "pliant/geometry/surface_sampling.h"

#include <gtest/gtest.h>

#include <chrono>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/grid_shape.h"
#include "pliant/geometry/mesh_subdivide.h"
#include "pliant/shapes/shapes.h"

namespace pliant {
namespace {

constexpr Real spacing = 0.01, depth = spacing / 2;

ShapePtr box(const Vec3& size, Real round = 0) {
    BoxShape settings;
    settings.size = size;
    settings.round = round;
    return settings.build({});
}

template <class Settings>
ShapePtr built(Settings settings) {
    return settings.build({});
}

struct Sample {
    std::string name;
    ShapePtr shape;
    Real widest = 1.15;  // [spacings] from a point of the surface to the nearest sample; sharp corners are farther away
    Real shallow = 0;    // [spacings] that a point may be less deep: at sharp edges, and by the voxels of a grid
};

std::vector<Sample> samples() {
    const ShapePtr ball = built(SphereShape{});
    const Placement turned{Vec3(1, 2, 3), Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized())), 1.5};
    return {
        {"box", box(Vec3(0.2, 0.1, 0.15))},
        {"odd box", box(Vec3(0.213, 0.067, 0.024))},
        {"round box", box(Vec3(0.2, 0.1, 0.15), 0.03)},
        {"sphere", ball},
        {"capsule", built(CapsuleShape{})},
        {"cylinder", built(CylinderShape{})},
        {"cone", built(ConeShape{}), 1.7, 0.2},
        {"torus", built(TorusShape{})},
        {"bear", built(ModelShape{}), 1.45, 0.1},
        {"mesh", mesh_solid(ball->surface(0.01), 0.004), 1.15, 0.05},
        {"turned box", placed(box(Vec3(0.2, 0.1, 0.15)), turned)},
        {"turned torus", placed(built(TorusShape{}), turned)},
    };
}

Real nearest(const std::vector<Vec3>& points, const Vec3& x) {
    Real least = 1e30;
    for (const Vec3& p : points) least = std::min(least, (p - x).squaredNorm());
    return std::sqrt(least);
}

Real least_distance(const std::vector<Vec3>& points) {
    Real least = 1e30;
    for (std::size_t i = 0; i < points.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) least = std::min(least, (points[i] - points[j]).squaredNorm());
    }
    return std::sqrt(least);
}

// The largest distance of a point of the surface from the samples.
Real widest_hole(const Shape& shape, const std::vector<Vec3>& points) {
    const TriangleMesh mesh = subdivided(shape.surface(spacing / 2), spacing / 2);
    Real widest = 0;
    for (const Vec3& x : mesh.vertices) widest = std::max(widest, nearest(points, x));
    return widest;
}

TEST(SurfaceSampling, PointsLieAtTheirDepth) {
    for (const Sample& sample : samples()) {
        for (const Vec3& x : sample_surface(*sample.shape, spacing, depth)) {
            const Real d = sample.shape->distance(x);
            ASSERT_LT(d, -depth + (1e-6 + sample.shallow) * spacing) << sample.name << " at " << x.transpose();
            // Two layers that are nearly one meet in the middle, at most 0.35 spacings deeper.
            ASSERT_GT(d, -depth - 0.36 * spacing) << sample.name << " at " << x.transpose();
        }
    }
}

TEST(SurfaceSampling, PointsAreNeitherCrowdedNorSparse) {
    for (const Sample& sample : samples()) {
        const auto points = sample_surface(*sample.shape, spacing, depth);
        EXPECT_GT(least_distance(points), 0.69 * spacing) << sample.name;
        EXPECT_LT(widest_hole(*sample.shape, points), sample.widest * spacing) << sample.name;
    }
}

// N = A / spacing^2, with A the area of the surface at the points' depth.
TEST(SurfaceSampling, ThereIsAPointForEverySquareOfTheSpacing) {
    const auto count = [](const ShapePtr& shape) { return Real(sample_surface(*shape, spacing, depth).size()); };
    const auto areas = [](Real area) { return area / square(spacing); };
    EXPECT_NEAR(count(built(SphereShape{0.1})) / areas(4 * pi * square(0.095)), 1, 0.08);
    EXPECT_NEAR(count(built(TorusShape{0.1, 0.03})) / areas(4 * square(pi) * 0.1 * 0.025), 1, 0.08);
    EXPECT_NEAR(count(built(CylinderShape{0.1, 0.2})) / areas(2 * pi * 0.095 * (0.095 + 0.19)), 1, 0.08);
    EXPECT_EQ(count(box(Vec3(0.2, 0.2, 0.2))), 20 * 20 * 20 - 18 * 18 * 18);
}

TEST(SurfaceSampling, ABoxHasStraightRows) {
    for (const Vec3& x : sample_surface(*box(Vec3(0.2, 0.1, 0.16)), spacing, depth)) {
        const Vec3 sites = x / spacing + Vec3::Constant(0.5);
        EXPECT_LT((sites - Vec3(sites.array().round())).norm(), 1e-9);
    }
}

TEST(SurfaceSampling, ThinThingsAreCoveredInTheirMiddle) {
    const std::vector<Sample> thin = {
        {"plate", box(Vec3(0.2, 0.004, 0.2))},      {"rounded plate", box(Vec3(0.2, 0.004, 0.2), 0.002)},
        {"rod", box(Vec3(0.2, 0.004, 0.004))},      {"wire", built(CapsuleShape{0.002, 0.3})},
        {"disc", built(CylinderShape{0.1, 0.003})}, {"grain", built(SphereShape{0.001})},
        {"ring", built(TorusShape{0.1, 0.002})},
    };
    for (const Sample& sample : thin) {
        const auto points = sample_surface(*sample.shape, spacing, depth);
        ASSERT_FALSE(points.empty()) << sample.name;
        EXPECT_LT(widest_hole(*sample.shape, points), 1.1 * spacing) << sample.name;
        if (points.size() > 1) {
            EXPECT_GT(least_distance(points), 0.69 * spacing) << sample.name;
        }
        const Real half = sample.shape->bounds().sizes().minCoeff() / 2;
        for (const Vec3& x : points) EXPECT_LT(sample.shape->distance(x), -0.3 * half) << sample.name;
    }
    EXPECT_EQ(sample_surface(*box(Vec3(0.2, 0.004, 0.2)), spacing, depth).size(), 400u);
    EXPECT_EQ(sample_surface(*built(SphereShape{0.001}), spacing, depth).size(), 1u);
}

TEST(SurfaceSampling, TheSamePointsAtAnyNumberOfThreads) {
    const ShapePtr shape = built(CylinderShape{});
    std::vector<Vec3> one, two;
    Threads(1).run([&] { one = sample_surface(*shape, spacing, depth); });
    Threads(2).run([&] { two = sample_surface(*shape, spacing, depth); });
    EXPECT_EQ(one, two);
}

// Twenty-five times the points take about so many times as long, and not six hundred times.
TEST(SurfaceSampling, TimeGrowsWithTheNumberOfPoints) {
    const ShapePtr shape = built(CylinderShape{});
    const auto seconds = [&](Real step) {
        const auto start = std::chrono::steady_clock::now();
        sample_surface(*shape, step, step / 2);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    const double few = std::max(seconds(0.01), 1e-3), many = seconds(0.002);
    EXPECT_LT(many, 150 * few);
}

TEST(SurfaceSampling, RefusesWhatCannotBeCovered) {
    EXPECT_THROW(sample_surface(*built(PlaneShape{}), spacing, depth), InputError);
    EXPECT_THROW(sample_surface(*built(SphereShape{}), 0, 0), InputError);
    EXPECT_THROW(sample_surface(*built(SphereShape{}), spacing, -1), InputError);
    EXPECT_THROW(sample_surface(*built(SphereShape{}), 1e-6, 5e-7), InputError);
    EXPECT_THROW(sample_surface(*box(Vec3(1, 1, 1)), 1e-5, 5e-6), InputError);
}

}  // namespace
}  // namespace pliant
