#include "pliant/geometry/triangle_tree.h"

#include <gtest/gtest.h>

#include "geometry/mesh_samples.h"

namespace pliant {
namespace {

const Triangle corner{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};

TEST(Triangle, NearestPointIsOnTheFaceAnEdgeOrACorner) {
    EXPECT_LT((corner.nearest(Vec3(0.2, 0.3, 5)) - Vec3(0.2, 0.3, 0)).norm(), 1e-12);
    EXPECT_LT((corner.nearest(Vec3(0.5, -2, 1)) - Vec3(0.5, 0, 0)).norm(), 1e-12);
    EXPECT_LT((corner.nearest(Vec3(3, 3, 1)) - Vec3(0.5, 0.5, 0)).norm(), 1e-12);
    EXPECT_LT((corner.nearest(Vec3(-1, -1, 1)) - Vec3(0, 0, 0)).norm(), 1e-12);
}

// No sampled point of the triangle is nearer than the one it names.
TEST(Triangle, NearestPointBeatsAllOthers) {
    samples::Points random(2);
    for (int i = 0; i < 200; ++i) {
        const Triangle t{random.next(), random.next(), random.next()};
        const Vec3 x = random.next();
        const Real nearest = (t.nearest(x) - x).norm();
        for (int u = 0; u <= 20; ++u) {
            for (int v = 0; u + v <= 20; ++v) {
                const Vec3 other = t.a + (t.b - t.a) * u / 20 + (t.c - t.a) * v / 20;
                EXPECT_LE(nearest, (other - x).norm() + 1e-12);
            }
        }
    }
}

TEST(Triangle, FlatTrianglesHaveANearestPointToo) {
    const Triangle needle{Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(1, 0, 0)},
        point{Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1)};
    EXPECT_LT((needle.nearest(Vec3(1.5, 1, 0)) - Vec3(1.5, 0, 0)).norm(), 1e-12);
    EXPECT_EQ(point.nearest(Vec3(0, 0, 0)), Vec3(1, 1, 1));
}

// One face of a cube fills a sixth of the sphere around its middle.
TEST(Triangle, HalfAFaceOfACubeFillsATwelfth) {
    const Triangle t{Vec3(-1, -1, 1), Vec3(1, -1, 1), Vec3(1, 1, 1)};
    EXPECT_NEAR(t.solid_angle(Vec3(0, 0, 0)), 4 * pi / 12, 1e-12);
    EXPECT_NEAR(t.solid_angle(Vec3(0, 0, 2)), -4 * pi / 12, 1e-12);
}

TEST(Triangle, CrossingIsSeenAndTouchingIsNot) {
    const Triangle through{Vec3(0.2, 0.2, -1), Vec3(0.2, 0.2, 1), Vec3(5, 5, 0)};
    const Triangle above{Vec3(0.2, 0.2, 0.1), Vec3(0.2, 0.2, 1), Vec3(5, 5, 1)};
    const Triangle touching{Vec3(0.2, 0.2, 0), Vec3(0.2, 0.2, 1), Vec3(5, 5, 1)};
    EXPECT_TRUE(cross(corner, through, 0));
    EXPECT_FALSE(cross(corner, above, 0));
    EXPECT_FALSE(cross(corner, touching, 0));
    EXPECT_FALSE(cross(corner, corner, 0));
}

TEST(TriangleTree, NearestIsThatOfAllTrianglesWithAnyGuess) {
    const TriangleMesh mesh = samples::sphere_mesh(1, 12);
    const TriangleTree tree(mesh);
    samples::Points random(1.5);
    for (int i = 0; i < 300; ++i) {
        const Vec3 x = random.next();
        Real best = std::numeric_limits<Real>::infinity();
        for (int t = 0; t < int(mesh.triangles.size()); ++t)
            best = std::min(best, (tree.triangle(t).nearest(x) - x).norm());
        const TriangleTree::Nearest nearest = tree.nearest(x), guided = tree.nearest(x, i);
        EXPECT_NEAR(nearest.distance, best, 1e-7);
        EXPECT_EQ(guided.distance, nearest.distance);
        EXPECT_EQ(guided.triangle, nearest.triangle);
    }
}

TEST(TriangleTree, WindingNumberTellsInsideFromOutside) {
    const TriangleTree tree(samples::sphere_mesh(1, 24));
    samples::Points random(1.5);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 x = random.next();
        if (std::abs(x.norm() - 1) < 0.01) continue;
        EXPECT_NEAR(tree.winding_number(x), x.norm() < 1 ? 1 : 0, 0.02) << x.transpose();
    }
}

TEST(TriangleTree, VisitsExactlyTheTrianglesThatMeetABox) {
    const TriangleMesh mesh = samples::sphere_mesh(1, 12);
    const TriangleTree tree(mesh);
    const Box box(Vec3(0.1, 0.2, 0.3), Vec3(1, 0.8, 1));
    std::vector<int> visited(mesh.triangles.size(), 0);
    tree.for_each_meeting(box, [&](int t) { return ++visited[t] > 0; });
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        Box own;
        for (const int v : mesh.triangles[t]) own.extend(mesh.vertices[v]);
        EXPECT_EQ(visited[t], own.intersects(box) ? 1 : 0);
    }
}

TEST(TriangleTree, EmptyTreeHasNothingNear) {
    const TriangleTree tree{TriangleMesh{}};
    EXPECT_EQ(tree.nearest(Vec3(0, 0, 0)).triangle, -1);
    EXPECT_EQ(tree.winding_number(Vec3(0, 0, 0)), 0);
}

}  // namespace
}  // namespace pliant
