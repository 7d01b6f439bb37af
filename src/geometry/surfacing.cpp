#include "pliant/geometry/surfacing.h"

#include <openvdb/tools/LevelSetFilter.h>
#include <openvdb/tools/ParticlesToLevelSet.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace pliant {

namespace {

constexpr Real thinnest_ball = 1.5;      // voxels; OpenVDB leaves thinner ones out
constexpr Real farthest_ball = 1e6;      // voxels
constexpr Real most_ball_voxels = 3e8;   // of all balls together
constexpr openvdb::Real band_width = 3;  // voxels to each side of the surface

struct Ball {
    Vec3 centre;
    Real radius;
};

// The list that OpenVDB asks for its particles, inflated by a factor.
class InflatedBalls {
public:
    using PosType = openvdb::Vec3R;

    InflatedBalls(const std::vector<Ball>& balls, Real factor, Real smallest_radius)
        : balls_(balls), factor_(factor), smallest_radius_(smallest_radius) {}

    std::size_t size() const { return balls_.size(); }
    void getPos(std::size_t n, PosType& x) const {
        const Vec3& c = balls_[n].centre;
        x = PosType(c.x(), c.y(), c.z());
    }
    void getPosRad(std::size_t n, PosType& x, openvdb::Real& radius) const {
        getPos(n, x);
        radius = std::max(balls_[n].radius * factor_, smallest_radius_);
    }

private:
    const std::vector<Ball>& balls_;
    Real factor_;
    Real smallest_radius_;
};

std::vector<Ball> usable_balls(std::span<const Eigen::Vector3f> positions, std::span<const float> radii) {
    assert(positions.size() == radii.size());
    std::vector<Ball> balls;
    balls.reserve(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const bool is_usable = positions[i].allFinite() && std::isfinite(radii[i]) && radii[i] > 0;
        if (is_usable) balls.push_back({positions[i].cast<Real>(), Real(radii[i])});
    }
    return balls;
}

Vec3 median_centre(std::vector<Ball> balls) {
    Vec3 median;
    const auto middle = balls.begin() + static_cast<std::ptrdiff_t>(balls.size() / 2);
    for (Eigen::Index k = 0; k < 3; ++k) {
        std::nth_element(balls.begin(), middle, balls.end(),
                         [k](const Ball& a, const Ball& b) { return a.centre[k] < b.centre[k]; });
        median[k] = middle->centre[k];
    }
    return median;
}

// The voxel asked for, coarsened until all balls, inflated, fill no more than most_ball_voxels.
Real usable_voxel(const std::vector<Ball>& balls, Real factor, Real asked) {
    Real radius_sum = 0, volume = 0;
    for (const Ball& ball : balls) {
        radius_sum += ball.radius;
        volume += 4 * pi / 3 * cube(ball.radius * factor);
    }
    const Real voxel = asked > 0 ? asked : 0.5 * radius_sum / Real(balls.size());
    return std::max(voxel, std::cbrt(volume / most_ball_voxels));
}

TriangleMesh triangles_of(const openvdb::FloatGrid& grid, const Vec3& origin, Real adaptivity) {
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0, adaptivity);

    TriangleMesh mesh;
    mesh.vertices.reserve(points.size());
    for (const auto& x : points) mesh.vertices.push_back(origin + Vec3(x.x(), x.y(), x.z()));
    mesh.triangles.reserve(triangles.size() + 2 * quads.size());
    const auto add = [&](unsigned a, unsigned b, unsigned c) {  // OpenVDB's corners run clockwise
        mesh.triangles.push_back({int(a), int(c), int(b)});
    };
    for (const auto& t : triangles) add(t[0], t[1], t[2]);
    for (const auto& q : quads) {
        const auto diagonal = [&](int i, int j) { return (points[q[i]] - points[q[j]]).lengthSqr(); };
        const int first = diagonal(0, 2) <= diagonal(1, 3) ? 0 : 1;  // cut along the shorter one
        add(q[first], q[first + 1], q[first + 2]);
        add(q[first + 2], q[(first + 3) % 4], q[first]);
    }
    return mesh;
}

}  // namespace

TriangleMesh particle_surface(std::span<const Eigen::Vector3f> positions, std::span<const float> radii,
                              const SurfacingSettings& settings) {
    std::vector<Ball> balls = usable_balls(positions, radii);
    if (balls.empty()) return {};
    const Real inflation = std::max<Real>(settings.closing, 1);
    const Real voxel = usable_voxel(balls, inflation, settings.voxel);
    const Vec3 origin = median_centre(balls);
    Real mean_radius = 0;
    for (Ball& ball : balls) ball.centre -= origin;
    std::erase_if(balls, [&](const Ball& b) { return b.centre.cwiseAbs().maxCoeff() > farthest_ball * voxel; });
    for (const Ball& ball : balls) mean_radius += ball.radius / Real(balls.size());

    // Balls inflated until they overlap, then shrunk by the same amount: outer hulls stay, gaps between balls close.
    const auto grid = openvdb::createLevelSet<openvdb::FloatGrid>(voxel, band_width);
    openvdb::tools::ParticlesToLevelSet<openvdb::FloatGrid> raster(*grid);
    raster.setRmin(0);
    raster.setRmax(1e30);
    raster.setGrainSize(1024);
    raster.rasterizeSpheres(InflatedBalls(balls, inflation, thinnest_ball * voxel));
    raster.finalize(true);
    openvdb::tools::LevelSetFilter<openvdb::FloatGrid> filter(*grid);
    if (inflation > 1) filter.offset(static_cast<float>((inflation - 1) * mean_radius));
    for (int pass = 0; pass < settings.smoothing; ++pass) filter.gaussian(1);
    return triangles_of(*grid, origin, std::clamp<Real>(settings.adaptivity, 0, 1));
}

}  // namespace pliant
