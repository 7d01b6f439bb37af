// Contact between bodies for methods that step explicitly: particles of two bodies push each other apart when they are
// closer than their mean spacing, with Coulomb friction. Forces are equal and opposite in pairs, so linear momentum is
// kept; angular momentum is kept but for friction, whose two forces act a distance apart.
#pragma once

#include <vector>

#include "pliant/geometry/neighbours.h"
#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

class BodyContact {
public:
    // `stiffness`: the push over the softer body's modulus x spacing.
    BodyContact(const Model& model, Real stiffness) : model_(model), stiffness_(stiffness) {}

    // Adds the forces [N] of all pairs in touch. Nothing to do with fewer than two bodies. Particles of two bodies at
    // the very same place have no direction to part in, and leave each other alone.
    void add_forces(const ParticleState& state, Real dt, std::vector<Vec3>& force);

    Real largest_timestep() const;  // at which the push between two bodies is stable [s]
    std::size_t bytes() const;

private:
    void find_pairs(const ParticleState& state);
    void choose_candidates(const ParticleState& state, Real reach);
    void add_pair_force(const ParticleState& state, std::size_t i, std::size_t j, Real dt, Vec3& force) const;

    const Model& model_;
    Real stiffness_;
    NeighbourSearch search_;
    std::vector<std::uint32_t> candidates_;  // particles close to another body
    std::vector<Vec3> candidate_position_;
    NeighbourLists near_;  // among the candidates
    std::vector<Vec3> searched_at_;
    Real margin_ = 0;
};

}  // namespace pliant
