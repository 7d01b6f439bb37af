// From settings to what a method computes with.
#pragma once

#include <string>
#include <vector>

#include "pliant/methods/method.h"
#include "pliant/output/particle_frame.h"
#include "pliant/scene/scene.h"

namespace pliant {

// Warnings are sentences for the user.
Model build_model(const Scene& scene, std::vector<std::string>& warnings);

// Sampled, placed, pinned, and sorted: body by body, and within a body so that neighbours lie close in memory.
ParticleState build_particles(const Scene& scene, const Model& model, std::vector<std::string>& warnings);

ParticleFrame make_particle_frame(const Model& model, const ParticleState& state,
                                  const std::vector<Quantity>& quantities);

// How large a run will be, told before anything is made.
struct BodyEstimate {
    std::string name;
    std::size_t particles = 0;
};
struct SizeEstimate {
    std::vector<BodyEstimate> bodies;
    std::size_t particles = 0;
    std::size_t memory = 0;  // bytes, of the whole run
    std::size_t frame = 0;   // bytes a written frame
    std::size_t disk = 0;    // bytes, of all frames, checkpoints and statistics
};
SizeEstimate estimate_size(const Scene& scene, std::vector<std::string>& warnings);

}  // namespace pliant
