#include "pliant/methods/oriented/rig_groups.h"

#include <gtest/gtest.h>

#include "oriented/rigs.h"
#include "pliant/base/error.h"

namespace pliant {
namespace {

RigGroupSettings box_group(const std::string& name, const Vec3& at, Real size) {
    RigGroupSettings group;
    group.name = name;
    group.shape = BoxShape{Vec3::Constant(size)};
    group.position = at;
    return group;
}

TEST(RigGroups, HoldTheParticlesOfTheirRegionAndCutLinksBetweenThem) {
    Rig rig = lattice_rig(6, 1, 1);
    const std::vector<RigGroupSettings> groups = {box_group("left", {0.1, 0, 0}, 0.25),
                                                  box_group("right", {0.4, 0, 0}, 0.25)};
    add_groups(rig, groups, {});
    EXPECT_EQ(rig.groups[0].particles, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(rig.groups[1].particles, (std::vector<std::uint32_t>{3, 4, 5}));
    EXPECT_EQ(rig.edges.size(), 4u);
    EXPECT_EQ(problems(rig), std::vector<std::string>());
}

TEST(RigGroups, ASoftRimIsLinkedToItsGroupOnly) {
    Rig rig = lattice_rig(6, 1, 1);
    std::vector<RigGroupSettings> groups = {box_group("left", {0, 0, 0}, 0.25), box_group("right", {0.4, 0, 0}, 0.25)};
    groups[0].soft_rim = 0.1;
    add_groups(rig, groups, {});
    EXPECT_EQ(rig.groups[0].particles, (std::vector<std::uint32_t>{0, 1}));
    for (const RigEdge& edge : rig.edges) EXPECT_FALSE(edge.a == 2 && edge.b == 3);
    EXPECT_EQ(rig.edges.size(), 4u);
}

TEST(RigGroups, JointsBelongToBothGroups) {
    Rig rig = lattice_rig(6, 1, 1);
    std::vector<RigGroupSettings> groups = {box_group("left", {0.1, 0, 0}, 0.25),
                                            box_group("right", {0.4, 0, 0}, 0.25)};
    groups[1].joined_to = "left";
    groups[1].joint = Vec3(0.25, 0, 0.1);
    groups[1].second_joint = Vec3(0.25, 0, -0.1);
    add_groups(rig, groups, {});
    ASSERT_EQ(rig.size(), 8u);
    for (const RigGroup& group : rig.groups) {
        EXPECT_EQ(std::count(group.particles.begin(), group.particles.end(), 6u), 1);
        EXPECT_EQ(std::count(group.particles.begin(), group.particles.end(), 7u), 1);
    }
    EXPECT_EQ(problems(rig), std::vector<std::string>());
}

TEST(RigGroups, AnEmptyRegionAndAnUnknownNeighbourAreErrorsThatNameTheGroup) {
    const auto message = [](const RigGroupSettings& group) -> std::string {
        Rig rig = lattice_rig(6, 1, 1);
        try {
            add_groups(rig, std::vector{group}, {});
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(message(box_group("door", {9, 0, 0}, 0.1)),
              "group.door: holds no particle: move its region or make it larger");
    RigGroupSettings wheel = box_group("wheel", {0, 0, 0}, 0.25);
    wheel.joined_to = "whel";
    EXPECT_NE(message(wheel).find("there is no group 'whel'; did you mean 'wheel'?"), std::string::npos);
}

}  // namespace
}  // namespace pliant
