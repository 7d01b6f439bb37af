#include "pliant/geometry/mesh_report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/mesh_samples.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

using samples::box_mesh;

bool says(const MeshReport& report, const std::string& words) {
    const auto list = report.sentences();
    return std::any_of(list.begin(), list.end(), [&](const auto& s) { return s.find(words) != std::string::npos; });
}

TEST(MeshReport, SoundBoxIsSolidAndSaysNothingButItsSize) {
    const MeshReport report = inspect(box_mesh(Vec3(0.1, 0.2, 0.3)));
    EXPECT_TRUE(report.is_solid());
    EXPECT_EQ(report.components, 1);
    EXPECT_NEAR(report.volume, 0.048, 1e-12);
    EXPECT_EQ(report.sentences(), std::vector<std::string>{"12 triangles, 8 corners, 1 piece, 0.2 x 0.4 x 0.6 m."});
}

TEST(MeshReport, MissingTriangleLeavesThreeBoundaryEdges) {
    TriangleMesh mesh = box_mesh(Vec3(1, 1, 1));
    mesh.triangles.pop_back();
    const MeshReport report = inspect(mesh);
    EXPECT_EQ(report.boundary_edges, 3);
    EXPECT_FALSE(report.is_closed());
    EXPECT_FALSE(report.is_solid());
    EXPECT_TRUE(says(report, "3 edges have a triangle on one side only: the mesh is open."));
}

TEST(MeshReport, TurnedTriangleDisagreesAtThreeEdges) {
    TriangleMesh mesh = box_mesh(Vec3(1, 1, 1));
    std::swap(mesh.triangles[4][0], mesh.triangles[4][1]);
    const MeshReport report = inspect(mesh);
    EXPECT_EQ(report.misoriented_edges, 3);
    EXPECT_TRUE(report.is_closed());
    EXPECT_FALSE(report.is_solid());
}

TEST(MeshReport, InsideOutIsSeenByVolume) {
    const MeshReport report = inspect(samples::inside_out(box_mesh(Vec3(1, 1, 1))));
    EXPECT_TRUE(report.is_inside_out());
    EXPECT_EQ(report.misoriented_edges, 0);
    EXPECT_TRUE(says(report, "It is inside out."));
}

// The lower right edges of one box pass through the faces of the other and the other way round.
TEST(MeshReport, OverlappingBoxesCutThroughEachOther) {
    const MeshReport report =
        inspect(samples::both(box_mesh(Vec3(1, 1, 1)), box_mesh(Vec3(1, 1, 1), Vec3(1.1, 1.2, 1.3))));
    EXPECT_GT(report.crossing_triangles, 0);
    EXPECT_EQ(report.components, 2);
    EXPECT_FALSE(report.is_solid());
}

TEST(MeshReport, BoxesApartOrWithinEachOtherDoNotCross) {
    EXPECT_EQ(
        inspect(samples::both(box_mesh(Vec3(1, 1, 1)), box_mesh(Vec3(1, 1, 1), Vec3(3, 0, 0)))).crossing_triangles, 0);
    EXPECT_EQ(inspect(samples::both(box_mesh(Vec3(1, 1, 1)), box_mesh(Vec3(2, 2, 2)))).crossing_triangles, 0);
}

TEST(MeshReport, SpikeThroughANeighbourWithASharedCornerIsFound) {
    TriangleMesh mesh;
    mesh.vertices = {Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(0, 2, 0), Vec3(1, 0.5, -1), Vec3(0.5, 1, 1)};
    mesh.triangles = {{0, 1, 2}, {0, 3, 4}};
    EXPECT_EQ(inspect(mesh).crossing_triangles, 1);
}

TEST(MeshReport, DuplicatesAndFlatTrianglesAreCounted) {
    TriangleMesh mesh = box_mesh(Vec3(1, 1, 1));
    mesh.triangles.push_back({2, 3, 0});
    mesh.vertices.push_back(Vec3(0, -1, -1));
    mesh.triangles.push_back({0, 8, 1});
    const MeshReport report = inspect(mesh);
    EXPECT_EQ(report.duplicate_triangles, 1);
    EXPECT_EQ(report.degenerate_triangles, 1);
    EXPECT_GT(report.non_manifold_edges, 0);
}

TEST(MeshReport, HundredMetresLookLikeMillimetres) {
    EXPECT_TRUE(says(inspect(box_mesh(Vec3(100, 100, 100))), "looks like millimetres: set scale = 0.001"));
    EXPECT_FALSE(inspect(box_mesh(Vec3(1, 1, 1))).looks_like_millimetres());
}

TEST(MeshReport, CountingCrossingsStopsInAHeapOfTriangles) {
    TriangleMesh heap;
    samples::Points random(1);
    for (int i = 0; i < 20000; ++i) {
        for (int corner = 0; corner < 3; ++corner) heap.vertices.push_back(random.next());
        heap.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    EXPECT_EQ(inspect(heap).crossing_triangles, MeshReport::crossings_counted_to);
}

TEST(MeshReport, CountIsTheSameAtAnyNumberOfThreads) {
    const TriangleMesh mesh =
        samples::both(samples::sphere_mesh(1, 12), samples::sphere_mesh(1, 12, Vec3(1.01, 0.02, 0.03)));
    int alone = 0, together = 0;
    Threads(1).run([&] { alone = inspect(mesh).crossing_triangles; });
    Threads(4).run([&] { together = inspect(mesh).crossing_triangles; });
    EXPECT_GT(alone, 10);
    EXPECT_EQ(alone, together);
}

TEST(MeshReport, EmptyMeshIsNotSolid) {
    EXPECT_FALSE(inspect({}).is_solid());
    EXPECT_TRUE(says(inspect({}), "empty"));
}

}  // namespace
}  // namespace pliant
