#include "pliant/methods/body_contact.h"

#include <algorithm>
#include <limits>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real damping_ratio = 0.3;  // of a pair's critical damping, while it closes
constexpr Real shared_by = 4;        // pairs that share the tangential stop of a particle, on average

}  // namespace

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
    const Real d = touching_distance(model_, state, i, j);
    const Vec3 q = state.position[j] - state.position[i];
    const Real r2 = q.squaredNorm();
    if (!(r2 < d * d) || r2 == 0) return;

    const Real r = std::sqrt(r2);
    const Vec3 n = q / r;
    const Real k = stiffness_ * touching_stiffness(model_, state, i, j);
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
    near_.update(state);
    parallel_for(near_.candidates(), [&](std::size_t c) {
        near_.each_near(state, c, [&](std::size_t i, std::size_t j) { add_pair_force(state, i, j, dt, force[i]); });
    });
}

}  // namespace pliant
