// Two-level preconditioner for systems (M + dt^2 K) x = b of elastic points: blocks on the diagonal, plus the exact
// solution on a coarse background grid laid through the points' rest positions, with trilinear weights N_a and three
// unknowns a node.
//     z = D^-1 r + P Ac^-1 P^T r
// The grid takes every point for one piece of continuum, so it needs none of the points' neighbours:
//     Ac_ab = sum_i m N_a N_b 1 + mu (r_a.r_b 1 + r_b r_a^T) + lambda r_a r_b^T + d N_a N_b (held directions)
// with d = tr D / 3 and r_a = turn_i grad N_a. On compact bodies iterations then hardly depend on stiffness, step, size
// or contact; they grow with Poisson's ratio. Points at the tips of thin parts are better eliminated beforehand
// (PointElimination): no continuum is like them.
#pragma once

#include <span>
#include <vector>

#include "pliant/linear/coarse_grid.h"
#include "pliant/linear/point_system.h"
#include "pliant/math/types.h"

namespace pliant {

class GridPreconditioner {
public:
    void set_points(std::span<const Vec3> rest, std::span<const PointGroup> groups);

    // Takes new numbers; the arrays must stay as they are until the last factor().
    void set_system(const PointSystem& system);

    // With these points held and these pairs pushing, which need not be in `diagonal`. Where the coarse matrix cannot
    // be factored the diagonal alone remains.
    void factor(std::span<const HeldPoint> held, std::span<const PointPair> pairs);

    // z = D^-1 r + P Ac^-1 P^T r
    void operator()(std::span<const Vec3> r, std::span<Vec3> z);

    std::size_t bytes() const;

private:
    void add_group(std::span<const Vec3> rest, const PointGroup& group);
    void assemble_cell(std::size_t cell, CoarseGrid::CellBlocks& blocks) const;

    CoarseGrid grid_;
    PointSystem system_;
    bool keeps_room_ = false;  // for pairs of this system that no longer push: another pattern takes long to make
    std::vector<CoarseGrid::CellBlocks> cell_blocks_;
    bool has_coarse_ = false;
    std::vector<Mat3> inverse_diagonal_;
};

}  // namespace pliant
