// What acts within liquids besides pressure.
// Viscosity, in the form that keeps angular momentum [Monaghan05]:
//     F_i = 10 V_i sum_j mu_ij V_j (v_ij.x_ij) / (|x_ij|^2 + 0.01 H^2) grad W_ij
// between particles of liquids, and of a liquid with solids, obstacles and rigid bodies, which it so clings to. Thick
// liquids are solved for implicitly, (M + dt C) v = M v*, by conjugate gradients.
// Surface tension by cohesion between particles of a liquid [Akinci13]:
//     F_ij = -k m_i m_j C(|x_ij|) x_ij / |x_ij|
// with k such that a lattice of particles has the surface energy per area that the liquid is said to have [N/m].
#pragma once

#include <vector>

#include "pliant/linear/conjugate_gradients.h"
#include "pliant/methods/sph/near_rows.h"
#include "pliant/methods/sph/pressure.h"

namespace pliant {

class LiquidForces {
public:
    // `motion` is memory to work with, which others may use in between.
    LiquidForces(const Model& model, Real spacing, Real support, RawVector<float>& motion);

    bool has_viscosity() const { return largest_viscosity_ > 0; }
    bool has_tension() const;

    // Change velocities by a step's worth of these. Rows must be those of the positions now. What rigid bodies get is
    // added to `pushes`, one a body.
    CgReport apply_viscosity(ParticleState& state, const NearRows& rows, const Boundary& boundary, Real dt,
                             std::span<PressureSolver::Push> pushes);
    void apply_tension(ParticleState& state, const NearRows& rows, Real dt);

    // A liquid is thick if its particles would share their speed within a step.
    bool is_thick(Real dt) const;

    std::size_t bytes() const {
        return change_.capacity() * sizeof(change_[0]) + 5 * right_.capacity() * sizeof(Vec3);  // three of the solver
    }

private:
    void set_motion(std::span<const Vec3> v, const NearRows& rows, std::span<const Vec3> boundary);
    void push_rigids(const ParticleState& state, const NearRows& rows, const Boundary& boundary,
                     std::span<PressureSolver::Push> pushes) const;
    Vec3 drag(std::size_t i, const NearRows& rows, Real volume) const;  // N, for the motion set before

    Real spacing_, support_;
    Real largest_viscosity_ = 0;    // Pa s
    Real largest_diffusivity_ = 0;  // m^2/s
    std::vector<float> viscosity_;  // of bodies, 0 of solids
    std::vector<float> tension_;    // k of bodies
    RawVector<float>& quads_;       // (v, mu) of all points
    ConjugateGradients solver_;
    std::vector<Vec3> right_, solution_;   // of the implicit solve
    std::vector<Eigen::Vector3f> change_;  // of velocities [m/s]
};

}  // namespace pliant
