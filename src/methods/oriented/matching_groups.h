// The group around each particle: it and the particles linked to it are matched to their rest shape, those of a colour
// eight at a time.
//     A = sum_j (A_j + m_j x_j p_j^T),   p_j = xbar_j - cbar,   R = the rotation nearest to A,   g_j = R p_j + c
//     x_j moves towards g_j, and R becomes the turn of the particle in the middle         [Mueller11] Eq. 7, corrected
// How far: by a share s of the way, or so that the group pulls like a spring [rad^2/s^2] whatever step and sweeps are:
//     D_j = kappa dt^2 (g_j - x_j),   D_j the sum of what the group has moved x_j in this step              [Macklin16]
//     kappa = 3 E V / sum_j m_j |p_j|^2: a stretch by e stores V E e^2 / 2
#pragma once

#include <span>

#include "pliant/methods/oriented/colouring.h"
#include "pliant/methods/oriented/rest_pose.h"
#include "pliant/methods/oriented/working_particles.h"

namespace pliant {

class MatchingGroups {
public:
    // Which groups there are. Adds spare particles to `working`.
    void set_groups(const RestPose& rest, std::span<const Cluster> clusters, WorkingParticles& working);

    // Rest shapes, after they have changed too. One entry a particle: E V [J], for springs, and s; without s, springs.
    void set_rest(const RestPose& rest, std::span<const std::uint8_t> held, std::span<const Real> young_volume,
                  std::span<const Real> share);

    void begin_step(Real dt);  // forgets what was moved
    void sweep(std::size_t cluster, WorkingParticles& working, bool backwards, bool in_parallel);

    std::size_t bytes() const;

private:
    struct Range {
        std::uint32_t first = 0, last = 0;
    };
    struct MemberRow {
        std::uint32_t index[8];
        Float8 weight;  // m; 0 where the lane has fewer members
        WideVec3<Float8> rest;
    };
    struct Pack {
        std::uint32_t first = 0, count = 0;  // rows; row 0 holds the middles
        Float8 total, inverse_total;         // sum m [kg]
        Float8 scale;                        // makes A a matrix of about one
        Float8 pull;                         // s, or kappa
        Float8 moment[6];                    // of the middles at rest: xx, yy, zz, yz, xz, xy
    };

    template <bool is_spring>
    void match(const Pack& pack, WorkingParticles& working);
    void add_pack(const RestPose& rest, std::span<const std::uint32_t> middles, std::uint32_t& spare);

    std::vector<Range> clusters_;  // colours
    std::vector<Range> colours_;   // packs
    std::vector<Pack> packs_;
    RawVector<MemberRow> rows_;
    RawVector<WideVec3<Float8>> moved_;  // D, a row each; empty without springs
    float dt2_ = 0;
};

}  // namespace pliant
