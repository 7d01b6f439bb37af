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

#include "pliant/linear/block_cholesky.h"
#include "pliant/linear/point_system.h"
#include "pliant/math/simd.h"
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
    struct Cell {
        std::uint32_t begin, end;  // its points
        std::uint32_t node[8];     // corner c: bit 0, 1, 2 = x, y, z
        Real size;
    };
    struct CellPoint {
        std::uint32_t point;
        float u[3];  // within the cell, 0 to 1
    };
    struct CornerOfCell {
        std::uint32_t cell, corner;
    };
    using CellPair = std::pair<std::uint32_t, std::uint32_t>;  // the lower number first
    using CellBlocks = std::array<Mat3, 36>;                   // pairs of corners (a, b), a <= b

    void add_group(std::span<const Vec3> rest, const PointGroup& group);
    void find_pattern(std::vector<CellPair> coupled);
    void assemble_cell(std::size_t cell, CellBlocks& blocks) const;
    void add_held(std::span<const HeldPoint> held);
    void add_pairs(std::span<const PointPair> pairs);
    void weights_of(std::size_t point, Real* N) const;

    std::vector<Cell> cells_;
    std::vector<CellPoint> points_;  // cell by cell
    std::vector<Vec3> place_;        // of nodes, at rest
    std::vector<std::uint32_t> corner_begin_;
    std::vector<CornerOfCell> corners_;   // of each node
    std::vector<std::uint32_t> cell_of_;  // of each point, and where in points_
    std::vector<std::uint32_t> slot_of_;

    PointSystem system_;
    std::vector<CellPair> coupled_;  // cells whose points push each other
    bool keeps_room_ = false;        // for pairs of this system that no longer push: another pattern takes long to make
    BlockPattern pattern_;
    std::vector<std::uint32_t> block_of_;  // 36 a cell: where a pair of corners goes
    std::vector<std::uint8_t> swapped_;
    std::vector<Mat3> blocks_;
    std::vector<CellBlocks> cell_blocks_;
    BlockCholesky cholesky_;
    bool has_coarse_ = false;

    std::vector<Mat3> inverse_diagonal_;
    std::vector<std::array<Vec3, 8>> partial_;
    std::vector<Vec3> coarse_right_, coarse_;
};

}  // namespace pliant
