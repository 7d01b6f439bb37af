// Elastic forces between particles, with the rotation R of each particle held fixed: then they are linear in the
// positions y, the gradient of a quadratic energy, and the same loops give forces and the products of the implicit
// step's matrix.                                                                    [Zhou13] eq. 6 to 10, corrected
//     M = R^T Fe(y),   S = 2 mu (sym M - 1) + lambda tr(M - 1) 1
//     T_i = V R S N^T - beta H G
//     f_i = sum_j w_ij ((T_i + T_j) X_ij + (beta_i + beta_j) y_ij)
// beta is the penalty on motion that no deformation gradient sees: (beta/2) sum_j w_ij |y_ij - Fe p_ij|^2.
// Where a neighbourhood does not span space, R Pi stands for R. What little of p_ij lies in the directions that it
// leaves out is no part of Fe p_ij; the penalty then is on y_ij - Fe p_ij - Q p_ij, with the turn Q of these directions
// that makes it least, so that nothing pulls at rest:
//     Q = U V^T of H A^T (1 - Pi) = U sigma V^T, without directions of no sigma,   T_i gains -beta Q A
//
// Laws that are not linear in the stretch are linearised at a deformation F0 = U sigma V^T instead, made definite:
//     P(F) = P0 + C : (F - F0),   C : F = U B V^T,   A = U^T F V
//     B_ii = sum_j H_ij A_jj,   B_ij = (a_ij + b_ij)/2 A_ij + (a_ij - b_ij)/2 A_ji
//     a_ij = (P_i - P_j) / (sigma_i - sigma_j),   b_ij = (P_i + P_j) / (sigma_i + sigma_j)
#pragma once

#include <span>
#include <vector>

#include "pliant/linear/point_elimination.h"
#include "pliant/materials/elasticity.h"
#include "pliant/methods/mls/rest_shape.h"

namespace pliant {

class ElasticPoints {
public:
    ElasticPoints(const RestShape& rest, Real stabilisation) : rest_(rest), stabilisation_(stabilisation) {}

    void prepare(const ParticleState& state, const Model& model);
    void take_rest_shape();  // after it was set, renewed or restored

    // The rotation of a particle, which linearises the corotated law.
    void set_rotation(std::size_t i, const Mat3& R_projected) {
        set_lane(rotation_[i / 4], static_cast<int>(i % 4), R_projected);
    }
    // And the linearisation of another law, at a deformation whose rotation was set before.
    void linearise(std::size_t i, const Elasticity& law, const Svd& F);
    bool is_nonlinear() const { return !tangent_.empty(); }
    Mat3 rotation(std::size_t i) const { return lane_of(rotation_[i / 4], static_cast<int>(i % 4)); }

    void forces(std::span<const Vec3> y, std::span<Vec3> f);  // N

    // f = -K x: the change of the forces with positions
    void force_changes(std::span<const Vec3> x, std::span<Vec3> f);

    // sqrt of the largest eigenvalue of M^-1 K [1/s], by power iteration from a rough start.
    Real largest_frequency(std::span<const Real> mass);

    // (M + dt^2 K) x
    void multiply(std::span<const Real> mass, Real dt, std::span<const Vec3> x, std::span<Vec3> result);

    // Fe of four particles, at positions given before by set_positions().
    void set_positions(std::span<const Vec3> y);
    WideMat3<Double4> deformation(std::size_t pack) const;
    Real penalty_energy(std::span<const Vec3> y, std::size_t i) const;  // J

    // The blocks on the diagonal of K [N/m] when the reference was taken, turned into rest space.
    void diagonal(std::vector<Mat3>& blocks) const;

    // Which blocks of K there are in the rows of some particles, and these blocks [N/m] at the current rotations.
    PointRows rows_of(std::vector<std::uint32_t> particles) const;
    void blocks(const PointRows& rows, std::vector<Mat3>& blocks) const;

    Real mu_volume(std::size_t i) const { return twice_mu_[i / 4][static_cast<int>(i % 4)] / 2; }
    Real lambda_volume(std::size_t i) const { return lambda_[i / 4][static_cast<int>(i % 4)]; }

    std::size_t bytes() const;

private:
    struct Tangent {
        WideMat3<Double4> U, V;
        Double4 H[6];         // xx, yy, zz, yz, xz, xy; times V, as all below
        Double4 a[3], b[3];   // of yz, xz, xy
        WideMat3<Double4> P;  // P0 - C : F0
    };

    template <bool with_rest>
    void stresses(std::span<Vec3> own);
    template <bool with_rest>
    WideMat3<Double4> corotated_stress(std::size_t pack, const WideMat3<Double4>& F) const;
    template <bool with_rest>
    static WideMat3<Double4> linearised_stress(const Tangent& tangent, const WideMat3<Double4>& F);
    void linearise_corotated(std::size_t i);
    template <class Take>
    void gather(std::span<const Vec3> own, Take&& take);
    WideMat3<Double4> moments(std::size_t pack, Double4 (&change)[4]) const;
    void add_rest_of_flat(std::size_t pack, const WideMat3<Double4>& H, WideMat3<Double4>& T) const;

    const RestShape& rest_;
    Real stabilisation_;
    RawVector<WideMat3<Double4>> rotation_;
    RawVector<Double4> twice_mu_, lambda_, rest_stress_, beta_;  // times V; a pack for four particles
    std::vector<Tangent> tangent_;                               // empty if all laws are corotated
    std::vector<std::uint32_t> first_;                           // particle of the body
    RawVector<Quad> X_;                                          // reference, from the first particle of the body
    RawVector<Quad> centre_;                                     // sum_j w_ij X_ij, and sum_j w_ij behind
    RawVector<Quad> y_;       // positions or changes of the current call, from the first particle of the body
    RawVector<Quad> stress_;  // columns of T, with beta behind the first, and T X + beta y: four a particle
};

}  // namespace pliant
