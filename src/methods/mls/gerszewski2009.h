// Point-based elastoplastic solids without a rest state: the deformation gradient is carried along from step to step,
// its plastic part is dropped, and time goes on by symplectic Euler.     [Gerszewski09], with [Bargteil07] flow
// Symbols: q = position, v = velocity, w_ij = kernel weight, Fe = elastic deformation gradient, P = first
// Piola-Kirchhoff stress, V = rest volume, K_i = sum_j w_ij q_ij q_ij^T with q_ij = q_j - q_i.
//
// Where we deviate: forces are the exact gradient of the elastic energy for the current Fe, so linear and angular
// momentum are kept; the artificial viscosity acts along the line between two particles only, so a rotating body is not
// braked; neighbourhoods that do not span space use the truncated inverse of K and turn with their neighbours.
#pragma once

#include <vector>

#include "pliant/methods/body_contact.h"
#include "pliant/methods/method.h"
#include "pliant/methods/mls/neighbourhood.h"
#include "pliant/methods/mls/settings.h"

namespace pliant {

class Gerszewski2009 : public Method {
public:
    Gerszewski2009(const MlsSettings& settings, const Model& model);

    void prepare(const ParticleState& state) override;
    Real largest_timestep(const ParticleState& state) override;
    StepReport step(ParticleState& state, Real time, Real dt) override;
    Real elastic_energy(const ParticleState& state) const override;
    std::vector<Quantity> quantities(const ParticleState& state) const override;
    void save(Snapshot& snapshot) const override;
    void restore(const Snapshot& snapshot) override;
    std::size_t bytes() const override;

    // For tests and benchmarks: the forces of the last step before obstacles [N].
    const std::vector<Vec3>& forces() const { return force_; }
    void compute_forces(const ParticleState& state, Real dt);

    // Sums over a neighbourhood.
    struct Moments {
        Mat3 K;              // sum_j w_ij q_ij q_ij^T
        Real weight;         // sum_j w_ij
        Real density;        // sum_j m_j w_ij
        Real slope;          // sum_j m_j (-W'_ij / r)
        int rank = 3;        // of K, at least 1
        Real steepness = 0;  // tr(Fe^T K^+ Fe)
    };

private:
    void find_neighbours(const ParticleState& state);
    void invert_moments(const ParticleState& state);
    void gather_forces(const ParticleState& state);
    void accelerate(ParticleState& state, Real dt) const;
    std::size_t deform(ParticleState& state, Real dt);
    void move(ParticleState& state, Real dt) const;
    void update_stress(const ParticleState& state, std::size_t begin, std::size_t end);
    Real step_rate(const Moments& m, const Material& material, Real h) const;
    Mat3 increment(std::size_t i, const RawVector<Double4>& velocity, Real dt) const;

    MlsSettings settings_;
    const Model& model_;
    Neighbourhood neighbours_;
    BodyContact body_contact_;
    Real obstacle_speed_;               // m/s
    std::vector<Mat3> stress_;          // P
    std::vector<Real> energy_density_;  // Psi
    std::vector<Real> rest_density_;    // SPH density at the start, for the pressure
    std::vector<Real> density_;
    std::vector<Mat3> moment_inverse_;  // K^+
    std::vector<Mat3> projector_;       // K^+ K of neighbourhoods that do not span space
    std::vector<std::uint8_t> rank_;
    RawVector<Double4> force_columns_;  // the three columns of V P Fe^T K^+
    RawVector<Double4> velocity_;       // of the current phase, padded
    std::vector<Vec3> force_;
    Real step_rate_ = 0;  // one over the longest step that all neighbourhoods bear [1/s]
};

}  // namespace pliant
