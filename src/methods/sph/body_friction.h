// Coulomb's friction between solids of different bodies, by the impulses that pressure gave between them.
//     J_ij = -dt V_i V_j (p_i / d_i^2 + p_j / d_j^2) grad W_ij,   J_i = sum_j J_ij,   n = (J_i - J_j) / |J_i - J_j|
//     impulse on i = -min(friction J_ij.n, share m_i m_j / (m_i + m_j) |slip|) slip / |slip|
// with the slip across n, and a share of the pair that neither of the two exceeds by all its pairs: what rubs slows
// down and never turns round, so that friction does not limit the step. Momentum is kept, pair by pair.
#pragma once

#include <vector>

#include "pliant/methods/sph/near_rows.h"
#include "pliant/methods/sph/pressure.h"

namespace pliant {

class BodyFriction {
public:
    // After pressure was solved: changes velocities of the first `solids` particles.
    void apply(ParticleState& state, const NearRows& rows, const PressureSolver& pressure, std::size_t solids,
               Real friction, Real dt);
    std::size_t bytes() const { return pushed_.capacity() * (2 * sizeof(Vec3) + sizeof(Real)); }

private:
    std::vector<Vec3> pushed_;  // J_i [kg m/s]
    std::vector<Real> total_;   // sum_j |J_ij|
    std::vector<Vec3> change_;  // m/s
};

}  // namespace pliant
