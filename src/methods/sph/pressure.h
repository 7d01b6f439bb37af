// Pressure that keeps matter from being compressed: implicit incompressible SPH [Ihmsen14], in volumes instead of
// masses so that neighbours of any density are alike [Solenthaler08]. It is also what keeps bodies apart, and out of
// obstacles.
//     d_i = c sum_j V_j W_ij                                   how dense particle i lies; 1 is dense
//     a_i = -V_i / m_i sum_j V_j (p_i / d_i^2 + p_j / d_j^2) grad W_ij,   p = 0 at boundary samples
//     d_i + dt sum_j V_j ((v_i - v_j) + dt (a_i - a_j)).grad W_ij <= most_i,   p_i >= 0
// solved by projected gradients p <- max(0, p + l r / D), r what is left of the inequality and D its diagonal, with
// lengths l after [Barzilai88]: fewer steps than by Jacobi's method, the more so the tighter the tolerance. most_i is
// 1, or what the particle had at rest in its own body if that was more: a body at rest feels no pressure whatever its
// sampling. What lies too dense comes apart slowly, for the velocity that it gets stays: in one step it would hop.
// Rigid bodies yield along: a of their samples is that of the body under the pressure of the moment, so that light ones
// float as steadily as heavy ones.
#pragma once

#include <span>
#include <vector>

#include "pliant/methods/sph/keep_out.h"
#include "pliant/methods/sph/near_rows.h"
#include "pliant/particles/snapshot.h"

namespace pliant {

struct PressureReport {
    int iterations = 0;
    Real error = 0;            // compression that is left in a step, on average over the particles under pressure
    std::size_t contacts = 0;  // particles that boundary samples or limits push
};

class PressureSolver {
public:
    // `motion` is memory for a solve to work with, which others may use between solves.
    explicit PressureSolver(RawVector<float>& motion) : motion_(motion) {}

    // `at_rest`: how dense particles lie in their own body; 0 for liquids, which are behind the solids.
    void prepare(const ParticleState& state, std::vector<float> at_rest);

    // As dense as this solid particle lies now, obstacles included, it may lie, until there is more room. So a body
    // that was placed around an obstacle is not thrown out.
    void accept_crowding(std::size_t i, const NearRows& rows);
    void follow_crowding(const NearRows& rows);  // every step in which rows have the obstacles

    // Particles behind the last that was prepared or appended are liquid.
    void append(std::size_t count);

    // Changes velocities, within `limits`. Pinned particles go on as they do. `tolerance`: the compression that may
    // come about in 10 ms, on average over those under pressure: what is left from step to step, matter sinks by, until
    // it hops.
    // The last numbers of the rows' places are then p / d^2.
    PressureReport solve(ParticleState& state, NearRows& rows, const Boundary& boundary,
                         std::span<AccelerationLimit> limits, Real dt, Real tolerance, int most_iterations);

    // What the last solve did to each rigid body.
    struct Push {
        Vec3 force = Vec3::Zero();   // N
        Vec3 torque = Vec3::Zero();  // about the centre of mass [N m]
    };
    std::span<const Push> pushes() const { return pushes_; }

    // The particles take other places: particle k becomes the former order[k].
    void reorder(std::span<const std::uint32_t> order);

    // Change of a solid's velocity by boundary samples and limits alone in the last solve [m/s].
    Vec3 pushed(std::size_t i) const { return pushed_[i].cast<Real>(); }
    float strength(std::size_t i, const NearRows& rows) const {  // p / d^2 of the last solve [Pa]
        const float d = float(rows.density(i));
        return p_[i] / (d * d);
    }
    // As the sums over so few neighbours take it, p is larger than the pressure that it makes: the mean of
    // x_ij.F_ij over volume, which this is [Pa]. `rows` are those of the last solve.
    Real pressure(std::size_t i, const NearRows& rows) const;

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
    std::size_t bytes() const;

private:
    void begin(const ParticleState& state, const NearRows& rows, const Boundary& boundary, Real dt);
    void hold(const NearRows& rows, std::span<const AccelerationLimit> limits, Real dt);
    void accelerate(NearRows& rows, const Boundary& boundary, std::span<AccelerationLimit> limits);
    void push_rigids(const NearRows& rows, const Boundary& boundary);
    struct Progress {
        double error = 0;  // sum over those that count
        std::size_t count = 0;
        float worst = 0;
        double sy = 0, ss = 0, yy = 0;  // of the last change of p and of r, in the metric of the diagonal
    };
    Progress measure(const NearRows& rows, Real dt);
    void change_pressure(Real length);
    std::size_t finish(ParticleState& state, const NearRows& rows, std::span<const AccelerationLimit> limits, Real dt);

    float most(std::size_t i) const { return i < solids_ ? most_[i] : 1.0f; }

    std::size_t solids_ = 0;
    std::vector<float> most_;                               // of solids
    std::vector<std::pair<std::uint32_t, float>> crowded_;  // particles, and what most_ would be else
    std::vector<float> p_;
    std::vector<float> mobility_;  // V / m [m^3/kg], 0 if held
    std::vector<float> source_, diagonal_;
    std::vector<float> left_;              // r
    std::vector<float> before_;            // p before its last change
    RawVector<float>& motion_;             // quads of velocities, later of accelerations, of all points
    std::span<const Real> volume_;         // V, during a solve
    std::vector<Eigen::Vector3f> pushed_;  // solids
    std::vector<Push> pushes_, partial_;
};

}  // namespace pliant
