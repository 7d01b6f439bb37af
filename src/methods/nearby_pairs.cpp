#include "pliant/methods/nearby_pairs.h"

#include <algorithm>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real margin_in_spacings = 0.3;

}  // namespace

void NearbyPairs::update(const ParticleState& state, Real reach) {
    if (model_.bodies.size() < 2 && is_surface_.empty()) return;
    const Real widest = widest_spacing(model_), margin = margin_in_spacings * widest;
    reach = std::max(reach, covered * widest);
    const auto moved = [&](std::size_t i) { return (state.position[i] - searched_at_[i]).squaredNorm(); };
    const bool still_serves = searched_at_.size() == state.size() && reach <= searched_reach_ &&
                              reach > searched_reach_ / 2 &&
                              parallel_max(state.size(), 0.0, moved) < square(0.5 * margin);
    if (still_serves) return;
    choose_candidates(state, reach + margin);
    search_.find(candidate_position_, reach + margin, near_);
    searched_at_ = state.position;
    searched_reach_ = reach;
}

// Surface particles, and those within `reach` of the box around another body.
void NearbyPairs::choose_candidates(const ParticleState& state, Real reach) {
    std::vector<Box> boxes(model_.bodies.size());
    for (std::size_t i = 0; i < state.size(); ++i) boxes[state.body[i]].extend(state.position[i]);
    candidates_.clear();
    candidate_position_.clear();
    const auto is_near_another = [&](std::size_t i) {
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            if (b == state.body[i] || boxes[b].isEmpty()) continue;
            if (boxes[b].squaredExteriorDistance(state.position[i]) <= square(reach)) return true;
        }
        return false;
    };
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (!(!is_surface_.empty() && is_surface_[i]) && !is_near_another(i)) continue;
        candidates_.push_back(static_cast<std::uint32_t>(i));
        candidate_position_.push_back(state.position[i]);
    }
}

std::size_t NearbyPairs::bytes() const {
    return search_.memory() + near_.memory() + is_surface_.capacity() +
           (searched_at_.capacity() + candidate_position_.capacity()) * sizeof(Vec3) +
           candidates_.capacity() * sizeof(std::uint32_t);
}

}  // namespace pliant
