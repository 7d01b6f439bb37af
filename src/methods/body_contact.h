// Contact between bodies for methods that step explicitly: particles of two bodies push each other apart when they are
// closer than their mean spacing, with Coulomb friction. Forces are equal and opposite in pairs, so linear momentum is
// kept; angular momentum is kept but for friction, whose two forces act a distance apart.
#pragma once

#include <vector>

#include "pliant/methods/model.h"
#include "pliant/methods/nearby_pairs.h"
#include "pliant/particles/state.h"

namespace pliant {

class BodyContact {
public:
    // `stiffness`: the push over the softer body's modulus x spacing.
    BodyContact(const Model& model, Real stiffness) : model_(model), stiffness_(stiffness), near_(model) {}

    // Adds the forces [N] of all pairs in touch. Nothing to do with fewer than two bodies. Particles of two bodies at
    // the very same place have no direction to part in, and leave each other alone.
    void add_forces(const ParticleState& state, Real dt, std::vector<Vec3>& force);

    Real largest_timestep() const;  // at which the push between two bodies is stable [s]
    std::size_t bytes() const { return near_.bytes(); }

private:
    void add_pair_force(const ParticleState& state, std::size_t i, std::size_t j, Real dt, Vec3& force) const;

    const Model& model_;
    Real stiffness_;
    NearbyPairs near_;
};

}  // namespace pliant
