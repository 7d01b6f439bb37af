// The implicit step of elastic solids: (M + dt^2 K) dv = dt f(x + dt v), with some particles' velocities given.
//                                                                                   [Peer18] eq. 24, in mass form
// Conjugate gradients start from where the accelerations of the last two steps lead: one evaluation of the forces there
// gives what is left.
// Where bodies are stiff and steps long, conjugate gradients get the two-level grid as preconditioner, and if that is
// asked for a matrix that is factored once, which knows nothing of bending: the stiffest bodies need both. Where they
// are soft enough, products are made in single precision.
#pragma once

#include <vector>

#include "pliant/linear/conjugate_gradients.h"
#include "pliant/linear/grid_preconditioner.h"
#include "pliant/methods/sph/elastic_solids.h"
#include "pliant/methods/sph/prefactored.h"

namespace pliant {

class ElasticSolve {
public:
    ElasticSolve(const Model& model, const SphSettings& settings, ElasticSolids& solids)
        : model_(model), settings_(settings), solids_(solids) {}

    void prepare(const ParticleState& state);
    void pins_changed(const ParticleState& state);
    void moduli_changed();
    void rest_changed();

    // Adds to the velocities of the solids; those of pinned particles stay.
    CgReport solve(ParticleState& state, Real dt);

    // How far sound gets in a step, in spacings; the largest of all bodies.
    Real stiffness(Real dt) const;
    int factorisations() const { return prefactored_.count(); }
    Real residual() const { return residual_; }  // of the last solve, as its stopping rule measures it

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
    std::size_t bytes() const;

private:
    bool serves_roughly(Real dt) const;  // single precision
    struct Preconditioners {
        bool grid = false, prefactored = false;
    };
    Preconditioners choose_preconditioners(const ParticleState& state, Real dt);
    void precondition(Preconditioners which, std::span<const Vec3> r, std::span<Vec3> z);
    Real start(const ParticleState& state, Real dt);
    void set_system(const ParticleState& state, Real dt);
    void complete_momentum(const ParticleState& state, std::span<const Vec3> residual);

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
    std::vector<Mat3> stiffness_, diagonal_, turn_;  // only with the preconditioner
    std::vector<Real> mu_, lambda_;
    std::vector<Vec3> right_, change_;
    std::vector<Vec3> by_grid_;                  // only with both preconditioners
    std::vector<Eigen::Vector3f> acceleration_;  // by elasticity, in the last step [m/s^2]
    std::vector<Eigen::Vector3f> guess_;         // of the next one; within a step, of the change of velocity
};

}  // namespace pliant
