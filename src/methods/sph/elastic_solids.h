// Elastic solids by SPH with corrected gradients. Rotations are held fixed during a step: then forces are linear in the
// positions, the gradient of a quadratic energy, and the same loops give forces and products of the implicit step's
// matrix.                                                                            [Peer18] eq. 1 to 23, corrected
//     g_ij = V_i V_j |W'(|X_ij|)| / |X_ij|,   X_ij = X_j - X_i          symmetric for any volumes
//     K_i = sum_j g_ij X_ij X_ij^T,   H_i = sum_j g_ij y_ij X_ij^T
//     N_i = K_i^+ Fp_i^-1,   F_i = H_i N_i                              L_i of the paper is V_i K_i^+
//     Fc = F R^T,   e = sym Fc - R Pi R^T,   P = 2 mu e + lambda tr(e) 1,   T = V P R N^T - beta H K^+
//     f_i = sum_j g_ij ((T_i + T_j) X_ij + (beta_i + beta_j) y_ij)
// Pi = K K^+ is 1 where neighbours span space, else the projector on what they span: the printed eq. 18, which has 1,
// pulls sheets together. K^+ leaves out directions in which a neighbourhood is ten times flatter than in its widest.
// beta is the penalty on motion that no F sees, (beta/2) sum_j g_ij |y_ij - F X_ij|^2: linear, free of rotations, and
// in the manner of [Kugelstadt21], but weighted as F itself is, so that it needs nothing more per pair.
#pragma once

#include <span>
#include <vector>

#include "pliant/materials/moduli.h"
#include "pliant/math/wide.h"
#include "pliant/methods/model.h"
#include "pliant/methods/sph/elastic_loops.h"
#include "pliant/methods/sph/rough_loops.h"
#include "pliant/methods/sph/settings.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

class ElasticSolids {
public:
    enum class Strain { corotated, green };
    struct Options {
        Real support = 2;  // in spacings
        bool is_corrected = true;
        Strain strain = Strain::corotated;  // green: of forces(); products are of the corotated one
        std::optional<Real> zero_energy;    // 3 beta / mu; left out: by how thin a body is
    };

    ElasticSolids(const Model& model, const Options& options) : model_(model), options_(options) {}

    // The first `count` particles are solids and at rest as they lie.
    void prepare(const ParticleState& state, std::size_t count);
    std::size_t size() const { return rows_.size(); }

    // Moduli of all materials now, and which share of them each particle has, unless all have all; false if they are as
    // they were.
    bool set_moduli(std::span<const Moduli> of_materials, std::span<const Real> shares = {});

    // F, R and plastic flow at the positions as they are; returns how many particles flowed.
    std::size_t deform(ParticleState& state, Real dt);

    // Takes positions for the new rest state if enough has flowed for that; true if so.
    bool renew(const ParticleState& state);

    // Forces at positions y with the rotations of the last deform() [N].
    void forces(std::span<const Vec3> y, std::span<Vec3> f);

    // (M + dt^2 K) x. In single precision when `is_rough`: then dt^2 K x is right to some 6e-8 times reach() / spacing.
    void multiply(std::span<const Real> mass, Real dt, bool is_rough, std::span<const Vec3> x, std::span<Vec3> result);

    Real energy(const ParticleState& state) const;  // J

    // For the preconditioner.
    std::span<const Vec3> reference() const { return reference_; }
    Mat3 rotation(std::size_t i) const { return rotation_[i].toRotationMatrix(); }
    Mat3 plastic_inverse(std::size_t i) const {  // Fp^-1
        return since_.empty() ? Mat3(Mat3::Identity()) : Mat3(base_[i] * since_[i]);
    }
    Mat3 projector(std::size_t i) const;  // Pi
    int rank(std::size_t i) const { return rank_[i]; }
    Moduli moduli(std::size_t i) const {
        const Moduli& m = moduli_[material_[i]];
        return share_.empty() ? m : Moduli{share_[i] * m.mu, share_[i] * m.lambda};
    }
    std::uint32_t material(std::size_t i) const { return material_[i]; }
    const Moduli& moduli_of(std::size_t material) const { return moduli_[material]; }
    std::span<const Moduli> all_moduli() const { return moduli_; }
    Real volume(std::size_t i) const { return volume_[i]; }
    void diagonal(std::vector<Mat3>& blocks) const;  // of K at rest and R = 1 [N/m]

    // Of the stiffness (3/2 mu + lambda/2) V D^T D with the penalty, for one coordinate u: the energy about particle i
    // is (p.S p + penalty sum_j g_ij u_ij^2) / 2, p = sum_j g_ij u_ij X_ij. Constant until renew().
    struct ScalarCentre {
        Mat3 stiffness;  // S
        Real penalty;
    };
    ScalarCentre scalar_centre(std::size_t i, std::span<const Moduli> of_materials) const;

    const ElasticRows& rows() const { return rows_; }
    Real reach() const { return rough_.reach(); }  // of the particles, from the middle of their body [m]
    Real average_count() const { return size() ? Real(rows_.pairs()) / Real(size()) : 0; }

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
    std::size_t bytes() const;

private:
    void find_rows(std::span<const Vec3> positions, bool all);
    void sum_moments();
    bool has_flowed_far() const;
    void set_rotations(std::size_t pack);  // writes what the rough loops need
    Mat3 G(std::size_t i) const { return lane_of(G_[i / 4], static_cast<int>(i % 4)); }
    WideMat3<Double4> N(std::size_t pack) const {
        return N_.empty() ? G_[pack].full() : load_matrices<Double4>(&N_[4 * pack]);
    }
    WideMat3<Double4> R(std::size_t pack) const;
    WideMat3<Double4> stress(std::size_t pack, const WideMat3<Double4>& H, bool with_rest) const;
    void update_beta();
    Real zero_energy(std::size_t body) const;

    const Model& model_;
    Options options_;
    std::vector<BodyRange> bodies_;
    std::vector<Vec3> reference_;        // X
    std::vector<Real> volume_;           // V
    std::vector<std::uint32_t> origin_;  // first particle of the body
    std::vector<std::uint32_t> material_;
    std::vector<Moduli> moduli_;  // of materials
    std::vector<Real> share_;     // of them; empty: all
    ElasticRows rows_;
    RawVector<WideSymmetric3<Double4>> G_;  // K^+
    RawVector<Mat3> N_;                     // four more than there are particles; empty where it is G
    std::vector<Mat3> base_, since_;        // Fp^-1 when X was taken, and by what since; only with plastic materials
    std::uint64_t renewals_ = 0;
    std::vector<Mat3> Pi_;  // only where some differ from 1
    std::vector<std::uint8_t> rank_;
    std::vector<std::uint8_t> is_thin_;  // bodies
    std::vector<Real> beta_;
    RawVector<Quat> rotation_;  // R; four more than there are particles
    ElasticScratch scratch_;
    ElasticLoops fine_;
    RoughLoops rough_;
    RawVector<WideMat3<Float8>> B_;         // R N^T
    RawVector<WideSymmetric3<Float8>> G8_;  // K^+; only with a penalty
    RawVector<Float8> mu8_, lambda8_;       // 2 mu V, lambda V
};

}  // namespace pliant
