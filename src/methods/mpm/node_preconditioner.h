// Preconditioner of Newton's systems over the nodes of the grid: a diagonal and, where matter is stiff for its step, a
// coarser grid (CoarseNodes),
//     z = D^-1 r + P Ac^-1 P^T r
#pragma once

#include <span>
#include <vector>

#include "pliant/methods/mpm/body_pairs.h"
#include "pliant/methods/mpm/coarse_nodes.h"
#include "pliant/methods/mpm/light_nodes.h"
#include "pliant/methods/mpm/node_contacts.h"

namespace pliant {

class NodePreconditioner {
public:
    // Before the linear systems of one step on one grid.
    void begin() { state_ = State::unknown; }

    // Whether matter is so stiff for its step that more than a diagonal pays.
    bool is_stiff(const SparseGrid& grid, std::span<const Real> mass, const TangentFactors& tangents) {
        find_diagonal(grid, mass, tangents);
        return is_stiff(mass);
    }

    // For these tangents, what contacts hold, and nodes that follow others. `last` is the number of iterations that the
    // system before took: a coarse matrix that serves well is kept.
    void set_system(const SparseGrid& grid, std::span<const Real> mass, const TangentFactors& tangents,
                    const NodeContacts& contacts, const LightNodes& light, int last, BodyPairs* pairs = nullptr);

    void operator()(std::span<const Vec3> r, std::span<Vec3> z);

    std::span<const Vec3> diagonal() const { return diagonal_; }  // D
    void drop_coarse() { state_ = State::one_level; }             // until begin()
    bool has_coarse() const { return state_ == State::two_levels; }
    std::size_t bytes() const { return diagonal_.capacity() * sizeof(Vec3) + coarse_.bytes(); }

private:
    enum class State { unknown, one_level, two_levels };
    void find_diagonal(const SparseGrid& grid, std::span<const Real> mass, const TangentFactors& tangents);
    bool is_stiff(std::span<const Real> mass) const;

    State state_ = State::unknown;
    std::vector<Vec3> diagonal_;
    CoarseNodes coarse_;
    std::vector<HeldPoint> held_, new_held_;
};

}  // namespace pliant
