// Rigs from meshes: particles everywhere and evenly, ellipsoids within limits, edges that stay in the body.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "oriented/bodies.h"
#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh_import.h"
#include "pliant/geometry/sampling_measure.h"
#include "pliant/methods/oriented/rig_file.h"
#include "pliant/methods/oriented/thick_surface.h"

namespace pliant {
namespace {

Real distance_to_particles(const Rig& rig, const Vec3& x) {
    Real nearest = 1e300;
    for (const Vec3& p : rig.position) nearest = std::min(nearest, (p - x).norm());
    return nearest;
}

Real farthest_from_particles(const Rig& rig) {
    Real farthest = 0;
    for (const Vec3& x : rig.skin.vertices) farthest = std::max(farthest, distance_to_particles(rig, x));
    return farthest;
}

Real closest_pair(const Rig& rig) {
    Real closest = 1e300;
    for (std::size_t i = 0; i < rig.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) closest = std::min(closest, (rig.position[i] - rig.position[j]).norm());
    }
    return closest;
}

Real total_volume(const Rig& rig) {
    return std::accumulate(rig.volume.begin(), rig.volume.end(), Real(0));
}

// How far any edge leaves the body [m].
Real highest_rise_of_edges(const Rig& rig, const Shape& shape) {
    Real highest = -1e300;
    for (const RigEdge& edge : rig.edges) {
        for (int k = 1; k < 8; ++k) {
            const Vec3 x = rig.position[edge.a] + k / 8.0 * (rig.position[edge.b] - rig.position[edge.a]);
            highest = std::max(highest, shape.distance(x));
        }
    }
    return highest;
}

void expect_good(const Rig& rig, const Subject& body, Real spacing) {
    EXPECT_EQ(problems(rig), std::vector<std::string>());
    EXPECT_EQ(count_pieces(rig), 1u);
    EXPECT_LT(farthest_from_particles(rig), 1.2 * spacing);
    EXPECT_GT(closest_pair(rig), 0.4 * spacing);
    EXPECT_NEAR(total_volume(rig), measure_volume(*body.shape), 1e-3 * total_volume(rig));
    EXPECT_EQ(rig.skin.vertices.size(), body.surface.vertices.size());
    EXPECT_EQ(rig.weights.size(), rig.skin.vertices.size());
    for (const Vec3& r : rig.radii) {
        EXPECT_LE(r.maxCoeff(), 0.8 * spacing * (1 + 1e-12));
        EXPECT_GE(r.minCoeff(), 0.25 * spacing * (1 - 1e-12));
        EXPECT_GE(r.minCoeff(), r.maxCoeff() / 2 * (1 - 1e-12));
    }
}

class BuiltInModel : public ::testing::TestWithParam<const char*> {};

TEST_P(BuiltInModel, BecomesAnEvenRigInOnePiece) {
    const Subject body = model_body(GetParam());
    const Real spacing = spacing_for(*body.shape, body.surface, 300);
    const Rig rig = body.rig(spacing);
    expect_good(rig, body, spacing);
    EXPECT_NEAR(Real(rig.size()), 300, 15);
    const Real edges = Real(rig.edges.size()) / Real(rig.size());
    EXPECT_GT(edges, 2.2);
    EXPECT_LT(edges, 3.6);
}

INSTANTIATE_TEST_SUITE_P(Models, BuiltInModel,
                         ::testing::Values("octopus", "truck", "gummy-bear", "rabbit", "hand", "sheet", "rope"));

TEST(RigBuilder, TentaclesAreCoveredToTheirTips) {
    const Subject body = model_body("octopus");
    const Real spacing = 0.13;
    const Rig rig = body.rig(spacing);
    std::vector<int> edges(rig.size(), 0);
    for (const RigEdge& edge : rig.edges) ++edges[edge.a], ++edges[edge.b];
    EXPECT_GE(std::count_if(edges.begin(), edges.end(), [](int n) { return n <= 2; }), 8);  // chains, one a tentacle
    EXPECT_LT(farthest_from_particles(rig), spacing);
    EXPECT_LT(highest_rise_of_edges(rig, *body.shape), 0.25 * spacing);
}

TEST(RigBuilder, ANeedleIsAChainToItsPoint) {
    const Subject body = formula_body(
        [](const Vec3& x) { return implicit::round_cone(x, Vec3(-0.8, 0, 0), 0.1, Vec3(0.95, 0, 0), 0.01); },
        Vec3(1, 0.11, 0.11), 0.02);
    const Real spacing = 0.2;
    const Rig rig = body.rig(spacing);
    expect_good(rig, body, spacing);
    EXPECT_NEAR(Real(rig.size()), 9, 2);
    EXPECT_EQ(rig.edges.size(), rig.size() - 1);
    EXPECT_LT(distance_to_particles(rig, Vec3(0.96, 0, 0)), 0.8 * spacing);
    for (const Vec3& x : rig.position) EXPECT_LT(std::hypot(x.y(), x.z()), 0.1 * spacing);
}

TEST(RigBuilder, ASheetIsOneLayer) {
    const Subject body = block(Vec3(1, 0.02, 1), 0.04);
    const Real spacing = 0.2;
    const Rig rig = body.rig(spacing);
    expect_good(rig, body, spacing);
    EXPECT_NEAR(Real(rig.size()), 110, 25);
    for (std::size_t p = 0; p < rig.size(); ++p) {
        EXPECT_LT(std::abs(rig.position[p].y()), 0.05 * spacing);
        EXPECT_GT(std::abs((rig.orientation[p] * Vec3::UnitZ()).y()), 0.95);  // lies in the sheet
    }
}

TEST(RigBuilder, ABlockIsFilled) {
    const Subject body = block(Vec3::Constant(0.5), 0.05);
    const Real spacing = 0.2;
    const Rig rig = body.rig(spacing);
    expect_good(rig, body, spacing);
    EXPECT_NEAR(Real(rig.size()), 170, 60);
    for (int x = -2; x <= 2; ++x) {
        for (int y = -2; y <= 2; ++y) {
            for (int z = -2; z <= 2; ++z) EXPECT_LT(distance_to_particles(rig, 0.2 * Vec3(x, y, z)), spacing);
        }
    }
    const Real deepest = std::accumulate(rig.position.begin(), rig.position.end(), Real(1),
                                         [](Real r, const Vec3& p) { return std::min(r, p.cwiseAbs().maxCoeff()); });
    EXPECT_LT(deepest, 0.2);
}

// Two legs with a gap of a quarter of the spacing, joined at the bottom.
TEST(RigBuilder, NoEdgeJumpsBetweenLegs) {
    const Subject body = formula_body(
        [](const Vec3& x) {
            const Real leg = implicit::capsule(implicit::mirrored(x), Vec3(0.125, -0.8, 0), Vec3(0.125, 0.85, 0), 0.1);
            return std::min(leg, implicit::capsule(x, Vec3(-0.125, -0.8, 0), Vec3(0.125, -0.8, 0), 0.1));
        },
        Vec3(0.25, 1, 0.12), 0.02);
    const Real spacing = 0.2;
    const Rig rig = body.rig(spacing);
    EXPECT_EQ(count_pieces(rig), 1u);
    for (const RigEdge& edge : rig.edges) {
        const Vec3 &a = rig.position[edge.a], &b = rig.position[edge.b];
        if (a.x() * b.x() >= 0) continue;
        EXPECT_LT(std::max(a.y(), b.y()), -0.55) << a.transpose() << " to " << b.transpose();
    }
    for (const Vec3& x : rig.position) {
        EXPECT_TRUE(x.y() < -0.5 || body.shape->distance(x) < 0) << "between the legs: " << x.transpose();
    }
}

TEST(RigBuilder, EllipsoidsStayNearTheBody) {
    const Subject body = model_body("gummy-bear");
    const Real spacing = 0.1;
    const Rig rig = body.rig(spacing);
    for (std::size_t p = 0; p < rig.size(); ++p) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const Real side : {-1, 1}) {
                const Vec3 tip =
                    rig.position[p] + rig.orientation[p] * Vec3(side * rig.radii[p][axis] * Vec3::Unit(axis));
                EXPECT_LT(body.shape->distance(tip), 0.4 * spacing);
            }
        }
    }
}

