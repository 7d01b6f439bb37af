#include "pliant/geometry/mesh_subdivide.h"

#include <gtest/gtest.h>

#include "geometry/mesh_samples.h"
#include "pliant/base/error.h"
#include "pliant/geometry/mesh_edges.h"
#include "pliant/geometry/mesh_report.h"

namespace pliant {
namespace {

Real longest_edge(const TriangleMesh& mesh) {
    Real longest = 0;
    for (const EdgeUse& use : edge_uses(mesh)) {
        longest = std::max(longest, (mesh.vertices[use.low] - mesh.vertices[use.high]).norm());
    }
    return longest;
}

TEST(MeshSubdivide, EdgesAreShortAndTheSolidIsTheSame) {
    const TriangleMesh box = samples::box_mesh(Vec3(1, 0.1, 0.5));
    const TriangleMesh fine = subdivided(box, 0.13);
    EXPECT_LE(longest_edge(fine), 0.13);
    EXPECT_TRUE(inspect(fine).is_solid());
    EXPECT_NEAR(fine.volume(), box.volume(), 1e-12);
    EXPECT_NEAR(fine.area(), box.area(), 1e-12);
    EXPECT_LT(fine.triangles.size(), 4000u);
}

TEST(MeshSubdivide, ShortEdgesStay) {
    const TriangleMesh box = samples::box_mesh(Vec3(1, 1, 1));
    EXPECT_EQ(subdivided(box, 3).triangles, box.triangles);
}

TEST(MeshSubdivide, AbsurdLengthsAreRefused) {
    const TriangleMesh box = samples::box_mesh(Vec3(1, 1, 1));
    for (const Real length : {0.0, -1.0, 1e-9, std::numeric_limits<Real>::quiet_NaN()}) {
        EXPECT_THROW(subdivided(box, length), InputError) << length;
    }
}

}  // namespace
}  // namespace pliant
