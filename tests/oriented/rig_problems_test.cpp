// What problems() finds: each fault alone, by the words that name it.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "pliant/methods/oriented/rig.h"

namespace pliant {
namespace {

Rig good_rig() {
    Rig rig;
    for (int p = 0; p < 3; ++p) rig.position.emplace_back(p, 0, 0);
    rig.orientation.assign(3, Quat::Identity());
    rig.radii.assign(3, Vec3::Constant(0.5));
    rig.volume.assign(3, 1);
    rig.stiffness.assign(3, 1);
    rig.edges = {{0, 1}, {1, 2}};
    rig.groups = {{"wheel", {0, 2}}};
    rig.skin.vertices.assign(3, Vec3::Zero());
    rig.skin.triangles = {{0, 1, 2}};
    rig.weights.frame.assign(3, {0, 1, 0, 0});
    rig.weights.weight.assign(3, {0.75f, 0.25f, 0, 0});
    return rig;
}

struct Fault {
    const char* words;
    std::function<void(Rig&)> make;
};

TEST(RigProblems, AGoodRigHasNone) {
    EXPECT_EQ(problems(good_rig()), std::vector<std::string>());
}

TEST(RigProblems, EachFaultIsNamed) {
    const Real nan = std::nan(""), infinity = std::numeric_limits<Real>::infinity();
    const std::vector<Fault> faults = {
        {"there are no particles", [](Rig& r) { r = Rig(); }},
        {"2 of radii, but 3 particles", [](Rig& r) { r.radii.pop_back(); }},
        {"particle 1: its position", [&](Rig& r) { r.position[1].y() = nan; }},
        {"particle 1: its orientation", [](Rig& r) { r.orientation[1].w() = 1.1; }},
        {"particle 2: its radii", [](Rig& r) { r.radii[2].z() = 0; }},
        {"particle 2: its radii", [&](Rig& r) { r.radii[2].z() = infinity; }},
        {"particle 0: its volume", [](Rig& r) { r.volume[0] = 0; }},
        {"particle 0: its stiffness", [](Rig& r) { r.stiffness[0] = 1.5; }},
        {"there are only 3 particles", [](Rig& r) { r.edges[1].b = 3; }},
        {"the lower particle",
         [](Rig& r) {
             r.edges[0] = {1, 0};
         }},
        {"there twice", [](Rig& r) { r.edges[1] = r.edges[0]; }},
        {"sorted", [](Rig& r) { std::swap(r.edges[0], r.edges[1]); }},
        {"its torsion", [](Rig& r) { r.edges[0].torsion = -1; }},
        {"its stretch", [&](Rig& r) { r.edges[0].stretch = nan; }},
        {"group 0 ('wheel'): it has no particles", [](Rig& r) { r.groups[0].particles.clear(); }},
        {"it names particle 3", [](Rig& r) { r.groups[0].particles[0] = 3; }},
        {"it names particle 2 twice", [](Rig& r) { r.groups[0].particles[0] = 2; }},
        {"('wheel'): its stiffness", [](Rig& r) { r.groups[0].stiffness = 2; }},
        {"its dent_speed", [](Rig& r) { r.groups[0].dent_speed = -1; }},
        {"vertex 1 of the skin is not finite", [&](Rig& r) { r.skin.vertices[1].x() = nan; }},
        {"names vertex 5", [](Rig& r) { r.skin.triangles[0][1] = 5; }},
        {"names vertex -1", [](Rig& r) { r.skin.triangles[0][1] = -1; }},
        {"has 3 vertices, but 2 have frames", [](Rig& r) { r.weights.frame.pop_back(); }},
        {"it hangs on particle 9", [](Rig& r) { r.weights.frame[0][3] = 9; }},
        {"its weights sum to", [](Rig& r) { r.weights.weight[0][1] = 0; }},
        {"its weights must be from 0 to 1", [&](Rig& r) { r.weights.weight[0][1] = float(nan); }},
        {"its largest weight", [](Rig& r) { std::swap(r.weights.weight[0][0], r.weights.weight[0][1]); }},
    };
    for (const Fault& fault : faults) {
        Rig rig = good_rig();
        fault.make(rig);
        const auto found = problems(rig);
        ASSERT_EQ(found.size(), 1u) << fault.words;
        EXPECT_NE(found[0].find(fault.words), std::string::npos) << found[0];
    }
}

}  // namespace
}  // namespace pliant