TEST(RigBuilder, SurfaceIsWithinEllipsoidsOrNearThem) {
    const Subject body = model_body("gummy-bear");
    const Rig rig = body.rig(0.1);
    for (const Vec3& x : rig.skin.vertices) {
        Real nearest = 1e300;  // 1 on the surface of an ellipsoid
        for (std::size_t p = 0; p < rig.size(); ++p) {
            const Vec3 local = rig.orientation[p].conjugate() * (x - rig.position[p]);
            nearest = std::min(nearest, local.cwiseQuotient(rig.radii[p]).norm());
        }
        ASSERT_LT(nearest, 1.35);
    }
}

TEST(RigBuilder, SameSeedSameRigAtAnyNumberOfThreads) {
    const Subject body = model_body("gummy-bear");
    std::string one, three;
    Threads(1).run([&] { one = rig_text(body.rig(0.12)); });
    Threads(3).run([&] { three = rig_text(body.rig(0.12)); });
    EXPECT_EQ(one, three);
    RigSettings other;
    other.spacing = 0.12;
    other.seed = 5;
    EXPECT_NE(rig_text(build_rig(*body.shape, body.surface, other)), one);
}

TEST(RigBuilder, SpacingForMeetsTheNumberAskedFor) {
    const Subject body = block(Vec3(0.5, 0.2, 0.1), 0.04);
    for (const std::size_t wanted : {60, 200}) {
        const Rig rig = body.rig(spacing_for(*body.shape, body.surface, wanted));
        EXPECT_NEAR(Real(rig.size()), Real(wanted), 0.05 * Real(wanted) + 1);
    }
}

