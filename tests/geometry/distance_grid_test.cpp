#include "pliant/geometry/distance_grid.h"

#include <gtest/gtest.h>

#include <limits>

#include "geometry/mesh_samples.h"
#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/grid_shape.h"

namespace pliant {
namespace {

using samples::box_mesh;
using samples::sphere_mesh;

DistanceGrid grid_of(const TriangleMesh& mesh, Real voxel, int margin = 2) {
    return distance_grid(mesh, GridLayout::around(mesh.bounds(), voxel, margin));
}

template <class Exact>
Real worst_node(const DistanceGrid& grid, Real within, Exact&& exact) {
    Real worst = 0;
    const GridLayout& layout = grid.layout();
    for (int k = 0; k < layout.size[2]; ++k) {
        for (int j = 0; j < layout.size[1]; ++j) {
            for (int i = 0; i < layout.size[0]; ++i) {
                const Real d = exact(layout.node(i, j, k));
                if (std::abs(d) < within) worst = std::max(worst, std::abs(d - grid.values()[layout.index(i, j, k)]));
            }
        }
    }
    return worst;
}

TEST(DistanceGrid, BoxIsExactAtTheNodesNearTheSurface) {
    const Vec3 half(0.5, 0.3, 0.4);
    const DistanceGrid grid = grid_of(box_mesh(half), 0.02, 5);
    EXPECT_LT(worst_node(grid, 6 * 0.02, [&](const Vec3& x) { return samples::box_distance(x, half); }), 1e-6);
}

// Far from the surface values are means of others; beside the planes where two faces are equally near they err most.
TEST(DistanceGrid, BoxIsCloseEverywhere) {
    const Vec3 half(0.5, 0.3, 0.4);
    const DistanceGrid grid = grid_of(box_mesh(half), 0.01, 20);
    EXPECT_LT(worst_node(grid, 1, [&](const Vec3& x) { return samples::box_distance(x, half); }), 0.03);
}

TEST(DistanceGrid, FineSphereIsTheBallUpToItsFacets) {
    const Real radius = 0.4;
    const DistanceGrid grid = grid_of(sphere_mesh(radius, 96), 0.02);
    const Real facets = radius * (1 - std::cos(pi / 96 / 1.4));
    EXPECT_LT(worst_node(grid, 0.12, [&](const Vec3& x) { return x.norm() - radius; }), facets + 1e-5);
    EXPECT_LT(worst_node(grid, 1, [&](const Vec3& x) { return x.norm() - radius; }), 0.02);
}

// Linear interpolation of |x| errs by less than voxel^2 / (2 r) for three axes.
TEST(DistanceGrid, BetweenNodesItErrsBySecondOrder) {
    const Real voxel = 0.02;
    const DistanceGrid grid = grid_of(sphere_mesh(0.4, 96), voxel);
    samples::Points random(0.41);
    for (int i = 0; i < 2000; ++i) {
        const Vec3 x = random.next();
        if (std::abs(x.norm() - 0.4) > 0.1) continue;
        EXPECT_NEAR(grid.distance(x), x.norm() - 0.4, square(voxel) / (2 * 0.3) + 3e-4);
    }
}

TEST(DistanceGrid, GradientIsTheDerivativeInsideAndBeyondTheBox) {
    const DistanceGrid grid = grid_of(sphere_mesh(0.4, 48), 0.03);
    samples::Points random(1.2);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 x = random.next();
        const Real step = 1e-7;
        Vec3 ahead, behind;  // one-sided where a cell ends between
        for (int axis = 0; axis < 3; ++axis) {
            ahead[axis] = (grid.distance(x + step * Vec3::Unit(axis)) - grid.distance(x)) / step;
            behind[axis] = (grid.distance(x) - grid.distance(x - step * Vec3::Unit(axis))) / step;
        }
        if ((ahead - behind).norm() > 1e-4) continue;
        EXPECT_LT((grid.gradient(x) - ahead).norm(), 1e-4) << x.transpose();
    }
}

TEST(DistanceGrid, BeyondTheBoxItGrowsAndNeverPassesTheTruth) {
    const DistanceGrid grid = grid_of(sphere_mesh(0.4, 48), 0.03);
    samples::Points random(1);
    for (int i = 0; i < 500; ++i) {
        const Vec3 direction = random.next().normalized();
        Real last = 0;
        for (const Real r : {0.7, 1.0, 2.0, 10.0, 1000.0}) {
            const Real d = grid.distance(r * direction);
            EXPECT_GT(d, last);
            EXPECT_LT(d, r - 0.4 + 0.03);
            EXPECT_GT(d, r - 0.4 - 0.3);
            last = d;
        }
    }
}

TEST(DistanceGrid, HollowShellIsEmptyWithin) {
    const TriangleMesh shell = samples::both(sphere_mesh(0.4, 32), samples::inside_out(sphere_mesh(0.2, 32)));
    const DistanceGrid grid = grid_of(shell, 0.02);
    EXPECT_NEAR(grid.distance(Vec3(0, 0, 0)), 0.2, 0.01);
    EXPECT_NEAR(grid.distance(Vec3(0.3, 0, 0)), -0.1, 0.01);
    EXPECT_NEAR(grid.volume(), shell.volume(), 0.02 * shell.volume());
}

TEST(DistanceGrid, OverlappingPiecesAreOneSolid) {
    const DistanceGrid grid =
        grid_of(samples::both(box_mesh(Vec3(1, 1, 1)), box_mesh(Vec3(1, 1, 1), Vec3(1, 0.5, 0.5))), 0.1);
    EXPECT_LT(grid.distance(Vec3(0.5, 0.5, 0.5)), 0);
    EXPECT_LT(grid.distance(Vec3(1.5, 0.5, 0.5)), 0);
    EXPECT_GT(grid.distance(Vec3(-0.5, 1.4, 1.4)), 0);
}

TEST(DistanceGrid, PointsThatAreNotFiniteHaveNoSurprises) {
    const DistanceGrid grid = grid_of(box_mesh(Vec3(1, 1, 1)), 0.2);
    const Real nan = std::numeric_limits<Real>::quiet_NaN(), infinite = std::numeric_limits<Real>::infinity();
    EXPECT_TRUE(std::isnan(grid.distance(Vec3(nan, 0, 0))));
    EXPECT_EQ(grid.distance(Vec3(infinite, 0, 0)), infinite);
    EXPECT_EQ(grid.gradient(Vec3(0, nan, infinite)), Vec3(0, 0, 0));
}

TEST(DistanceGrid, SameBitsAtAnyNumberOfThreads) {
    const TriangleMesh mesh = sphere_mesh(0.4, 20);
    std::vector<float> alone, together;
    Threads(1).run([&] { alone = grid_of(mesh, 0.02).values(); });
    Threads(5).run([&] { together = grid_of(mesh, 0.02).values(); });
    EXPECT_EQ(alone, together);
}

TEST(DistanceGrid, TooFineAGridIsRefusedWithBothNumbers) {
    const Box box(Vec3(0, 0, 0), Vec3(1, 1, 1));
    try {
        GridLayout::around(box, 0.001, 0, 100'000'000);
        FAIL() << "4 GB fit into 100 MB";
    } catch (const InputError& problem) {
        const std::string message = problem.what();
        EXPECT_NE(message.find("4012 MB"), std::string::npos) << message;
        EXPECT_NE(message.find("100 MB"), std::string::npos) << message;
    }
    EXPECT_NO_THROW(GridLayout::around(box, 0.004, 0, 100'000'000));
    EXPECT_THROW(GridLayout::around(box, 0), InputError);
    EXPECT_THROW(GridLayout::around(box, -1), InputError);
    EXPECT_THROW(GridLayout::around(box, std::numeric_limits<Real>::quiet_NaN()), InputError);
    EXPECT_THROW(GridLayout::around(box, 1e-30), InputError);
    EXPECT_THROW(GridLayout::around(Box(), 0.1), InputError);
}

TEST(DistanceGrid, LayoutHoldsTheBoundsWithItsMargin) {
    const GridLayout layout = GridLayout::around(Box(Vec3(-1, 2, 3), Vec3(0.05, 2.01, 4)), 0.1, 3);
    EXPECT_TRUE(layout.box().contains(Box(Vec3(-1.3, 1.7, 2.7), Vec3(0.35, 2.31, 4.3))));
    EXPECT_LT((layout.box().sizes() - Vec3(1.65, 0.61, 1.6)).maxCoeff(), 0.2);
}

TEST(DistanceGrid, WrongNumberOfValuesIsRefused) {
    EXPECT_THROW(DistanceGrid(GridLayout{}, std::vector<float>(7)), Error);
}

TEST(GridShape, MeshSolidKeepsItsTrianglesAndBounds) {
    const TriangleMesh box = box_mesh(Vec3(0.5, 0.3, 0.4));
    const ShapePtr shape = mesh_solid(box, 0.05);
    EXPECT_EQ(shape->surface(0.1).triangles, box.triangles);
    EXPECT_TRUE(shape->bounds().isApprox(box.bounds()));
    EXPECT_NEAR(shape->distance(Vec3(0.7, 0, 0)), 0.2, 1e-6);
    EXPECT_LT((shape->normal(Vec3(0.6, 0, 0)) - Vec3(1, 0, 0)).norm(), 1e-6);
    EXPECT_NEAR(shape->normal(Vec3(0, 0, 0)).norm(), 1, 1e-12);
}

TEST(GridShape, FarCornersOfAnEmptyGridStillHaveUnitNormals) {
    const ShapePtr shape = mesh_solid(box_mesh(Vec3(0.1, 0.1, 0.1)), 0.05);
    samples::Points random(1e6);
    for (int i = 0; i < 100; ++i) EXPECT_NEAR(shape->normal(random.next()).norm(), 1, 1e-12);
}

}  // namespace
}  // namespace pliant
