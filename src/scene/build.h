// From settings to what a method computes with.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/parallel.h"
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

// One a material that schedules drive. What is wrong with a schedule is told, with its number, and the schedule left
// out. Those of a material that is wrong by itself are passed over.
std::vector<MaterialSchedule> build_schedules(
    const Scene& scene, FunctionRef<void(std::size_t schedule, const std::string& problem)> complain);

// How large a run will be, told before anything is made.
struct BodyEstimate {
    std::string name;
    std::size_t particles = 0;
};
struct SizeEstimate {
    std::vector<BodyEstimate> bodies;  // as in the model: solid ones first, then liquids
    std::vector<std::size_t> poured;   // particles, by each emitter
    std::size_t particles = 0;
    std::size_t memory = 0;  // bytes, of the whole run
    std::size_t frame = 0;   // bytes a written frame
    std::size_t disk = 0;    // bytes, of all frames, checkpoints and statistics
};
SizeEstimate estimate_size(const Scene& scene, std::vector<std::string>& warnings);

}  // namespace pliant
