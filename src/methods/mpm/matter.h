// The material points: what they are made of, how they are deformed, and what stress that makes.
// On a grid at rest C is the gradient of velocity by rest positions, and a part's rate of deformation is C B with B =
// Fe^-1 F of that part, the identity for an elastic one; on a grid that is laid anew C is by positions, and B = F.
// Two parts bear load side by side, each with a deformation gradient of its own: the elastic part Fe (in the particle
// state), which may flow plastically, and, where the material has one, the viscous part Fn.     [Fang19] eq. 1 to 8
#pragma once

#include <span>
#include <vector>

#include "pliant/materials/log_strain_law.h"
#include "pliant/methods/model.h"
#include "pliant/methods/mpm/settings.h"
#include "pliant/methods/mpm/sparse_grid.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

using WideMatrix = WideMat3<Double4>;
using WideVector = WideVec3<Double4>;

// Four particles of a block that are worked on together. Lanes without a particle repeat the first, with volume 0.
struct Quartet {
    std::uint32_t particle[4];
    bool is_there[4];

    Quartet(const SparseGrid& grid, std::size_t place) {  // the first lane always has a particle
        const std::uint32_t first = grid.particle(place);
        for (int lane = 0; lane < 4; ++lane) {
            const std::uint32_t p = grid.particle(place + std::size_t(lane));
            is_there[lane] = p != SparseGrid::nobody;
            particle[lane] = is_there[lane] ? p : first;
        }
    }
    Double4 volumes(const ParticleState& state) const {  // at rest; 0 where there is nobody
        Double4 V = numbers([&](std::uint32_t p) { return state.rest_volume[p]; });
        for (int lane = 0; lane < 4; ++lane) {
            if (!is_there[lane]) V.set(lane, 0);
        }
        return V;
    }
    template <class ValueOf>
    Double4 numbers(ValueOf&& of) const {
        return Double4(Double4::Vector{of(particle[0]), of(particle[1]), of(particle[2]), of(particle[3])});
    }
    WideMatrix matrices(const std::vector<Mat3>& from) const {
        WideMatrix A;
        for (int k = 0; k < 9; ++k) A.data()[k] = numbers([&](std::uint32_t p) { return from[p].data()[k]; });
        return A;
    }
    void store(const WideMatrix& A, std::vector<Mat3>& to) const {
        for (int lane = 0; lane < 4; ++lane) {
            if (is_there[lane]) to[particle[lane]] = lane_of(A, lane);
        }
    }
};

// U diag(s) V^T
inline WideMatrix compose(const WideMatrix& U, const WideVector& s, const WideMatrix& V) {
    return WideMatrix{{U.column[0] * s.x, U.column[1] * s.y, U.column[2] * s.z}} * transpose(V);
}
// F + dt C B
inline WideMatrix advanced(const WideMatrix& F, const WideMatrix& B, const WideMatrix& C, Double4 dt) {
    const WideMatrix change = C * B;
    WideMatrix result;
    for (int k = 0; k < 9; ++k) result.data()[k] = simd::fma(change.data()[k], dt, F.data()[k]);
    return result;
}

class Matter {
public:
    Matter(const Model& model, const MpmSettings& settings);

    void prepare(const ParticleState& state);
    void append(std::size_t count);  // new particles at rest
    void reorder(std::span<const std::uint32_t> order);
    // Makes the laws those of a step from time to time + dt.
    void begin_step(Real time, Real dt);
    // Before it: what schedules add to a material's stiffness in that step is added unstrained, so that stresses stay
    // what they are and matter that has melted sets as it lies.
    void follow_schedules(Real time, Real dt, ParticleState& state);

