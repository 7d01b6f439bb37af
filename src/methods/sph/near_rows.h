// Who is near whom now: for each particle the particles and boundary samples within the kernel's support, with the
// kernel's slope. Candidates are searched with a margin and serve until neighbours have moved apart by it; each update
// keeps those truly within the support, in ascending order, so that what is kept does not depend on when was searched.
//     s_ij = c V_j W'(r) / r,   so that   V_j grad W_ij = s_ij (x_i - x_j)
// The factor c makes the volumes of a lattice at rest sum up to one: c sum_j V_j W_ij = 1. Without it bodies would
// swell by 3.4 %.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/raw_vector.h"
#include "pliant/methods/sph/boundary.h"
#include "pliant/methods/sph/search_watch.h"
#include "pliant/particles/state.h"

namespace pliant {

class NearRows {
public:
    NearRows(Real spacing, Real support);  // m

    void update(const ParticleState& state, Boundary& boundary, Real time, Real dt);

    std::size_t particles() const { return density_.size(); }
    std::size_t points() const { return particles() + samples_; }  // with boundary samples behind

    // Rows have an even number of entries: the last may be the particle itself with slope zero.
    std::size_t begin(std::size_t i) const { return 2 * (candidates_.offsets[i] / 2 + i); }
    std::size_t end(std::size_t i) const { return begin(i) + count_[i]; }
    const std::uint32_t* index() const { return index_.data(); }
    const float* slope() const { return slope_.data(); }

    // Quads (x, y, z, V) of all points, from the middle of the scene.
    std::span<const float> place() const { return place_; }

    Real density(std::size_t i) const { return density_[i]; }  // c sum_j V_j W_ij, the particle itself included
    Real support() const { return support_; }
    Real kernel_scale() const { return scale_; }
    Real average_count() const;

    std::size_t bytes() const;

private:
    bool candidates_serve(const ParticleState& state, const Boundary& boundary, Real time);
    void search(const ParticleState& state, Boundary& boundary, Real time, Real dt);
    void keep_near(std::size_t i);

    Real support_, scale_;
    NeighbourSearch search_;
    NeighbourLists candidates_;
    SearchWatch watch_;
    int served_;       // updates, by the last search
    int without_ = 0;  // searches to come that have no margin
    std::size_t samples_ = 0;
    RawVector<float> place_;
    RawVector<std::uint32_t> index_;
    RawVector<float> slope_;
    std::vector<std::uint32_t> count_;
    std::vector<float> density_;
};

}  // namespace pliant
