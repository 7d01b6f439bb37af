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

// How far the ends of a rod along x are turned against each other, in radians and whole turns counted.
class Twist {
public:
    Twist(const ParticleState& start, std::uint32_t body) {
        for (std::size_t i = 0; i < start.size(); ++i) {
            const Vec3& x = start.position[i];
            if (start.body[i] == body && std::abs(x.x()) > 0.7) ends_[x.x() > 0].emplace_back(start.id[i], x);
        }
    }
    Real follow(const ParticleState& state) {
        std::vector<Vec3> place(state.size());
        for (std::size_t i = 0; i < state.size(); ++i) place[state.id[i]] = state.position[i];
        for (int k = 0; k < 2; ++k) {
            Vec3 before = Vec3::Zero(), now = Vec3::Zero();
            for (const auto& [id, x] : ends_[k]) before += x, now += place[id];
            before /= Real(ends_[k].size()), now /= Real(ends_[k].size());
            Real cosine = 0, sine = 0;
            for (const auto& [id, x] : ends_[k]) {
                const Vec3 a = x - before, b = place[id] - now;
                cosine += a.y() * b.y() + a.z() * b.z();
                sine += a.y() * b.z() - a.z() * b.y();
            }
            angle_[k] += std::remainder(std::atan2(sine, cosine) - angle_[k], 2 * pi);
        }
        return angle_[0] - angle_[1];
    }

private:
    std::vector<std::pair<std::uint32_t, Vec3>> ends_[2];
    Real angle_[2] = {0, 0};
};

TEST(TwistingRods, RubberSpringsBackAndMetalStaysTwisted) {
    const auto file = std::filesystem::path(PLIANT_SOURCE_DIR) / "scenes/fang2019/twisting-rods.toml";
    World world = World::load(file, {"body.*.spacing=0.05"});
    Twist rubber(world.state(), 0), metal(world.state(), 1);
    Real most_back = 2 * pi;
    for (int frame = 1; frame <= 36; ++frame) {
        world.advance_frame();
        const Real of_rubber = rubber.follow(world.state()), of_metal = metal.follow(world.state());
        if (frame >= 20 && frame <= 24) {  // held, after a whole turn
            EXPECT_NEAR(of_rubber, 2 * pi, 1e-2) << frame;
            EXPECT_NEAR(of_metal, 2 * pi, 1e-2) << frame;
        }
        most_back = std::min(most_back, of_rubber);
        EXPECT_TRUE(frame <= 24 || of_metal > 0.7 * 2 * pi) << frame;
    }
    EXPECT_LT(most_back, 0);
}

}  // namespace
}  // namespace pliant
