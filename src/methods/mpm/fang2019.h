// Material points: matter on particles, forces on a grid.                                                    [Fang19]
// A step: particles give mass and momentum to the grid (APIC [Jiang15]), the grid's velocities are brought to the end
// of the step, explicitly or by an implicit solve, with obstacles; particles take velocities and their gradients back,
// move, deform and flow.
//
// The grid is laid anew through the particles in every step, or once through the bodies at rest (total Lagrangian
// [Vaucorbeil20]): then weights never change, so that neighbours stay neighbours however far a body is stretched, and
// nodes are where the particles around them say. Each body has nodes of its own, and meets
// others by BodyPairs.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/methods/emitters.h"
#include "pliant/methods/method.h"
#include "pliant/methods/mpm/admm_solve.h"
#include "pliant/methods/mpm/body_pairs.h"
#include "pliant/methods/mpm/matter.h"
#include "pliant/methods/mpm/newton_solve.h"
#include "pliant/methods/mpm/node_contacts.h"
#include "pliant/methods/mpm/settings.h"
#include "pliant/methods/mpm/sparse_grid.h"

namespace pliant {

class Fang2019 : public Method {
public:
    enum class Time { cheaper, symplectic_euler, newton, admm };

    // `cheaper` is decided here; `timestep` is the scene's, if it gives one.
    Fang2019(const MpmSettings& settings, Time time, const Model& model,
             const std::optional<Real>& timestep = std::nullopt);

    void prepare(const ParticleState& state) override;
    Real largest_timestep(const ParticleState& state) override;
    StepReport step(ParticleState& state, Real time, Real dt) override;
    std::string choice() const override { return choice_; }
    Real elastic_energy(const ParticleState& state) const override { return matter_.energy(state); }
    Spin spin(const ParticleState& state) const override;
    std::vector<Quantity> quantities(const ParticleState& state) const override;
    std::vector<Placement> rigid_poses() const override { return rigids_.placements(); }
    const RigidBodies* rigid_bodies() const override { return &rigids_; }
    void save(Snapshot& snapshot) const override;
    void restore(const Snapshot& snapshot) override;
    std::size_t bytes() const override { return std::max(most_bytes_, bytes_now()); }  // at once

    // For tests and benchmarks: the parts of a step.
    void particles_to_grid(const ParticleState& state, Real dt);
    void grid_to_particles(ParticleState& state, Real time, Real dt, StepReport& report);
    const SparseGrid& grid() const { return grid_; }
    SparseGrid& grid() { return grid_; }
    std::span<const Real> node_mass() const { return mass_; }
    std::span<Vec3> node_velocity() { return velocity_; }
    Matter& matter() { return matter_; }

private:
    void lay_grid(ParticleState& state);
    void release_before_solve();
    void sort_particles(ParticleState& state);
    void find_rest_places(const ParticleState& state);
    void find_node_positions(const ParticleState& state);
    std::span<const Vec3> grid_places(const ParticleState& state) const {
        return is_at_rest_ ? std::span<const Vec3>(rest_) : std::span<const Vec3>(state.position);
    }
    void momentum_to_grid(const ParticleState& state, Real dt_of_stress, const Vec3& gained);
    struct Damping {
        int trips;  // before the step
        Real lost;  // share of stretching that every way back from the grid takes, the step's own too
    };
    Damping damping_of(Real dt) const;
    void damp(ParticleState& state, Real dt);
    void drive_pins(const ParticleState& state, Real time, Real dt);
    void advance_grid(const ParticleState& state, Real time, Real dt, StepReport& report);
    std::size_t bytes_now() const;
    SolveReport solve_in_two_stages(const ParticleState& state, Real time, Real dt);
    bool has_two_stages() const { return settings_.implicit == "sdirk2" && takes_newton(); }
    Mat3 stretching(const Mat3& C, const Mat3& F) const;
    Vec3 kept_out(const ParticleState& state, std::size_t p, Vec3 v, std::span<const PosePair> poses, Real dt) const;
    // ADMM does not know them.
    bool bodies_meet() const { return is_at_rest_ && model_.bodies.size() > 1 && (!is_implicit() || takes_newton()); }
    BodyPairs* met() { return bodies_meet() ? &pairs_ : nullptr; }
    // Granular matter has no potential to minimise: there ADMM steps in.
    bool takes_newton() const { return time_ == Time::newton && matter_.has_potential(); }
    bool is_implicit() const { return time_ != Time::symplectic_euler; }

    void choose(const std::optional<Real>& timestep);

    MpmSettings settings_;
    Time time_;
    std::string choice_;
    const Model& model_;
    Real obstacle_speed_;
    RigidBodies rigids_;
    Emitters emitters_;
    Matter matter_;
    SparseGrid grid_;
    NodeContacts contacts_;
    BodyPairs pairs_;
    NewtonSolve newton_;
    AdmmSolve admm_;
    bool is_at_rest_;                   // the grid
    bool is_laid_ = false;              // if it is at rest
    std::vector<Vec3> rest_;            // of particles in a grid at rest; bodies lie one beside the other there
    std::vector<Vec3> node_positions_;  // now, of a grid at rest; empty where nothing asks for them
    std::vector<Real> mass_;            // of nodes
    std::vector<Vec3> velocity_;        // of nodes; momentum until it is divided
    std::vector<Vec3> expected_;        // what the implicit solve starts from
    std::vector<Vec3> first_stage_;     // velocities there
    std::vector<Vec3> travel_;          // mean velocities of a step of two stages; empty otherwise
    std::vector<NodeVector> driven_;    // see NodeContacts::find
    std::vector<int> counts_;           // of yielding particles, by block
    std::uint64_t steps_ = 0;
    std::size_t most_bytes_ = 0;
    Real now_ = 0;  // end of the last step [s]
};

}  // namespace pliant
