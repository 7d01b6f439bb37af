// Which particles of a body hold each other: neighbours whose cells touch, so that no edge jumps a gap.
#pragma once

#include <vector>

#include "pliant/methods/oriented/body_cells.h"
#include "pliant/methods/oriented/rig.h"

namespace pliant {

// Edges up to `longest` [m], and the shortest of those beyond that it takes to hold together what is one piece of body.
std::vector<RigEdge> edges_between(const BodyCells& cells, Real longest);

}  // namespace pliant
