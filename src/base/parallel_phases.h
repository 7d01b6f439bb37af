// A loop in phases, each of which begins when the one before has ended: what colours need. All run within one start of
// the threads, which costs more than the phases of small worlds.
#pragma once

#include <cstddef>
#include <span>

#include "pliant/base/parallel.h"

namespace pliant {

// Runs body(i) for every i from bounds[k] up to bounds[k + 1], for k = 0, 1, ... Bounds ascend. Within a phase the
// lower ones are begun first: those that take longest should stand there. Exceptions as in parallel_blocks().
void parallel_phases(std::span<const std::size_t> bounds, FunctionRef<void(std::size_t)> body);

}  // namespace pliant
