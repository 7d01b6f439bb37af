// Water and rubber: the free end of an elastic gate, beside what was measured [Antoci07]. The figures are round ones,
// as its curves are commonly quoted, and good to a few millimetres.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pliant/scene/world.h"

namespace pliant {
namespace {

TEST(SphGate, OpensAndSwingsBackAsMeasured) {
    World world = World::load(PLIANT_SOURCE_DIR "/scenes/gallery/elastic-gate.toml");
    std::vector<std::size_t> end;
    const auto id_of = [&](std::size_t i) { return world.state().id[i]; };
    Vec3 start = Vec3::Zero();
    for (std::size_t i = 0; i < world.state().size(); ++i) {
        if (world.state().body[i] != 0 || world.state().position[i].y() > 0.00125) continue;
        end.push_back(id_of(i));
        start += world.state().position[i];
    }
    ASSERT_EQ(end.size(), 16u);
    const auto moved = [&] {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < world.state().size(); ++i) {
            if (std::find(end.begin(), end.end(), id_of(i)) != end.end()) sum += world.state().position[i];
        }
        return Vec3((sum - start) / Real(end.size()));
    };
    Vec3 peak = Vec3::Zero();
    Real when = 0;
    while (world.time() < 0.3) {
        world.advance_frame();
        const Vec3 now = moved();
        if (now.x() > peak.x()) when = world.time();
        peak = peak.cwiseMax(now);
    }
    EXPECT_NEAR(peak.x(), 0.045, 0.005);
    EXPECT_NEAR(peak.y(), 0.017, 0.003);
    EXPECT_NEAR(when, 0.15, 0.03);
    EXPECT_LT(moved().x(), 0.8 * peak.x());
}

}  // namespace
}  // namespace pliant
