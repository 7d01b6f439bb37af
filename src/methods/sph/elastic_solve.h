// The implicit step of elastic solids: (M + dt^2 K) dv = dt f(x + dt v), with some particles' velocities given.
//                                                                                   [Peer18] eq. 24, in mass form
// Conjugate gradients start from where the accelerations of the last two steps lead: one evaluation of the forces there
// gives what is left.
// Where bodies are stiff and steps long, conjugate gradients get the two-level grid as preconditioner, and if that is
// asked for a matrix that is factored once, which knows nothing of bending: the stiffest bodies need both. Where they
// are soft enough, products are made in single precision.
// Where sound gets further than a few particles in a step, contact with obstacles is part of the solve: pressure alone,
// which comes after it, stops but the particles in touch, and they are few.
#pragma once

#include <vector>

#include "pliant/linear/conjugate_gradients.h"
#include "pliant/linear/grid_preconditioner.h"
#include "pliant/methods/contact_constraints.h"
#include "pliant/methods/sph/elastic_solids.h"
#include "pliant/methods/sph/prefactored.h"

namespace pliant {

class ElasticSolve {
public:
    ElasticSolve(const Model& model, const SphSettings& settings, ElasticSolids& solids)
        : model_(model), settings_(settings), solids_(solids), contacts_(model, true) {}

    void prepare(const ParticleState& state);
    void pins_changed(const ParticleState& state);
    void moduli_changed();
    void rest_changed();

    // Adds to the velocities of the solids; those of pinned particles stay.
    CgReport solve(ParticleState& state, Real time, Real dt);

    // How far sound gets in a step, in spacings; the largest of all bodies.
    Real stiffness(Real dt) const;
    int factorisations() const { return prefactored_.count(); }
    Real residual() const { return residual_; }       // of the last solve, as its stopping rule measures it
    bool holds_contacts() const { return touches_; }  // with obstacles, in the last solve
    std::vector<ContactConstraints::Touch> touches() const {
        return touches_ ? contacts_.touches() : std::vector<ContactConstraints::Touch>();
    }
    std::size_t contacts() const { return touches_ ? contacts_.count() : 0; }
    void let_stay_inside(std::vector<std::uint8_t> bodies) { contacts_.let_stay_inside(std::move(bodies)); }

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
    std::size_t bytes() const;

private:
    bool serves_roughly(Real dt) const;  // single precision
    bool may_touch() const { return settings_.pressure && !model_.colliders.empty(); }
    struct Preconditioners {
        bool grid = false, prefactored = false;
    };
    Preconditioners choose_preconditioners(const ParticleState& state, Real dt);
    void precondition(Preconditioners which, std::span<const Vec3> r, std::span<Vec3> z);
    struct System {
        Real dt;
        Preconditioners which;
        bool is_rough;  // products in single precision
        Real impulse;   // that relative residuals are relative to
        std::span<const HeldPoint> held;
    };
    CgReport improve(const ParticleState& state, const System& system, Real times, bool starts_at_zero);
    CgReport solve_with_contacts(ParticleState& state, Real time, System system);
    Real start(const ParticleState& state, Real dt, bool may_guess);
    void set_system(const ParticleState& state, Real dt);
    void complete_momentum(const ParticleState& state, std::span<const HeldPoint> held);

    const Model& model_;
    const SphSettings& settings_;
    ElasticSolids& solids_;
    std::vector<PointGroup> groups_;
    std::vector<HeldPoint> pinned_;
    std::vector<Real> frequency_;  // c / h of each body [1/s]
    bool knows_points_ = false;
    GridPreconditioner preconditioner_;
    PrefactoredOperator prefactored_;
    ConjugateGradients solver_;
    Real residual_ = 0;
    std::span<const Vec3> left_;  // of the last solve
    ContactConstraints contacts_;
    bool touches_ = false;                           // contacts are part of the last solve
    std::vector<Mat3> stiffness_, diagonal_, turn_;  // only with the preconditioner
    std::vector<Real> mu_, lambda_;
    std::vector<Vec3> right_, change_;
    std::vector<Vec3> force_, expected_, reaction_;  // only with contacts
    std::vector<Vec3> by_grid_;                      // only with both preconditioners
    std::vector<Eigen::Vector3f> acceleration_;      // by elasticity, in the last step [m/s^2]
    std::vector<Eigen::Vector3f> guess_;             // of the next one; within a step, of the change of velocity
};

}  // namespace pliant
