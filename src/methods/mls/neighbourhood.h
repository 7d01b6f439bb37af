// The neighbours of each particle within its own body, as they are now, with their kernel weights.
// Candidates are searched with a margin and serve until some particle has moved half of it against its body; from them
// each update keeps those truly within the support, in ascending order. What is kept therefore does not depend on when
// the candidates were last searched, and a restart needs none of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/raw_vector.h"
#include "pliant/math/kernels.h"
#include "pliant/math/simd.h"
#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

// Particles lie body by body: [first, last) of each.
struct NeighbourRow {
    std::span<const std::uint32_t> index;  // j
    std::span<const Real> weight;          // w_ij = W(|q_ij|, H)
    std::span<const Real> slope;           // -W'(|q_ij|) / |q_ij|, at least zero; of two particles in one place: zero
};

class Neighbourhood {
public:
    Neighbourhood(const Model& model, Real support_in_spacings, KernelKind kernel);

    void update(const ParticleState& state);

    NeighbourRow operator[](std::size_t i) const {
        const std::size_t begin = row_begin_[i], count = row_count_[i];
        return {{index_.data() + begin, count}, {weight_.data() + begin, count}, {slope_.data() + begin, count}};
    }
    const std::vector<BodyRange>& bodies() const { return bodies_; }
    Real support(std::size_t body) const { return support_ * model_.bodies[body].spacing; }
    Real average_count() const;

    // Position and mass of each particle side by side, as of the last update: one load a neighbour.
    const RawVector<Double4>& place() const { return place_; }
    std::size_t bytes() const;

private:
    bool candidates_still_serve(const ParticleState& state) const;
    void search(const ParticleState& state);
    template <class Kernel>
    void keep_neighbours();

    const Model& model_;
    Real support_;
    KernelKind kernel_;
    std::vector<BodyRange> bodies_;
    std::vector<Vec3> searched_at_;
    NeighbourSearch search_;
    std::vector<NeighbourLists> candidates_;  // one list a body, numbered from the body's first
    RawVector<std::uint64_t> row_begin_;
    RawVector<std::uint32_t> row_count_;
    RawVector<std::uint32_t> index_;
    RawVector<Real> weight_, slope_;
    RawVector<Double4> place_;
};

}  // namespace pliant
