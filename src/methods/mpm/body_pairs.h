// Contact between bodies that have nodes of their own: particles at the surfaces of two bodies that would end the
// step overlapping push each other apart, and rub (touching.h). Of the velocities v at the end of the step a pair has
// the energy
//     E(v) = k <gap + dt n.(v_j - v_i)>^2 / 2 + dt c |P (v_j - v_i)|^2 / 2,    <x> = min(x, 0),  P = 1 - n n^T
// with the normal n as it is at the beginning of the step and Coulomb's drag c = friction N / |slip| of the push N and
// the slip of the last look. An implicit step minimises it along with all the rest, an explicit one takes the force at
// the beginning. The nodes of both bodies have their share by the particles' weights, so that momentum is kept.
#pragma once

#include <span>
#include <vector>

#include "pliant/methods/mpm/particle_nodes.h"
#include "pliant/methods/mpm/touching.h"
#include "pliant/methods/nearby_pairs.h"

namespace pliant {

class BodyPairs {
public:
    explicit BodyPairs(const Model& model) : model_(model), near_(model) {}

    // For a grid that was laid anew, `rest` being where particles lie in it.
    void lay(const SparseGrid& grid, const ParticleState& state, std::span<const Vec3> rest);
    // The pairs that may meet in a step that begins so.
    void find(const SparseGrid& grid, const ParticleState& state, Real dt);
    bool empty() const { return pairs_.empty(); }

    // An explicit step: changes the nodes' velocities.
    void apply(const ParticleState& state, std::span<const Real> mass, Real dt, std::span<Vec3> velocity);

    // An implicit step of nodes. `before`: what positions see beside the velocities, see GridStep.
    void begin(const ParticleState& state, Real dt, std::span<const Vec3> before);
    // E at these velocities of nodes, and its gradient added. Products are then those of its Hessian there.
    Real add_energy(std::span<const Vec3> velocity, std::span<Vec3> gradient);
    void add_product(std::span<const Vec3> x, std::span<Vec3> result);
    void add_diagonal(std::span<Vec3> diagonal);
    // Looks at where E was last asked for; true if friction has changed, so that the step must be solved again.
    bool review();

    std::size_t bytes() const;

private:
    struct Pair {
        std::uint32_t i, j;  // particles; their rows, once these are known
        Vec3 normal;
        Real gap;          // at the beginning [m]
        Real k;            // N/m
        Real drag;         // c [N s/m]
        Real overlap = 0;  // of the last look [m]
        Real slip = 0;     // likewise [m/s]
    };
    struct Side {
        std::uint32_t row, pair;
        Real sign;  // -1 of i, +1 of j
    };
    Real most_drag(const Pair& pair) const;
    Real reach(const ParticleState& state, Real dt) const;
    void find_surface(const ParticleState& state, Real dt);
    void find_pairs(const ParticleState& state, Real dt);
    void find_rows(const SparseGrid& grid);
    template <class OfPair>
    void sum_sides(OfPair&& of_pair, std::span<Vec3> sums) const;

    const Model& model_;
    NearbyPairs near_;
    ParticleNodes nodes_;
    Real dt_ = 0;
    Real reach_ = 0;                         // of pairs in this step [m]
    std::vector<SurfaceNormal> at_rest_;     // of particles
    std::vector<std::uint32_t> surface_of_;  // of particles: index into surface_, or nobody
    std::vector<TouchPoint> surface_;
    std::vector<Pair> pairs_;              // by i, then j
    std::vector<std::uint32_t> touching_;  // particles, a row each
    std::vector<Side> sides_;              // by row
    std::vector<std::uint32_t> side_begin_;
    std::vector<Vec3> velocity_, before_, force_;  // of rows
    std::vector<Vec3> of_pair_;
};

}  // namespace pliant
