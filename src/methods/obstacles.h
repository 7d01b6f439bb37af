// Contact of particles with obstacles and pins on the level of velocities, for methods that step explicitly.
#pragma once

#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

// Changes velocities so that a move by dt obeys all colliders, then all pins. Returns how many particles touch.
std::size_t apply_obstacles(const Model& model, ParticleState& state, Real time, Real dt);

}  // namespace pliant
