// Nodes at surfaces that little matter reaches. Particles cannot tell all motions of such nodes apart, so that nothing
// but a small mass resists some of them: where matter is stiff, that makes the matrix of an implicit step ill. Their
// velocities are therefore those of the nodes further in, continued linearly:
//     v_i = sum_j E_ij v_j,        sum_j E_ij = 1,  sum_j E_ij x_j = x_i
// as extended B-splines do at trimmed boundaries [Hoellig01]. The step is then a minimisation over fewer unknowns.
// Shifts and turns are among them, so that momentum is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/methods/mpm/sparse_grid.h"
#include "pliant/particles/state.h"

namespace pliant {

class LightNodes {
public:
    // Nodes in `touched` stay free, and those around which too few others are.
    void find(const SparseGrid& grid, const ParticleState& state, std::span<const std::uint32_t> touched);
    void clear() { light_.clear(); }

    void follow(std::span<Vec3> velocity) const;  // sets the light ones' part
    void reduce(std::span<Vec3> force) const;     // E^T: gives the light ones' share to those they follow
    void add_diagonal(std::span<Vec3> diagonal) const;

    bool empty() const { return light_.empty(); }
    std::size_t count() const { return light_.size(); }
    std::size_t bytes() const;

private:
    struct Link {
        std::uint32_t node;
        Real weight;
    };
    struct Row {
        std::uint32_t node, begin, end;  // of links
    };

    std::vector<Row> light_;
    std::vector<Link> followed_;
};

}  // namespace pliant
