// A matrix over the nodes of the grid whose entries are plain numbers, one for all three axes:
//     A = diag(m) + sum_p (w_i d_i) . S_p (w_j d_j)        S_p symmetric, 3 x 3
// Stored in single precision, 125 numbers a row: each node sees those up to two away on each axis. The product is then
// a fifth of the work of going over the particles; what rounding does to it is the business of who uses it.
#pragma once

#include <span>
#include <vector>

#include "pliant/geometry/raw_vector.h"
#include "pliant/methods/mpm/matter.h"
#include "pliant/methods/mpm/sparse_grid.h"

namespace pliant {

class NodeMatrix {
public:
    static constexpr std::size_t row_size = 125;

    // Symmetric S a place of the grid: xx yy zz xy xz yz; zero where there is nobody.
    struct Symmetric {
        float number[6];
    };
    void assemble(const SparseGrid& grid, std::span<const Real> mass, std::span<const Symmetric> S);

    void multiply(const SparseGrid& grid, std::span<const Vec3> x, std::span<Vec3> result) const;
    Real diagonal(std::size_t node) const { return rows_[node * row_size + row_size / 2]; }
    std::span<const float> row(std::size_t node) const { return {&rows_[node * row_size], row_size}; }
    std::size_t bytes() const { return rows_.capacity() * sizeof(float); }

private:
    RawVector<float> rows_;
};

}  // namespace pliant
