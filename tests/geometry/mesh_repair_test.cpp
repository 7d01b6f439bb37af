#include "pliant/geometry/mesh_repair.h"

#include <gtest/gtest.h>

#include "geometry/mesh_samples.h"
#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh_import.h"
#include "pliant/geometry/mesh_rebuild.h"
#include "pliant/geometry/mesh_report.h"

namespace pliant {
namespace {

using samples::box_mesh;
using samples::sphere_mesh;

void expect_solid(const TriangleMesh& mesh) {
    const MeshReport report = inspect(mesh);
    EXPECT_TRUE(report.is_closed());
    EXPECT_EQ(report.misoriented_edges, 0);
    EXPECT_GT(report.volume, 0);
}

TriangleMesh without_cap(TriangleMesh mesh, Real above) {
    std::erase_if(mesh.triangles, [&](const auto& t) { return mesh.vertices[t[0]].y() > above; });
    return mesh;
}

TEST(MeshRepair, SoundMeshStaysAsItIs) {
    const TriangleMesh box = box_mesh(Vec3(1, 1, 1));
    const RepairedMesh repair = repaired(box, 0.1);
    EXPECT_TRUE(repair.done.empty());
    EXPECT_EQ(repair.mesh.triangles, box.triangles);
}

TEST(MeshRepair, InsideOutIsTurnedAndKeepsItsTriangles) {
    const RepairedMesh repair = repaired(samples::inside_out(box_mesh(Vec3(1, 1, 1))), 0.1);
    EXPECT_EQ(repair.mesh.triangles.size(), 12u);
    EXPECT_NEAR(repair.mesh.volume(), 8, 1e-12);
    EXPECT_EQ(repair.done, std::vector<std::string>{"Turned 12 triangles that faced inward."});
}

TEST(MeshRepair, SingleTurnedTriangleIsTurnedBack) {
    TriangleMesh mesh = sphere_mesh(1, 8);
    std::swap(mesh.triangles[20][0], mesh.triangles[20][1]);
    const RepairedMesh repair = repaired(mesh, 0.1);
    EXPECT_EQ(repair.done.size(), 1u);
    EXPECT_TRUE(inspect(repair.mesh).is_solid());
    EXPECT_EQ(repair.mesh.triangles.size(), mesh.triangles.size());
}

TEST(MeshRepair, HollowStaysHollow) {
    const TriangleMesh shell = samples::both(sphere_mesh(1, 16), samples::inside_out(sphere_mesh(0.5, 16)));
    EXPECT_NEAR(repaired(shell, 0.1).mesh.volume(), shell.volume(), 1e-12);
    const RepairedMesh turned = repaired(samples::inside_out(shell), 0.1);
    EXPECT_NEAR(turned.mesh.volume(), shell.volume(), 1e-12);
}

TEST(MeshRepair, PieceThatIsInsideOutBesideAnotherIsTurned) {
    const TriangleMesh pair =
        samples::both(sphere_mesh(1, 12), samples::inside_out(sphere_mesh(0.5, 12, Vec3(3, 0, 0))));
    const RepairedMesh repair = repaired(pair, 0.1);
    EXPECT_NEAR(repair.mesh.volume(), sphere_mesh(1, 12).volume() + sphere_mesh(0.5, 12).volume(), 1e-9);
}

TEST(MeshRepair, HoleIsClosedAndTheVolumeComesBack) {
    const TriangleMesh sphere = sphere_mesh(1, 32);
    const RepairedMesh repair = repaired(without_cap(sphere, 0.9), 0.04);
    expect_solid(repair.mesh);
    // The cap of height 0.1 that is cut off holds pi h^2 (3 - h) / 3 = 0.03; a flat lid loses all of it.
    EXPECT_NEAR(repair.mesh.volume(), sphere.volume(), 0.08);
    ASSERT_EQ(repair.done.size(), 1u);
    EXPECT_NE(repair.done[0].find("open at"), std::string::npos);
}

TEST(MeshRepair, OpenAndInsideOutIsBothRepaired) {
    const RepairedMesh repair = repaired(samples::inside_out(without_cap(sphere_mesh(1, 24), 0.9)), 0.05);
    expect_solid(repair.mesh);
    EXPECT_NEAR(repair.mesh.volume(), 4 * pi / 3, 0.15);
}

TEST(MeshRepair, OverlappingBoxesBecomeTheirUnion) {
    const TriangleMesh pair = samples::both(box_mesh(Vec3(1, 1, 1)), box_mesh(Vec3(1, 1, 1), Vec3(1, 0.31, 0.32)));
    const RepairedMesh repair = repaired(pair, 0.05);
    expect_solid(repair.mesh);
    const Real shared = 1 * 1.69 * 1.68;
    EXPECT_NEAR(repair.mesh.volume(), 16 - shared, 0.1);
    EXPECT_EQ(inspect(repair.mesh).components, 1);
}

// Six plates that do not touch and face at random: no sides to trust, only a skin.
TEST(MeshRepair, LoosePlatesBecomeABox) {
    TriangleMesh plates;
    const TriangleMesh box = box_mesh(Vec3(1, 1, 1));
    for (int face = 0; face < 6; ++face) {
        TriangleMesh plate;
        plate.triangles = {box.triangles[2 * face], box.triangles[2 * face + 1]};
        plate.vertices = box.vertices;
        Vec3 middle = Vec3::Zero();
        for (const int v :
             {plate.triangles[0][0], plate.triangles[0][1], plate.triangles[0][2], plate.triangles[1][1]}) {
            middle += box.vertices[v] / 4;
        }
        for (Vec3& x : plate.vertices) x += 0.03 * middle;
        plates = samples::both(plates, face % 2 ? samples::inside_out(plate) : plate);
    }
    const TriangleMesh skin = rebuilt_by_flooding(plates, 0.05, 0.1);
    expect_solid(skin);
    EXPECT_NEAR(skin.volume(), cube(2.06), 0.6);
    expect_solid(repaired(plates, 0.05).mesh);
}

TEST(MeshRepair, SheetIsRefusedWithAdvice) {
    TriangleMesh sheet;
    sheet.vertices = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};
    sheet.triangles = {{0, 1, 2}, {0, 2, 3}};
    try {
        repaired(sheet, 0.05);
        FAIL() << "a sheet is no solid";
    } catch (const InputError& problem) {
        EXPECT_NE(std::string(problem.what()).find("give it thickness"), std::string::npos);
    }
}

TEST(MeshRepair, EmptyMeshIsRefused) {
    EXPECT_THROW(repaired({}, 0.1), InputError);
}

TEST(MeshRepair, SameBitsAtAnyNumberOfThreads) {
    const TriangleMesh open = without_cap(sphere_mesh(1, 16), 0.8);
    const auto hash_with = [&](int threads) {
        Hash hash;
        Threads(threads).run([&] {
            const TriangleMesh mesh = repaired(open, 0.08).mesh;
            hash.add_bytes(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3));
            hash.add(std::span<const std::array<int, 3>>(mesh.triangles));
        });
        return hash.value();
    };
    const auto alone = hash_with(1);
    EXPECT_EQ(alone, hash_with(2));
    EXPECT_EQ(alone, hash_with(5));
}

TEST(MeshRepair, ScannedBunnyWithHolesInItsBaseBecomesSolid) {
    const std::filesystem::path file = PLIANT_SOURCE_DIR "/../shared/models/stanford-bunny.obj";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no such model here";
    const TriangleMesh bunny = read_mesh(file);
    const RepairedMesh repair = repaired(bunny, 0.003);
    expect_solid(repair.mesh);
    EXPECT_NEAR(repair.mesh.volume(), 7.5e-4, 0.3e-4);
    EXPECT_LT((repair.mesh.bounds().sizes() - bunny.bounds().sizes()).norm(), 0.006);
}

}  // namespace
}  // namespace pliant
