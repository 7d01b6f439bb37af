// Nodes at surfaces that little matter reaches. Particles cannot tell all motions of such nodes apart, so that nothing
// but a small mass resists some of them: where matter is stiff, that makes the matrix of an implicit step ill. Their
// velocities are therefore those of the nodes further in, continued linearly:
//     v_i = sum_j E_ij v_j,        sum_j E_ij = 1,  sum_j E_ij x_j = x_i
// as extended B-splines do at trimmed boundaries [Hoellig01]. The step is then a minimisation over fewer unknowns.
// Shifts and turns are among them, so that momentum is kept.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/geometry/raw_vector.h"
#include "pliant/methods/mpm/sparse_grid.h"
#include "pliant/particles/state.h"

namespace pliant {

class LightNodes {
public:
    // Nodes in `touched` stay free, those around which too few others are, and those that matter reaches of bodies
    // which may come apart.
    void find(const SparseGrid& grid, const ParticleState& state, std::span<const std::uint32_t> touched,
              std::span<const std::uint8_t> comes_apart);
    void clear();

    void follow(std::span<Vec3> velocity) const;  // sets the light ones' part
    void reduce(std::span<Vec3> force) const;     // E^T: gives the light ones' share to those they follow
    void add_diagonal(std::span<Vec3> diagonal) const;

    bool empty() const { return count_ == 0; }
    std::size_t count() const { return count_; }
    std::size_t bytes() const;

private:
    struct Row {
        std::uint32_t node, begin, end;  // of what it follows
    };
    struct Group {  // the rows of a block of nodes
        std::uint32_t block, begin, end;
        std::uint32_t link;  // its first
    };
    struct Size {
        std::uint32_t rows = 0, links = 0;
    };
    void lay_out(const SparseGrid& grid, std::span<const Size> sizes);
    // body(row) for all of them, such that those that run at the same time follow no nodes in common.
    template <class Body>
    void each_row_apart(Body&& body) const;

    RawVector<Row> rows_;
    RawVector<std::uint32_t> followed_;
    RawVector<Real> weight_;
    std::vector<Group> groups_;  // colour by colour: groups of one are two blocks apart
    std::array<std::size_t, 9> colour_start_{};
    std::size_t count_ = 0;
};

}  // namespace pliant