    bool has_viscous() const { return has_viscous_; }
    bool flows() const { return flows_; }  // plastically, some of it
    // Of each body: whether it may come apart into grains or drops.
    std::span<const std::uint8_t> opens() const { return opens_of_; }
    bool has_potential() const { return has_potential_; }  // all parts of all bodies
    // Largest of all bodies, as the grid sees it: on one at rest squeezed matter is quicker [m/s].
    Real sound_speed(const ParticleState& state, Real time) const;
    Real sound_speed_at_rest(Real time) const;
    Real sound_speed_of_all_times() const;

    // Laws of four particles.
    using Law = WideLogStrainLaw<Double4>;
    Law elastic_law(const Quartet& q, const ParticleState& state) const {
        return Law::load([&](int lane) -> const LogStrainLaw& { return elastic_[state.body[q.particle[lane]]]; });
    }
    Law viscous_law(const Quartet& q, const ParticleState& state) const {
        return Law::load([&](int lane) -> const LogStrainLaw& { return viscous_[state.body[q.particle[lane]]]; });
    }
    // All that the stress of a part depends on: the elastic one is part 0, the viscous one part 1.
    struct Part {
        WideMatrix F, B;
        Law law;
        Double4 alpha, opened;
    };
    int part_count() const { return has_viscous_ ? 2 : 1; }
    Part part(int index, const Quartet& q, const ParticleState& state) const {
        const WideMatrix Fe = q.matrices(state.deformation);
        if (index > 0) {
            const WideMatrix Fn = q.matrices(viscous_deformation_);
            return {Fn, seen_from_rest(Fn, Fe), viscous_law(q, state), Double4(0.0), Double4(0.0)};
        }
        return {Fe, is_at_rest_ ? WideMatrix::identity() : Fe, elastic_law(q, state),
                q.numbers([&](std::uint32_t p) { return state.plastic_strain[p]; }), opened(q)};
    }
    Real opened(std::size_t p) const { return opened_.empty() ? 0 : opened_[p]; }
    Double4 opened(const Quartet& q) const {
        return opened_.empty() ? Double4(0.0) : q.numbers([&](std::uint32_t p) { return opened_[p]; });
    }

    // Carries the deformation of four particles along with a velocity gradient C, and lets them flow; returns how many
    // flowed plastically. With `stress`, the stress after it is kept.
    int advance(const Quartet& q, const WideMatrix& C, Real dt, bool with_stress, ParticleState& state);
    void find_stress(const ParticleState& state);  // anew, of all particles

    Real energy(const ParticleState& state) const;                    // elastic, of both parts [J]
    Mat3 kirchhoff(const ParticleState& state, std::size_t p) const;  // of both parts [Pa]

    std::vector<Mat3> affine;  // C, of each particle's velocity field [1/s]
    std::vector<Mat3> stress;  // tau, and P on a grid at rest [Pa], after the last step; only if it was asked for

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
    std::size_t bytes() const;

private:
    WideMatrix seen_from_rest(const WideMatrix& F, const WideMatrix& Fe) const;  // B
    LogStrainLaw elastic_law_of(std::size_t body, Real time, Real dt) const;
    Material material_of(std::size_t body, Real time) const;
    bool is_molten(std::size_t body, const Moduli& moduli) const;
    struct Melting {
        bool melts = false;
        Real least_bulk = 0;  // what schedules leave of the bulk modulus, so that what melts keeps its volume [Pa]
    };
    struct Change;
    Change change_of(std::size_t body, Real time, Real dt) const;

    const Model& model_;
    Real liquid_speed_;
    bool is_at_rest_, has_neo_hookean_ = false;  // the grid; a body
    bool has_viscous_ = false, flows_ = false, has_potential_ = true, opens_ = false, keeps_stress_ = false;
    std::vector<Melting> melting_;                 // of each body
    std::vector<std::uint8_t> opens_of_;           // of each body
    std::vector<LogStrainLaw> elastic_, viscous_;  // of each body
    std::vector<Mat3> viscous_deformation_;        // Fn; empty without viscous materials
    std::vector<Real> opened_;                     // of granular and molten matter, liquids, snow; empty without
};

}  // namespace pliant
