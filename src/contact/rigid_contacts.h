// Where rigid bodies touch each other and the scene's obstacles, or will within a step.
#pragma once

#include <cstddef>
#include <vector>

#include "pliant/contact/collider.h"
#include "pliant/contact/rigid_probes.h"

namespace pliant {

// One body or obstacle as others meet it: a shape, where it stands and how it moves.
struct Touchable {
    const Shape* shape = nullptr;
    const std::vector<Probe>* probes = nullptr;  // null: an obstacle
    MovingPose pose;
    Real reach = 0;  // of a body: radius of a ball around `middle` that holds all of it [m]
    Vec3 middle = Vec3::Zero();
    Real friction = 0, restitution = 0;
    bool sticks = false, slips = false;  // obstacles whose contact is "stick" or "slip"
};

struct RigidContact {
    std::size_t a = 0, b = 0;     // indices into the list of touchables; a is a body
    Vec3 point = Vec3::Zero();    // on the surface of b [m]
    Vec3 normal = Vec3::UnitY();  // from b to a
    Real gap = 0;                 // m, negative where they overlap
    Real friction = 0, restitution = 0;
};

// Bodies first, then obstacles. Of each pair the deepest contact and some that lie far apart from each other; in a
// fixed order. Gaps that the pair cannot close within dt are left out.
std::vector<RigidContact> find_contacts(const std::vector<Touchable>& list, Real dt);

}  // namespace pliant
