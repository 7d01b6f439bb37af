// A constant operator near the implicit step's matrix, factored once, as a preconditioner of its solve.
//                                                                                   [Kugelstadt21], beyond [Peer18]
//     C = M + dt^2 sum_i [(3/2 mu + lambda/2) V_i D_i^T D_i + Z_i]    for x, y and z alike
// D_i is the gradient at particle i, with the corrected kernels of the elastic forces, and Z_i their penalty on motion
// that no gradient sees. That paper has 2 mu D^T D and solves directly with it, rotations held; here it is the weight
// between waves of shear and of pressure. No rotation stands in it, so that it serves however a body turns; rows of
// pinned particles are left out.
// It is made anew when the step or the moduli are no longer near those it was made for, and with a new rest state.
#pragma once

#include <span>
#include <vector>

#include "pliant/linear/block_cholesky.h"
#include "pliant/methods/sph/elastic_solids.h"

namespace pliant {

class PrefactoredOperator {
public:
    // What it is made for.
    struct Basis {
        Real dt = 0;                 // 0: nothing yet
        std::vector<Moduli> moduli;  // of materials
    };

    // Makes it where there is none for a step and moduli near these. False if it cannot be used because rounding has
    // left it indefinite.
    bool update(const Model& model, const ElasticSolids& solids, const ParticleState& state, const Basis& now);
    void forget() { set_basis({}); }    // the rest state is another one
    void renew() { is_made_ = false; }  // other particles are pinned

    // z = C^-1 r; zero for pinned particles.
    void operator()(std::span<const Vec3> r, std::span<Vec3> z);

    const Basis& basis() const { return basis_; }
    void set_basis(Basis basis);          // the next update() makes it, for this one if that is near
    int count() const { return count_; }  // how often it was made
    std::size_t bytes() const;

    // For tests: C of the particles that are not pinned, the lower triangle by columns.
    struct Matrix {
        std::vector<std::uint32_t> free;  // particles
        BlockPattern pattern;
        std::vector<Real> values;
    };
    static Matrix assemble(const ElasticSolids& solids, const ParticleState& state, const Basis& basis);

private:
    void make(const Model& model, const ElasticSolids& solids, const ParticleState& state);

    Basis basis_;
    bool is_made_ = false, is_usable_ = false;
    std::vector<std::uint32_t> free_;
    ScalarCholesky cholesky_;
    std::vector<Vec3> right_, solved_;
    int count_ = 0;
};

}  // namespace pliant
