// The implicit step by the alternating direction method of multipliers: deformations F of particles and velocities u
// of nodes go their own ways, and a multiplier z draws F towards (1 + dt C(u)) F_n.     [Fang19] Sec. 5
//     particles   F  = argmin V phi(F) + rho W^2 / 2 |F - G + z|^2,      G = (1 + dt C(u)) F_n
//     grid        A du = M (v* - u) + D^T rho W^2 (F^ - G + z),          F^ = a F + (1 - a) G
//     multiplier  z  += F^ - G
// with over-relaxation a. Written for the change du, the grid's matrix A = M + D^T rho W^2 D may be rough (single
// precision, loose tolerance) and the fixed point is still exact. The multiplier starts at what it would be if the
// stress did not change in the step, so that nothing needs to be carried from step to step.
#pragma once

#include <span>
#include <vector>

#include "pliant/methods/mpm/equilibration.h"
#include "pliant/methods/mpm/newton_solve.h"
#include "pliant/methods/mpm/node_matrix.h"

namespace pliant {

class AdmmSolve {
public:
    AdmmSolve(const MpmSettings& settings, NewtonSolve& residuals) : settings_(settings), residuals_(residuals) {}

    // Improves u, which is the start on entry.
    SolveReport solve(const GridStep& step, NodeContacts& contacts, std::span<Vec3> u);
    std::size_t bytes() const;
    void release() {  // what is over particles, between steps
        aims_ = RawVector<Aim>();
        stiffness_ = RawVector<NodeMatrix::Symmetric>();
    }

    // For tests.
    const NodeMatrix& matrix() const { return matrix_; }

private:
    struct Aim {         // of four particles in one part
        WideMatrix aim;  // F^ + z of the last iteration, of which G gives the next z; z before the first
        Double4 weight;  // rho W^2 [J]
    };
    void begin(const GridStep& step);
    Double4 weight_of(const Matter::Law& law, const LogResponse<Double4>& r, const LogStrain<Double4>& h) const;
    std::span<const Double4> equilibrate(const GridStep& step);
    void sweep(const GridStep& step, std::span<const Vec3> u, bool is_first, std::span<Vec3> force);
    void solve_linear(const GridStep& step, const NodeContacts& contacts, SolveReport& report);

    MpmSettings settings_;
    NewtonSolve& residuals_;  // only to know how good u is
    int parts_ = 1;
    RawVector<Aim> aims_;
    RawVector<NodeMatrix::Symmetric> stiffness_;
    NodeMatrix matrix_;
    Equilibration equilibration_;
    std::vector<Vec3> force_, change_, work_;
    ConjugateGradients cg_;
};

}  // namespace pliant
