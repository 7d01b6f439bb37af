// The time of a step and of skinning, on one thread and in units that can be compared with those of other machines.
#pragma once

#include "pliant/run/reproduce_results.h"
#include "pliant/scene/scene.h"

namespace pliant {

// Runs the scene without files. A run that fails is measured as far as it came.
RealTimeResult measure_step_times(const Scene& scene, int frames, bool is_quick);

}  // namespace pliant
