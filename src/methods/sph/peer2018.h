// Elastic solids, liquids and obstacles under one pressure.                                            [Peer18] Alg. 3
// A step: forces that act from outside, then elasticity by an implicit solve, then forces within liquids, then
// pressure, which has the last word on velocities because it keeps things apart, then friction, then positions and
// rigid bodies.
#pragma once

#include <memory>
#include <vector>

#include "pliant/contact/rigid_bodies.h"
#include "pliant/methods/emitters.h"
#include "pliant/methods/method.h"
#include "pliant/methods/sph/body_friction.h"
#include "pliant/methods/sph/boundary.h"
#include "pliant/methods/sph/elastic_solids.h"
#include "pliant/methods/sph/elastic_solve.h"
#include "pliant/methods/sph/keep_out.h"
#include "pliant/methods/sph/liquid_forces.h"
#include "pliant/methods/sph/loose_particles.h"
#include "pliant/methods/sph/medium_forces.h"
#include "pliant/methods/sph/near_rows.h"
#include "pliant/methods/sph/pressure.h"
#include "pliant/methods/sph/settings.h"

namespace pliant {

class Peer2018 : public Method {
public:
    // `given_step`: the scene's own, if it has one [s].
    Peer2018(const SphSettings& settings, const Model& model, std::optional<Real> given_step = {});

    void prepare(const ParticleState& state) override;
    Real largest_timestep(const ParticleState& state) override;
    void positions_changed(ParticleState& state) override { solids_.deform(state, 0); }
    void pins_changed(const ParticleState& state) override { elastic_solve_.pins_changed(state); }
    StepReport step(ParticleState& state, Real time, Real dt) override;
    Real elastic_energy(const ParticleState& state) const override { return solids_.energy(state); }
    std::vector<Quantity> quantities(const ParticleState& state) const override;
    std::vector<Placement> rigid_poses() const override { return rigids_.placements(); }
    const RigidBodies* rigid_bodies() const override { return &rigids_; }
    void save(Snapshot& snapshot) const override;
    void restore(const Snapshot& snapshot) override;
    std::size_t bytes() const override;

    // For tests and benchmarks.
    ElasticSolids& solids() { return solids_; }
    const PressureSolver& pressure() const { return pressure_; }
    const NearRows& rows() const { return rows_; }
    const RigidBodies& rigids() const { return rigids_; }

private:
    void apply_outer_forces(ParticleState& state, Real time, Real dt);
    void smooth_velocities(ParticleState& state, Real dt);
    void apply_elasticity(ParticleState& state, Real time, Real dt, StepReport& report);
    Real shorten(ParticleState& state, Real time, Real dt);
    void apply_pressure(ParticleState& state, Real time, Real dt, StepReport& report);
    void apply_friction(ParticleState& state);
    std::vector<Moduli> moduli_at(Real time) const;
    void follow_schedules(const ParticleState& state, Real time);
    void pour(ParticleState& state, Real time, Real dt);
    void sort_liquids(ParticleState& state);
    std::vector<float> density_at_rest(const ParticleState& state) const;
    Real largest_frequency(const ParticleState& state);

    SphSettings settings_;
    const Model& model_;
    bool may_shorten_;  // steps: those that the scene does not give
    Real spacing_;
    RigidBodies rigids_;
    Emitters emitters_;
    ElasticSolids solids_;
    ElasticSolve elastic_solve_;
    LooseParticles loose_;
    Boundary boundary_;
    NearRows rows_;
    KeepOut keep_out_;
    RawVector<float> motion_;  // quads of all points, that solves work with, one after the other
    PressureSolver pressure_;
    LiquidForces liquid_forces_;
    MediumForces medium_forces_;
    BodyFriction body_friction_;
    std::vector<PressureSolver::Push> pushes_;  // of friction and viscosity, on rigid bodies
    std::uint64_t steps_ = 0;
    Real scheduled_until_ = 0;  // the time that materials are as of [s]
    Real obstacle_speed_;
    Real frequency_ = 0;                              // largest, of explicit elasticity [1/s]
    std::vector<std::uint8_t> placed_around_;         // bodies that had particles within an obstacle at the start
    std::vector<ContactConstraints::Touch> touches_;  // of the last step, by the elastic solve
    std::vector<Vec3> work_;
    std::vector<Vec3> start_;  // velocities of solids at the start of a step that may become shorter
};

}  // namespace pliant
