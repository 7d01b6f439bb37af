// Elasto-plastic particles, integrated implicitly.                                    [Zhou13], with [Bargteil07] flow
// Symbols: q = position, v = velocity, Fe = elastic deformation gradient, R = its rotation, K = stiffness matrix.
//
// Where we deviate: rotations are taken at the current positions, not at predicted ones, which would brake every
// rotation; the rest state stays while nothing flows, so that elastic bodies do not creep; a penalty acts on motion
// that no deformation gradient sees; the step is solved for the change of velocity, so that its accuracy does not
// depend on where the origin is. The signs and factors of the printed forces are corrected; see docs/mls.md.
#pragma once

#include <optional>
#include <vector>

#include "pliant/linear/conjugate_gradients.h"
#include "pliant/linear/grid_preconditioner.h"
#include "pliant/methods/body_contact.h"
#include "pliant/methods/contact_constraints.h"
#include "pliant/methods/contact_pairs.h"
#include "pliant/methods/method.h"
#include "pliant/methods/mls/elastic_points.h"
#include "pliant/methods/mls/rest_shape.h"
#include "pliant/methods/mls/settings.h"

namespace pliant {

class Zhou2013 : public Method {
public:
    enum class Time { implicit_euler, symplectic_euler, cheaper };  // the last: chosen when prepared

    // `given_step`: the scene's own, if it has one [s].
    Zhou2013(const MlsSettings& settings, Time time, const Model& model, std::optional<Real> given_step = {});

    void prepare(const ParticleState& state) override;
    Real largest_timestep(const ParticleState& state) override { return largest_timestep(state, time_); }
    void positions_changed(ParticleState& state) override { deform(state, 0); }
    void pins_changed(const ParticleState& state) override { contacts_.pins_changed(state); }
    StepReport step(ParticleState& state, Real time, Real dt) override;
    Real elastic_energy(const ParticleState& state) const override;
    std::vector<Quantity> quantities(const ParticleState& state) const override;
    void save(Snapshot& snapshot) const override;
    void restore(const Snapshot& snapshot) override;
    std::size_t bytes() const override;
    std::string choice() const override { return choice_; }

    // For tests and benchmarks.
    ElasticPoints& elastic() { return elastic_; }
    const RestShape& rest() const { return rest_; }
    std::size_t deform(ParticleState& state, Real dt);
    void linearise(const ParticleState& state);
    // `known`: what the elastic part of the matrix makes of dv, if that is known; still so if nothing was iterated.
    CgReport solve(const ParticleState& state, Real dt, std::span<const Vec3> b, std::span<Vec3> dv, Real reference,
                   Real tolerance, std::span<Vec3> known = {});
    void multiply(const ParticleState& state, Real dt, std::span<const Vec3> x, std::span<Vec3> result);

private:
    void solve_velocities(ParticleState& state, Real time, Real dt, StepReport& report);
    void solve_motion(const ParticleState& state, Real dt, Real reference, StepReport& report);
    Real take_rotations_after(const ParticleState& state, Real dt);
    void gather_right_side(const ParticleState& state, Real dt);
    Real solve_contacts(const ParticleState& state, Real dt, Real reference, StepReport& report);
    Real strain_energy(const ParticleState& state) const;
    Real strain_energy(const ParticleState& state, std::size_t i, const Vec3& sigma) const;
    bool flow_particle(ParticleState& state, std::size_t i, const Svd& F, Real dt);
    const Elasticity& law_of(const ParticleState& state, std::size_t i) const {
        return model_.material_of(state.body[i]).elasticity;
    }
    void accelerate(ParticleState& state, Real time, Real dt, StepReport& report);
    void set_system(const ParticleState& state, Real dt);
    void factor();
    bool may_touch(const ParticleState& state, std::size_t i, std::size_t j) const;
    void add_contact_product(std::span<const Vec3> x, std::span<Vec3> result) const;
    void complete_momentum(const ParticleState& state, std::span<const Vec3> residual, std::span<Vec3> dv,
                           std::span<Vec3> known) const;
    Real take_rotations(const ParticleState& state, std::span<const Vec3> positions);
    WideMat3<Double4> deformation(const ParticleState& state, std::size_t pack) const;
    void renew_rest_shape(const ParticleState& state, bool is_yielding);
    void take_rest_shape();
    void eliminate_tips();
    Real largest_timestep(const ParticleState& state, Time time) const;
    void choose_time(const ParticleState& state);

    MlsSettings settings_;
    Time time_;
    std::optional<Real> given_step_;
    const Model& model_;
    RestShape rest_;
    ElasticPoints elastic_;
    BodyContact body_contact_;
    ContactConstraints contacts_;
    ContactPairs pairs_;
    std::vector<Vec3> outward_;          // of surface particles at rest, zero inside
    PointElimination tips_;              // particles that hang loosely
    GridPreconditioner preconditioner_;  // of the others
    bool has_factors_ = false;           // of the contacts as they are
    ConjugateGradients solver_;
    Real obstacle_speed_;
    std::vector<PointGroup> groups_;  // bodies, for the preconditioner
    std::string choice_;
    Real frequency_ = 0;             // largest, of the explicit integrator [1/s]
    std::vector<Mat3> stiffness_;    // blocks on the diagonal of K, in rest space [N/m]
    std::vector<Real> mu_, lambda_;  // of the current system
    std::vector<Mat3> diagonal_, turn_;
    std::vector<Vec3> predicted_, force_, right_, change_, impulse_;
    std::vector<Vec3> elastic_product_;  // (M + dt^2 K) change_
    std::vector<Vec3> best_;             // velocities with the least energy, of a step linearised more than once
};

}  // namespace pliant
