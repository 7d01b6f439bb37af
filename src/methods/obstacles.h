// Contact of particles with obstacles and pins on the level of velocities, for methods that step explicitly.
#pragma once

#include <optional>

#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

// Where an obstacle or a pin is at the beginning and at the end of a step.
struct PosePair {
    MovingPose now, next;
};
template <class Movers>
std::vector<PosePair> poses_of(const Movers& movers, Real time, Real dt) {
    std::vector<PosePair> poses;
    for (const auto& mover : movers) poses.push_back({mover.pose(time), mover.pose(time + dt)});
    return poses;
}

// The surface as a particle sees it before and after a move by dt v; none if it is too far to matter. The obstacle's
// velocity is the one that carries its surface from its pose now to its pose next.
struct Approach {
    SurfacePoint now, next;
};
std::optional<Approach> approach(const Collider& collider, const PosePair& pose, Real radius, const Vec3& x,
                                 const Vec3& v, Real dt);

// Changes velocities so that a move by dt obeys the colliders, one after the other in their order, so that where two
// meet the last has the last word. Pinned particles move with their pin through any collider. Returns how many
// particles touch a collider.
std::size_t apply_obstacles(const Model& model, ParticleState& state, Real time, Real dt);

// What no point of a moving collider exceeds [m/s].
Real fastest_obstacle(const Model& model);

}  // namespace pliant
