// The truck of scenes/mueller2011, of which body and axles must be parts that hang together by their hinges alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>
#include <set>

#include "pliant/methods/oriented/rig.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

// A number a particle: the same for those that are linked without a joint between them.
std::vector<std::uint32_t> parts_of(const Rig& rig) {
    std::vector<int> groups(rig.size(), 0);
    for (const RigGroup& group : rig.groups) {
        for (const std::uint32_t p : group.particles) ++groups[p];
    }
    std::vector<std::uint32_t> part(rig.size());
    std::iota(part.begin(), part.end(), 0u);
    const auto root = [&](std::uint32_t p) {
        while (part[p] != p) p = part[p];
        return p;
    };
    for (const RigEdge& edge : rig.edges) {
        if (groups[edge.a] < 2 && groups[edge.b] < 2) part[root(edge.a)] = root(edge.b);
    }
    for (std::uint32_t p = 0; p < rig.size(); ++p) part[p] = root(p);
    return part;
}

TEST(Truck, WheelsHangOnTheirAxlesAlone) {
    const World world = World::load(std::filesystem::path(PLIANT_SOURCE_DIR) / "scenes/mueller2011/truck.toml");
    const Rig& rig = *world.model().bodies[0].rig;
    EXPECT_NEAR(Real(rig.skin.vertices.size()), 63000, 1000);
    const std::vector<std::uint32_t> part = parts_of(rig);
    std::vector<std::uint32_t> part_of_group;
    for (const RigGroup& group : rig.groups) part_of_group.push_back(part[group.particles[0]]);
    EXPECT_EQ(std::set(part_of_group.begin(), part_of_group.end()).size(), 3u);

    // Particles of the wheels, which are wider than the body, and of the body, which is higher.
    for (std::size_t p = 0; p < rig.size(); ++p) {
        const bool is_wheel = std::abs(rig.position[p].x()) > 0.45, is_high = rig.position[p].y() > 0.15;
        if (is_wheel || is_high) {
            ASSERT_EQ(part[p] == part_of_group[0], is_high) << p;
        }
    }
    for (std::size_t v = 0; v < rig.skin.vertices.size(); ++v) {
        for (int k = 0; k < 4; ++k) ASSERT_EQ(part[rig.weights.frame[v][k]], part[rig.weights.frame[v][0]]) << v;
    }
}

}  // namespace
}  // namespace pliant
