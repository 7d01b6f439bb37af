// A body of oriented particles as it was authored, at rest and in its own space: particles, edges, groups, skin.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pliant/geometry/mesh.h"
#include "pliant/geometry/skin.h"

namespace pliant {

struct RigEdge {
    std::uint32_t a = 0, b = 0;
    Real torsion = 0;  // 0: free, 1: the two particles turn as one
    Real stretch = 0;  // 0: held by matching alone, 1: keeps its length
};

// Particles that are matched as one rigid piece. A particle in two groups is a joint and has no orientation in either.
struct RigGroup {
    std::string name;
    std::vector<std::uint32_t> particles;
    Real stiffness = 1;
    Real dent_speed = 0;  // of a hit that leaves a dent [m/s]; 0: it never does
};

struct Rig {
    // One entry a particle.
    std::vector<Vec3> position;     // m
    std::vector<Quat> orientation;  // of the ellipsoid's axes
    std::vector<Vec3> radii;        // m
    std::vector<Real> volume;       // of matter it stands for [m^3]
    std::vector<Real> stiffness;    // 0 to 1, of the group around it

    std::vector<RigEdge> edges;    // a < b, sorted, each pair once
    std::vector<RigGroup> groups;  // beside the group around each particle

    TriangleMesh skin;    // may be empty
    SkinWeights weights;  // one entry a vertex of the skin; frames are particles

    std::size_t size() const { return position.size(); }
};

// What is wrong with it, in sentences that name the particle, edge, group or vertex; empty if nothing is.
std::vector<std::string> problems(const Rig& rig);

}  // namespace pliant
