#include "pliant/geometry/surfacing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh_fairing.h"

namespace pliant {
namespace {

struct Cloud {
    std::vector<Eigen::Vector3f> positions;
    std::vector<float> radii;
};

// Particles on a lattice within a ball of radius 1; their own balls touch.
Cloud ball_of_particles(float spacing, const Eigen::Vector3f& centre = Eigen::Vector3f::Zero()) {
    Cloud cloud;
    const int n = int(1 / spacing) + 1;
    for (int i = -n; i <= n; ++i) {
        for (int j = -n; j <= n; ++j) {
            for (int k = -n; k <= n; ++k) {
                const Eigen::Vector3f x = spacing * Eigen::Vector3f(float(i), float(j), float(k));
                if (x.norm() < 1 - spacing / 2) cloud.positions.push_back(centre + x);
            }
        }
    }
    cloud.radii.assign(cloud.positions.size(), spacing / 2);
    return cloud;
}

// Every edge of a closed mesh belongs to two triangles, in opposite directions.
bool is_closed(const TriangleMesh& mesh) {
    std::map<std::pair<int, int>, int> edges;
    for (const auto& t : mesh.triangles) {
        for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
    }
    for (const auto& [edge, count] : edges) {
        const auto back = edges.find({edge.second, edge.first});
        if (count != 1 || back == edges.end()) return false;
    }
    return !edges.empty();
}

TEST(ParticleSurface, WrapsABallOfParticles) {
    const Cloud cloud = ball_of_particles(0.1f, {3, 4, 5});
    const TriangleMesh mesh = particle_surface(cloud.positions, cloud.radii);
    EXPECT_TRUE(is_closed(mesh));
    const Real volume = Real(cloud.positions.size()) * cube(0.1);  // of the particles' cells
    EXPECT_NEAR(mesh.volume(), volume, 0.03 * volume);
    for (const Vec3& x : mesh.vertices) EXPECT_NEAR((x - Vec3(3, 4, 5)).norm(), 1, 0.1);
}

TEST(ParticleSurface, MakesABallOfALoneParticle) {
    const std::vector<Eigen::Vector3f> positions = {{1, 2, 3}};
    const std::vector<float> radii = {0.5f};
    SurfacingSettings settings;
    settings.voxel = 0.1;
    settings.smoothing = 0;
    const TriangleMesh mesh = particle_surface(positions, radii, settings);
    EXPECT_TRUE(is_closed(mesh));
    EXPECT_NEAR(mesh.volume(), 4 * pi / 3 * 0.125, 0.03);
}

TEST(ParticleSurface, IsEmptyWithoutUsableParticles) {
    EXPECT_TRUE(particle_surface({}, {}).triangles.empty());
    const float bad = std::numeric_limits<float>::quiet_NaN();
    const std::vector<Eigen::Vector3f> positions = {{bad, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const std::vector<float> radii = {1, -1, bad};
    EXPECT_TRUE(particle_surface(positions, radii).triangles.empty());
}

TEST(ParticleSurface, IgnoresWhatFliesFarAway) {
    Cloud cloud = ball_of_particles(0.2f);
    const TriangleMesh alone = particle_surface(cloud.positions, cloud.radii);
    cloud.positions.emplace_back(1e12f, 0.0f, 0.0f);
    cloud.radii.push_back(0.1f);
    const TriangleMesh mesh = particle_surface(cloud.positions, cloud.radii);
    EXPECT_NEAR(mesh.volume(), alone.volume(), 0.02 * alone.volume());
    EXPECT_LT(mesh.bounds().max().maxCoeff(), 2);
}

TEST(ParticleSurface, CoarsensAnAbsurdlyFineVoxel) {
    const Cloud cloud = ball_of_particles(0.5f);
    SurfacingSettings settings;
    settings.voxel = 1e-9;
    const TriangleMesh mesh = particle_surface(cloud.positions, cloud.radii, settings);
    EXPECT_TRUE(is_closed(mesh));
    EXPECT_LT(mesh.triangles.size(), 3000000u);
}

TEST(ParticleSurface, TakesParticlesInOnePlace) {
    const std::vector<Eigen::Vector3f> positions(100, Eigen::Vector3f::Ones());
    const std::vector<float> radii(100, 0.5f);
    EXPECT_TRUE(is_closed(particle_surface(positions, radii)));
}

TEST(ParticleSurface, IsTheSameAtAnyNumberOfThreads) {
    const Cloud cloud = ball_of_particles(0.08f);
    TriangleMesh expected;
    for (const int count : {1, 2, 5}) {
        TriangleMesh mesh;
        Threads(count).run([&] { mesh = particle_surface(cloud.positions, cloud.radii); });
        if (expected.vertices.empty()) expected = mesh;
        EXPECT_EQ(mesh.vertices, expected.vertices) << count << " threads";
        EXPECT_EQ(mesh.triangles, expected.triangles) << count << " threads";
    }
}

TEST(ParticleBlend, AveragesWhatParticlesCarry) {
    const Cloud cloud = ball_of_particles(0.1f);
    std::vector<Eigen::Vector3f> values(cloud.positions.size(), Eigen::Vector3f(1, 2, 3));
    const std::vector<Vec3> points = {{0, 0, 0}, {0.95, 0, 0}, {50, 0, 0}};
    const auto blended = blend_particle_values(points, cloud.positions, cloud.radii, values);
    EXPECT_TRUE(blended[0].isApprox(Eigen::Vector3f(1, 2, 3), 1e-5f));
    EXPECT_TRUE(blended[1].isApprox(Eigen::Vector3f(1, 2, 3), 1e-5f));
    EXPECT_TRUE(blended[2].isZero());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = cloud.positions[i];
    EXPECT_NEAR(blend_particle_values(points, cloud.positions, cloud.radii, values)[0].norm(), 0, 1e-4f);
}

TEST(Fairing, TakesOutBumpsAndKeepsTheVolume) {
    const Cloud cloud = ball_of_particles(0.1f);
    SurfacingSettings settings;
    settings.smoothing = 0;
    TriangleMesh mesh = particle_surface(cloud.positions, cloud.radii, settings);
    const Real before = mesh.volume();
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i) mesh.vertices[i] *= i % 2 == 0 ? 1.01 : 0.99;
    const Real rough = mesh.area();
    fair(mesh, 10);
    EXPECT_LT(mesh.area(), rough);
    EXPECT_NEAR(mesh.volume(), before, 0.01 * before);
}

}  // namespace
}  // namespace pliant
