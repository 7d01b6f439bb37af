// The scenes that we show: what they promise in their first line, at a coarser spacing.
#include <gtest/gtest.h>

#include <filesystem>

#include "pliant/math/polar.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

std::filesystem::path gallery(const std::string& name) {
    return std::filesystem::path(PLIANT_SOURCE_DIR) / "scenes/gallery" / name;
}

Vec3 mean_of(const std::vector<Vec3>& points) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& x : points) sum += x;
    return sum / Real(points.size());
}

// How far points have moved against the rigid motion that fits them best [m]: the largest, and root mean square.
struct Deviation {
    Real largest = 0, rms = 0;
};
Deviation deviation(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    const Vec3 a = mean_of(from), b = mean_of(to);
    Mat3 A = Mat3::Zero();
    for (std::size_t i = 0; i < from.size(); ++i) A += (to[i] - b) * (from[i] - a).transpose();
    const Mat3 R = polar(A).R;
    Deviation result;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const Real distance = (to[i] - b - R * (from[i] - a)).norm();
        result.largest = std::max(result.largest, distance);
        result.rms += square(distance) / Real(from.size());
    }
    result.rms = std::sqrt(result.rms);
    return result;
}

TEST(Gallery, GummyBearFallsSquashesAndKeepsADent) {
    World world = World::load(gallery("gummy-bear.toml"), {"body.0.spacing=0.0085"});
    const std::vector<Vec3> start = world.state().position;
    Real squashed = 1;
    for (int frame = 0; frame < 30; ++frame) {
        world.advance_frame();
        squashed = std::min(squashed, bounds(world.state()).sizes().y());
    }
    const Deviation dented = deviation(start, world.state().position);
    EXPECT_LT(squashed, 0.16);  // of 0.2 m
    EXPECT_GT(dented.rms, 0.006);
    EXPECT_LT(dented.largest, 0.08);  // and it is whole
    EXPECT_LT(world.diagnostics().largest_speed, 1);
}

TEST(Gallery, HoldsABearOfAtLeastEightThousandParticles) {
    const World world = World::load(gallery("gummy-bear.toml"));
    EXPECT_GE(world.state().size(), 8000u);
}

TEST(Gallery, EverySceneTakesItsFirstStep) {
    int scenes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(gallery(""))) {
        World world = World::load(entry.path());
        EXPECT_GT(world.step().dt, 0) << entry.path();
        ++scenes;
    }
    EXPECT_GE(scenes, 4);
}

}  // namespace
}  // namespace pliant
