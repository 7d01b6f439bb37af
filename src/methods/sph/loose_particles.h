// Particles of a body that has melted and sets, while they are far from where it wants them. Elastic forces grow with
// distance without bound, and with the moduli as fast as the schedule says: a particle that was washed away would be
// shot back. One that is far off when its body sets begins to be held softly and is held firmer as time goes on, slowly
// until it is near, and with forces that fall with the inverse of the distance. From when it is held as firmly as its
// material says, and for all that were near, moduli are what they are said to be.
//     stretch_i^2 = sum_j g_ij |x_ij|^2 / sum_j g_ij |X_ij|^2
//     share_i = min(1, (w_i h / c)^2, (near / stretch_i)^2),   dw_i/dt = w_i / T
// w is the frequency that a particle is held with, c the speed of sound in its material, h the spacing.
#pragma once

#include <span>
#include <vector>

#include "pliant/methods/sph/elastic_solids.h"

namespace pliant {

class LooseParticles {
public:
    // Nothing is loose unless a schedule takes the stiffness from a material.
    void prepare(const Model& model, const ElasticSolids& solids);

    // By which share of their material's moduli the solids' particles are held now, which is `elapsed` [s] after the
    // last time; empty if all are held fully.
    std::span<const Real> shares(const Model& model, const ParticleState& state, const ElasticSolids& solids,
                                 std::span<const Moduli> of_materials, Real elapsed);

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);

private:
    std::vector<Real> held_;  // w [1/s]; 0 while it is liquid, infinity once it is firm
    std::vector<Real> share_;
};

}  // namespace pliant
