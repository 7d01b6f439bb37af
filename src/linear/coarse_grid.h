// A coarse grid of cubes below points, trilinear weights N_a and three unknowns a node: the second level of
// preconditioners. Its matrix Ac is summed up over the cells and factored anew whenever numbers change; then
//     z = z0 + P Ac^-1 P^T r,        (P x)_i = sum_a N_a(i) x_a
// Only cells that are named exist. The same bits come out at any number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/linear/block_cholesky.h"
#include "pliant/linear/point_system.h"
#include "pliant/math/simd.h"
#include "pliant/math/types.h"

namespace pliant {

// Trilinear weights of the corners of a cell at u, 0 to 1 within it; corner c: bit 0, 1, 2 = x, y, z.
template <class T>
void trilinear_weights(const T* u, T* N) {
    const T x[2] = {T(1) - u[0], u[0]}, y[2] = {T(1) - u[1], u[1]}, z[2] = {T(1) - u[2], u[2]};
    for (int c = 0; c < 8; ++c) N[c] = x[c & 1] * y[c >> 1 & 1] * z[c >> 2];
}

class CoarseGrid {
public:
    struct Cell {
        std::uint32_t begin = 0, end = 0;  // its points
        std::uint32_t node[8] = {};
        Real size = 0;
    };
    struct Point {
        std::uint32_t point;
        float u[3];  // within the cell
    };
    using Place = std::array<std::int32_t, 3>;                 // of a cell or node in the lattice
    using CellPair = std::pair<std::uint32_t, std::uint32_t>;  // the lower number first
    using CellBlocks = std::array<Mat3, 36>;                   // pairs of corners (a, b), a <= b

    void clear();
    // Adds cells of a lattice from `origin` on, in ascending order of z, then y, then x, that share no nodes with those
    // that are there already.
    void add_cells(std::span<const Place> places, const Vec3& origin, Real size);
    // After the last of them, and again when cells with points that push each other are others.
    void find_pattern(std::vector<CellPair> coupled);
    // The points, cell by cell, and how many there are. All cells' begin and end must be set.
    std::vector<Point>& points() { return points_; }
    std::span<const Point> points() const { return points_; }
    void index_points(std::size_t count);

    std::span<Cell> cells() { return cells_; }
    std::span<const Cell> cells() const { return cells_; }
    std::size_t node_count() const { return place_.size(); }
    std::uint32_t cell_of(std::size_t point) const { return cell_of_[point]; }
    const std::vector<CellPair>& coupled() const { return coupled_; }

    // Ac = sum over cells, with what stands at single points and at pairs of them; then its factors. False where there
    // is nothing to solve with.
    void clear_matrix();
    void add_cell(std::size_t cell, const CellBlocks& blocks);
    void add_at(std::uint32_t point, const Mat3& block);  // N_a N_b block
    void add_between(const PointPair& pair);
    bool factor();

    // z_i = first(i) + (P Ac^-1 P^T r)_i for all points
    template <class First>
    void apply(std::span<const Vec3> r, std::span<Vec3> z, First&& first) {
        restrict_and_solve(r);
        parallel_for(
            cells_.size(),
            [&](std::size_t c) {
                for (std::uint32_t k = cells_[c].begin; k < cells_[c].end; ++k) {
                    Real N[8];
                    const Point& p = points_[k];
                    weights_at(p, N);
                    Vec3 value = first(p.point);
                    for (std::size_t a = 0; a < 8; ++a) value += N[a] * coarse_[cells_[c].node[a]];
                    z[p.point] = value;
                }
            },
            cells_a_block);
    }

    std::size_t bytes() const;

    static constexpr std::size_t cells_a_block = 8;  // of parallel loops

private:
    struct CornerOfCell {
        std::uint32_t cell, corner;
    };
    static void weights_at(const Point& p, Real* N) {
        const Real u[3] = {p.u[0], p.u[1], p.u[2]};
        trilinear_weights(u, N);
    }
    void restrict_and_solve(std::span<const Vec3> r);

    std::vector<Cell> cells_;
    std::vector<Point> points_;  // cell by cell
    std::vector<Vec3> place_;    // of nodes
    std::vector<std::uint32_t> corner_begin_;
    std::vector<CornerOfCell> corners_;   // of each node
    std::vector<std::uint32_t> cell_of_;  // of each point, and where in points_
    std::vector<std::uint32_t> slot_of_;

    std::vector<CellPair> coupled_;  // cells whose points push each other
    BlockPattern pattern_;
    std::vector<std::uint32_t> block_of_;  // 36 a cell: where a pair of corners goes
    std::vector<std::uint8_t> swapped_;
    std::vector<Mat3> blocks_;
    BlockCholesky cholesky_;

    std::vector<std::array<Vec3, 8>> partial_;
    std::vector<Vec3> coarse_right_, coarse_;
};

// The elastic part of a cell's blocks by quadrature: with r_a = T grad_u N_a,
//     O_ab = sum r_a r_b^T,    M_ab = sum m N_a N_b
// four points at a time.
class CellQuadrature {
public:
    CellQuadrature();
    void add(const Double4* u, Double4 mass, const Double4* T);  // T: 9, column by column
    // mu (tr(O_ab) + ...) as whoever sums wants it: (shear tr(O) + M) 1 + turned O^T + across O
    void finish(Real shear, Real turned, Real across, CoarseGrid::CellBlocks& blocks) const;

private:
    Double4 O_[36][9], M_[36];
};

}  // namespace pliant
