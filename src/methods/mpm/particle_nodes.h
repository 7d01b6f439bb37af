// Some particles and the nodes around them, one by one: for what acts on few particles of a grid at rest. Values at
// the particles are sums over nodes with their weights, and what acts on particles is given to nodes by the transpose,
// so that momentum is kept.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/methods/mpm/sparse_grid.h"

namespace pliant {

class ParticleNodes {
public:
    // For a grid that was laid anew.
    void lay(const SparseGrid& grid);
    void choose(const SparseGrid& grid, std::span<const std::uint32_t> particles);

    std::size_t count() const { return rows_.size(); }
    void gather(std::span<const Vec3> nodes, std::span<Vec3> values) const;           // sum_i w_i x_i
    void scatter(std::span<const Vec3> values, std::span<Vec3> nodes) const;          // adds w_i f
    void scatter_squares(std::span<const Vec3> values, std::span<Vec3> nodes) const;  // adds w_i^2 f
    void push(std::span<const Vec3> impulses, std::span<const Real> mass,
              std::span<Vec3> velocity) const;  // w_i f / m_i

    std::size_t bytes() const;

private:
    struct Row {
        std::array<std::uint32_t, 27> node;
        std::array<Real, 27> weight;
    };
    struct Share {
        std::uint32_t node, row;
        Real weight;
    };
    struct Home {
        std::uint32_t block, place;
    };
    template <class Weight, class Give>
    void each_node(std::span<const Vec3> values, Weight&& weight, Give&& give) const;

    std::vector<Home> home_;  // of all particles
    std::vector<Row> rows_;
    std::vector<Share> shares_;         // by node
    std::vector<std::uint32_t> begin_;  // of each node's shares
};

}  // namespace pliant
