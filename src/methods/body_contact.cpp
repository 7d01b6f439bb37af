#include "pliant/methods/body_contact.h"

#include <algorithm>
#include <limits>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real damping_ratio = 0.3;  // of a pair's critical damping, while it closes
constexpr Real shared_by = 4;        // pairs that share the tangential stop of a particle, on average

}  // namespace

void BodyContact::find_pairs(const ParticleState& state) {
    Real widest = 0;
    for (const BodyModel& body : model_.bodies) widest = std::max(widest, body.spacing);
    margin_ = 0.3 * widest;
    const auto moved = [&](std::size_t i) { return (state.position[i] - searched_at_[i]).squaredNorm(); };
    const bool still_serves =
        searched_at_.size() == state.size() && parallel_max(state.size(), 0.0, moved) < square(0.5 * margin_);
    if (still_serves) return;
    choose_candidates(state, widest + margin_);
    search_.find(candidate_position_, widest + margin_, near_);
    searched_at_ = state.position;
}

// Particles within `reach` of the box around another body.
void BodyContact::choose_candidates(const ParticleState& state, Real reach) {
    std::vector<Box> boxes(model_.bodies.size());
    for (std::size_t i = 0; i < state.size(); ++i) boxes[state.body[i]].extend(state.position[i]);
    candidates_.clear();
    candidate_position_.clear();
    for (std::size_t i = 0; i < state.size(); ++i) {
        const auto is_near = [&](const Box& box) {
            return box.squaredExteriorDistance(state.position[i]) <= square(reach);
        };
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            if (b == state.body[i] || boxes[b].isEmpty() || !is_near(boxes[b])) continue;
            candidates_.push_back(static_cast<std::uint32_t>(i));
            candidate_position_.push_back(state.position[i]);
            break;
        }
    }
}

// A particle between four of another body: omega^2 = 2 * 4 k / m with k = stiffness M d, and dt < 2 / omega.
Real BodyContact::largest_timestep() const {
    Real rate = 0;
    if (model_.bodies.size() < 2) return std::numeric_limits<Real>::infinity();
    for (const BodyModel& body : model_.bodies) {
        const Material& material = model_.materials[body.material];
        rate = std::max(rate, sound_speed(material.moduli, material.density) / body.spacing);
    }
    return 2 / (rate * std::sqrt(2 * 4 * stiffness_));
}

// f_i = -(k (d - r) + c v_n) n + friction, n from i to j; k = stiffness M d with M the softer P-wave modulus
void BodyContact::add_pair_force(const ParticleState& state, std::size_t i, std::size_t j, Real dt, Vec3& force) const {
    const BodyModel &a = model_.bodies[state.body[i]], &b = model_.bodies[state.body[j]];
    const Real d = (a.spacing + b.spacing) / 2;
    const Vec3 q = state.position[j] - state.position[i];
    const Real r2 = q.squaredNorm();
    if (!(r2 < d * d) || r2 == 0) return;

    const Real r = std::sqrt(r2);
    const Vec3 n = q / r;
    const Real modulus =
        std::min(model_.materials[a.material].moduli.p_wave(), model_.materials[b.material].moduli.p_wave());
    const Real k = stiffness_ * modulus * d;
    const Real mass = state.mass[i] * state.mass[j] / (state.mass[i] + state.mass[j]);
    const Vec3 v = state.velocity[j] - state.velocity[i];
    const Real closing = std::max(Real(0), -v.dot(n));
    const Real push = k * (d - r) + 2 * damping_ratio * std::sqrt(k * mass) * closing;
    const Vec3 slip = v - v.dot(n) * n;
    const Real speed = slip.norm();
    const Real grip = speed > 0 ? std::min(model_.body_friction * push / speed, mass / (shared_by * dt)) : 0;
    force += -push * n + grip * slip;
}

void BodyContact::add_forces(const ParticleState& state, Real dt, std::vector<Vec3>& force) {
    if (model_.bodies.size() < 2) return;
    find_pairs(state);
    parallel_for(candidates_.size(), [&](std::size_t c) {
        const std::size_t i = candidates_[c];
        for (const std::uint32_t other : near_[c]) {
            const std::size_t j = candidates_[other];
            if (state.body[j] != state.body[i]) add_pair_force(state, i, j, dt, force[i]);
        }
    });
}

std::size_t BodyContact::bytes() const {
    return search_.memory() + near_.memory() +
           (searched_at_.capacity() + candidate_position_.capacity()) * sizeof(Vec3) +
           candidates_.capacity() * sizeof(std::uint32_t);
}

}  // namespace pliant
