// Which triangles meet at an edge, and which pieces a mesh falls into.
#pragma once

#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh.h"

namespace pliant {

// One side of one triangle. `is_forward`: the triangle walks from the lower to the higher index.
struct EdgeUse {
    int low, high;
    int triangle;
    bool is_forward;
};

// All sides of all triangles, those of one edge next to each other.
std::vector<EdgeUse> edge_uses(const TriangleMesh& mesh);

// Calls visit(uses of one edge) edge by edge.
template <class Visit>
void for_each_edge(const std::vector<EdgeUse>& uses, Visit&& visit) {
    for (std::size_t begin = 0, end; begin < uses.size(); begin = end) {
        end = begin + 1;
        while (end < uses.size() && uses[end].low == uses[begin].low && uses[end].high == uses[begin].high) ++end;
        visit(uses.data() + begin, static_cast<int>(end - begin));
    }
}

// A number a triangle: its piece, counted from 0 in the order of their first triangles. Pieces share no corner.
struct Pieces {
    std::vector<int> of_triangle;
    int count = 0;
};
Pieces pieces_of(const TriangleMesh& mesh);

}  // namespace pliant
