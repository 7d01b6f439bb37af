// The implicit step as a minimisation: of all velocities u at its end, those that make
//     E(u) = sum_i m_i |u_i - v_i*|^2 / 2 + sum_p V_p phi(F_p(u)),    F_p(u) = F_p + dt C_p(u) B_p
// smallest, v* = v + dt g, with the energy of BodyPairs where there are some. Newton's method with a Hessian that is
// made positive particle by particle, conjugate gradients without a stored matrix, and a line search that never lets E
// rise.     [Fang19] eq. 9, [Gast15]
#pragma once

#include <span>
#include <vector>

#include "pliant/linear/conjugate_gradients.h"
#include "pliant/methods/mpm/body_pairs.h"
#include "pliant/methods/mpm/matter.h"
#include "pliant/methods/mpm/node_contacts.h"
#include "pliant/methods/mpm/node_preconditioner.h"
#include "pliant/methods/mpm/tangent_factors.h"

namespace pliant {

struct SolveReport {
    int iterations = 0;
    int products = 0;                         // with the matrix
    Real residual = 0;                        // |gradient| over that of v*
    std::vector<std::pair<int, Real>> looks;  // see SolverReport
    bool is_unsafe = false;                   // not solved, and worse than if all matter had stopped
};

// What a solve is about. Arrays over nodes, with the grid's additional entry; those of velocities go on with the rigid
// bodies, see NodeContacts.
struct GridStep {
    const SparseGrid& grid;
    const Matter& matter;
    const ParticleState& state;
    std::span<const Real> mass;
    std::span<const Vec3> expected;  // v*
    Real dt;
    std::span<const Vec3> before = {};  // what F_p sees beside u, from a stage before; empty: nothing
    BodyPairs* pairs = nullptr;         // contact between bodies, where they have nodes of their own
    bool binds_light_nodes = true;      // not where ADMM, which leaves them free, has made the steps before
};

class NewtonSolve {
public:
    explicit NewtonSolve(const MpmSettings& settings) : settings_(settings) {}

    // Improves u, which is the start on entry.
    SolveReport solve(const GridStep& step, NodeContacts& contacts, std::span<Vec3> u);

    // E and its gradient at u. With factors, multiply() is then the product of its Hessian there, made positive.
    Real evaluate(const GridStep& step, std::span<const Vec3> u, std::span<Vec3> gradient, bool with_factors = true);
    void multiply(const GridStep& step, std::span<const Vec3> x, std::span<Vec3> result) const;

    const TangentFactors& tangents() const { return factors_; }
    std::size_t bytes() const;
    void release() { factors_.release(); }  // what is over particles, between steps

private:
    template <bool with_factors>
    Real sweep(const GridStep& step, std::span<const Vec3> u, std::span<Vec3> gradient);
    Real norm(const GridStep& step, const NodeContacts& contacts, std::span<const Vec3> x) const;
    void solve_linear(const GridStep& step, NodeContacts& contacts, Real tolerance, SolveReport& report);

    // What a solve measures itself by: E now and if all matter stopped, and the size of a gradient.
    struct Level {
        Real energy = 0, at_rest = 0, reference = 0;
    };
    Real evaluate_all(const GridStep& step, const NodeContacts& contacts, std::span<const Vec3> u,
                      std::span<Vec3> gradient);
    Real whole_norm(const GridStep& step, const NodeContacts& contacts);
    Real free_norm(const GridStep& step, const NodeContacts& contacts);
    bool bind_light_nodes(const GridStep& step, const NodeContacts& contacts, std::span<Vec3> u);
    bool rest_where_better(const GridStep& step, const NodeContacts& contacts, Level& level, std::span<Vec3> u);
    bool review_contacts(const GridStep& step, NodeContacts& contacts, int pass, Level& level, std::span<Vec3> u);
    bool search_along_change(const GridStep& step, const NodeContacts& contacts, Level& level, std::span<Vec3> u);
    void finish(const GridStep& step, const NodeContacts& contacts, const Level& level, std::span<Vec3> u);

    MpmSettings settings_;
    TangentFactors factors_;
    NodePreconditioner preconditioner_;
    LightNodes light_;  // none where matter is soft
    std::vector<std::uint32_t> touched_;
    int last_products_ = 0;  // of a linear solve
    // Of tangents: 1 after a full step that would have raised E, and half as much with each iteration. Where matter
    // flows tangents are soft until it flows the other way, and steps by them go far too far.
    Real secant_share_ = 0;
    std::vector<Vec3> gradient_, trial_, trial_gradient_, change_, rhs_, seen_;
    ConjugateGradients cg_;
    std::vector<Real> partial_;
};

// Adds to the change of velocities what makes it carry all of the force's momentum: stresses cannot tell it, so that a
// solve that nothing holds may be as loose as it likes and still keeps momentum.
void complete_momentum(std::span<const Real> mass, const NodeContacts& contacts, std::span<const Vec3> force,
                       std::span<Vec3> change);

// |x|_{1/m} = sqrt(sum |x_i|^2 / m_i)
Real mass_norm(std::span<const Real> mass, std::span<const Vec3> x);

}  // namespace pliant
