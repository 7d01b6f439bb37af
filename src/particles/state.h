// What changes while a simulation runs: arrays over particles, in the order in which they lie in memory. That order
// may change (particles are sorted for locality); `id` tells who is who.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

constexpr std::int32_t no_pin = -1;

struct ParticleState {
    std::vector<std::uint32_t> id;     // number in the order in which bodies were sampled
    std::vector<std::uint32_t> body;   // index into the model's bodies
    std::vector<std::int32_t> pin;     // index into the model's pins, or no_pin
    std::vector<Vec3> position;        // q [m]
    std::vector<Vec3> velocity;        // v [m/s]
    std::vector<Real> mass;            // m [kg]
    std::vector<Real> rest_volume;     // V [m^3]
    std::vector<Mat3> deformation;     // Fe, the elastic deformation gradient
    std::vector<Real> plastic_strain;  // alpha, accumulated

    // Only of methods whose particles turn; empty for the others.
    std::vector<Quat> orientation;  // from the particle's own axes to the world
    std::vector<Vec3> spin;         // omega [rad/s]

    std::size_t size() const { return position.size(); }

    // Visits every array with its name, in a fixed order: hash, checkpoint, sort and append are written once.
    template <class Visitor>
    void each_array(Visitor&& visit) {
        visit("id", id);
        visit("body", body);
        visit("pin", pin);
        visit("position", position);
        visit("velocity", velocity);
        visit("mass", mass);
        visit("rest_volume", rest_volume);
        visit("deformation", deformation);
        visit("plastic_strain", plastic_strain);
        visit("orientation", orientation);
        visit("spin", spin);
    }
    template <class Visitor>
    void each_array(Visitor&& visit) const {
        const_cast<ParticleState*>(this)->each_array([&](const char* name, const auto& array) { visit(name, array); });
    }

    void resize(std::size_t count);
    // New particles behind all others, numbered on, at rest and undeformed; the index of the first. They are of body 0
    // and at the origin until somebody says otherwise.
    std::size_t append(std::size_t count);
    void add_orientations();  // all straight and still
    bool has_orientations() const { return !orientation.empty(); }
    void reorder(std::span<const std::uint32_t> order);  // particle k becomes the former order[k]
    std::uint64_t hash() const;
    std::size_t bytes() const;
};

struct Momentum {
    Vec3 linear = Vec3::Zero();   // kg m/s
    Vec3 angular = Vec3::Zero();  // about the origin [kg m^2/s]
};

// The particles of a body lie one behind the other: [first, last), both 0 for a body without particles. Liquids that
// emitters have added to are an exception: their range holds what was appended to other liquids, too.
struct BodyRange {
    std::size_t first = 0, last = 0;
    std::size_t size() const { return last - first; }
};
std::vector<BodyRange> body_ranges(const ParticleState& state, std::size_t bodies);

Real total_mass(const ParticleState& state);
Vec3 centre_of_mass(const ParticleState& state);
Momentum momentum(const ParticleState& state);
Real kinetic_energy(const ParticleState& state);                         // J
Real potential_energy(const ParticleState& state, const Vec3& gravity);  // -sum m g.q [J]
Real largest_speed(const ParticleState& state);                          // m/s
Box bounds(const ParticleState& state);

// The lowest index of a particle whose position or velocity is not finite, or size() when all are.
std::size_t first_not_finite(const ParticleState& state);

}  // namespace pliant
