// A coarser grid below the nodes of the grid, for preconditioning: it solves exactly, and at once, for what conjugate
// gradients would carry from node to node.
//     z = z0 + P Ac^-1 P^T r
// A coarse cell is where the particles of one block of the grid are or, of large bodies, those of 2^3, 4^3 ... blocks.
// Nodes outside of all cells, by half a cell of the grid, are extrapolated to: so every coarse node feels particles.
// Ac is by quadrature, with packs of four particles for its points. Each has the mean over all rotations of its
// tangent,
//     lambda tr(G)^2 + mu |G|^2 + nu G:G^T,        G = v (T g)^T,  T = U (B V)^T
// for a velocity v times the weight of a coarse node, g its gradient; see TangentFactors. It stays positive. Masses are
// those of the nodes, and held nodes hold the coarse grid by their share of the diagonal D.
#pragma once

#include <span>
#include <vector>

#include "pliant/linear/coarse_grid.h"
#include "pliant/methods/mpm/sparse_grid.h"
#include "pliant/methods/mpm/tangent_factors.h"

namespace pliant {

class CoarseNodes {
public:
    // For a grid that was laid anew.
    void lay(const SparseGrid& grid);

    // False where there is nothing to solve with.
    bool set_system(const SparseGrid& grid, std::span<const Real> mass, const TangentFactors& tangents,
                    std::span<const Vec3> diagonal, std::span<const HeldPoint> held);

    // z_i = first(i) + (P Ac^-1 P^T r)_i over nodes
    template <class First>
    void apply(std::span<const Vec3> r, std::span<Vec3> z, First&& first) {
        coarse_.apply(r, z, first);
    }

    std::size_t node_count() const { return coarse_.node_count(); }
    std::size_t bytes() const;

private:
    struct HomeOfCell {
        CoarseGrid::Place cell;
        std::uint32_t home;  // a block with particles
    };
    void find_cells(const SparseGrid& grid);
    void find_owners(const SparseGrid& grid);
    void fill_points(const SparseGrid& grid);
    void assemble(const SparseGrid& grid, std::span<const Real> mass, const TangentFactors& tangents, std::size_t cell,
                  CoarseGrid::CellBlocks& blocks);
    int width() const { return SparseGrid::block_width << level_; }  // of a cell, in nodes
    // Of a home, in nodes from where its coarse cell begins.
    int begin_of(const SparseGrid::Home& home, std::size_t axis) const {
        return (home.at[axis] & ((1 << level_) - 1)) * SparseGrid::block_width;
    }

    int level_ = 0;
    std::vector<HomeOfCell> homes_;          // cell by cell
    std::vector<std::uint32_t> home_begin_;  // of each cell
    std::vector<CoarseGrid::Place> places_;  // of cells, from the lowest
    std::vector<std::uint32_t> owner_;       // of nodes: the home they are interpolated from
    std::vector<std::uint32_t> first_;       // of homes: where their points begin
    CoarseGrid coarse_;
    std::vector<CoarseGrid::CellBlocks> cell_blocks_;  // of some cells at a time
};

}  // namespace pliant
