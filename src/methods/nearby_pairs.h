// Which particles may touch that are not of one piece: those of different bodies, and far parts of one body's surface.
// Found with a margin, and found again only when some particle has moved half of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/geometry/neighbours.h"
#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

class NearbyPairs {
public:
    explicit NearbyPairs(const Model& model) : model_(model) {}

    // Particles of a body that may touch their own body; none if empty.
    void set_surface(std::vector<std::uint8_t> is_surface) {
        is_surface_ = std::move(is_surface);
        searched_at_.clear();
    }

    // `reach`: where particles meet from further away than `covered` touching distances [m].
    void update(const ParticleState& state, Real reach = 0);

    // Calls visit(i, j) for the pairs of candidate c; over all candidates a pair is met both ways round. All pairs
    // closer than `covered` touching distances or the reach are among them; what lies beyond depends on when was last
    // searched.
    static constexpr Real covered = 1.3;
    std::size_t candidates() const { return candidates_.size(); }
    std::size_t candidate(std::size_t c) const { return candidates_[c]; }  // its particle
    template <class Visit>
    void each_near(const ParticleState& state, std::size_t c, Visit&& visit) const {
        const std::size_t i = candidates_[c];
        for (const std::uint32_t other : near_[c]) {
            const std::size_t j = candidates_[other];
            const bool is_other_body = state.body[j] != state.body[i];
            const bool is_own_surface = !is_surface_.empty() && is_surface_[i] && is_surface_[j];
            if (is_other_body || is_own_surface) visit(i, j);
        }
    }

    std::size_t bytes() const;

private:
    void choose_candidates(const ParticleState& state, Real reach);

    const Model& model_;
    NeighbourSearch search_;
    std::vector<std::uint8_t> is_surface_;
    std::vector<std::uint32_t> candidates_;
    std::vector<Vec3> candidate_position_;
    NeighbourLists near_;  // among the candidates
    std::vector<Vec3> searched_at_;
    Real searched_reach_ = 0;  // without the margin [m]
};

// Of all bodies, between particles at rest [m].
inline Real widest_spacing(const Model& model) {
    Real widest = 0;
    for (const BodyModel& body : model.bodies) widest = std::max(widest, body.spacing);
    return widest;
}

// Where two particles touch: the mean of their spacings [m].
inline Real touching_distance(const Model& model, const ParticleState& state, std::size_t i, std::size_t j) {
    return (model.bodies[state.body[i]].spacing + model.bodies[state.body[j]].spacing) / 2;
}
// Stiffness of their push [N/m]: the softer P-wave modulus x distance.
inline Real touching_stiffness(const Model& model, const ParticleState& state, std::size_t i, std::size_t j) {
    const auto modulus = [&](std::size_t k) { return model.material_of(state.body[k]).moduli.p_wave(); };
    return std::min(modulus(i), modulus(j)) * touching_distance(model, state, i, j);
}

}  // namespace pliant