TEST(RigBuilder, AnOpenMeshIsASheetOfTheGivenThickness) {
    TriangleMesh mesh;
    mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    mesh.triangles = {{0, 2, 1}, {0, 3, 2}};
    const Subject body{thick_surface(mesh, 0.01), mesh};
    const Rig rig = body.rig(0.1);
    EXPECT_EQ(problems(rig), std::vector<std::string>());
    EXPECT_EQ(count_pieces(rig), 1u);
    EXPECT_LT(farthest_from_particles(rig), 0.12);
    EXPECT_NEAR(total_volume(rig), 0.01, 5e-4);
    for (const Vec3& x : rig.position) EXPECT_LT(std::abs(x.y()), 0.01);
}

TEST(RigBuilder, AFinerSkinLeavesParticlesAlone) {
    const Subject body = block(Vec3::Constant(0.5), 0.1);
    Rig rig = body.rig(0.2);
    const Rig before = rig;
    change_skin(rig, *body.shape, 0.02, 0.2);
    EXPECT_EQ(problems(rig), std::vector<std::string>());
    EXPECT_EQ(rig.position, before.position);
    EXPECT_EQ(rig.radii, before.radii);
    EXPECT_GT(rig.skin.vertices.size(), 2 * before.skin.vertices.size());
    EXPECT_NEAR(rig.skin.volume(), before.skin.volume(), 0.02 * before.skin.volume());
    for (const auto& triangle : rig.skin.triangles) {
        for (int side = 0; side < 3; ++side) {
            const Vec3 &a = rig.skin.vertices[triangle[side]], &b = rig.skin.vertices[triangle[(side + 1) % 3]];
            ASSERT_LE((a - b).norm(), 0.04 * (1 + 1e-12));
        }
    }
}

TEST(RigBuilder, PiecesThatLieCloseAreJoined) {
    const Subject body = block(Vec3::Constant(0.5), 0.1);
    const Rig one = body.rig(0.2);
    Rig rig = one;  // and the same again beside it, and far away
    for (const Vec3& shift : {Vec3(0.55, 0, 0), Vec3(0, 5, 0)}) {
        const auto first = std::uint32_t(rig.size());
        for (std::size_t i = 0; i < one.size(); ++i) {
            rig.position.push_back(one.position[i] + shift);
            rig.orientation.push_back(one.orientation[i]);
            rig.radii.push_back(one.radii[i]);
            rig.volume.push_back(one.volume[i]);
            rig.stiffness.push_back(one.stiffness[i]);
        }
        for (const RigEdge& edge : one.edges) rig.edges.push_back({first + edge.a, first + edge.b});
    }
    ASSERT_EQ(count_pieces(rig), 3u);
    const std::size_t before = rig.edges.size();
    join_pieces(rig, 0.4);
    EXPECT_EQ(count_pieces(rig), 2u);
    EXPECT_EQ(rig.edges.size(), before + 3);
    EXPECT_EQ(problems(rig), std::vector<std::string>());
}

TEST(RigBuilder, UselessMeshesAndSpacingsAreRefused) {
    const Subject body = block(Vec3::Constant(0.5), 0.1);
    EXPECT_THROW(build_rig(*body.shape, TriangleMesh(), {}), InputError);
    EXPECT_THROW(body.rig(1e-4), InputError);
    EXPECT_THROW(body.rig(0), InputError);
    TriangleMesh broken = body.surface;
    broken.vertices[0].x() = std::nan("");
    RigSettings settings;
    settings.spacing = 0.2;
    EXPECT_THROW(build_rig(*body.shape, broken, settings), InputError);
}

TEST(RigBuilder, ThinTentaclesOfAMeshAreHeldTogether) {
    const std::filesystem::path file = "/work/shared/models/octopus.obj";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here";
    Subject body;
    body.surface = read_mesh(file);
    const Real size = body.surface.bounds().diagonal().norm();
    body.shape = mesh_solid(body.surface, size / 200);
    const Rig rig = body.rig(size / 60);
    EXPECT_EQ(problems(rig), std::vector<std::string>());
    EXPECT_EQ(count_pieces(rig), 1u);
    EXPECT_LT(farthest_from_particles(rig), 1.2 * size / 60);
}

}  // namespace
}  // namespace pliant
