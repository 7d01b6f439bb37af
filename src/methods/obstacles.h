// Contact of particles with obstacles and pins on the level of velocities, for methods that step explicitly.
#pragma once

#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

// Changes velocities so that a move by dt obeys the colliders, one after the other in their order, so that where two
// meet the last has the last word. Pinned particles move with their pin through any collider. Returns how many
// particles touch a collider.
std::size_t apply_obstacles(const Model& model, ParticleState& state, Real time, Real dt);

// What no point of a moving collider exceeds [m/s].
Real fastest_obstacle(const Model& model);

}  // namespace pliant
