#include "pliant/particles/state.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "pliant/base/hash.h"
#include "pliant/base/parallel.h"

namespace pliant {

void ParticleState::resize(std::size_t count) {
    id.resize(count);
    body.resize(count);
    pin.resize(count, no_pin);
    position.resize(count, Vec3::Zero());
    velocity.resize(count, Vec3::Zero());
    mass.resize(count);
    rest_volume.resize(count);
    deformation.resize(count, Mat3::Identity());
    plastic_strain.resize(count);
    if (has_orientations()) add_orientations();
}

std::size_t ParticleState::append(std::size_t count) {
    const std::size_t first = size();
    resize(first + count);
    for (std::size_t i = first; i < size(); ++i) id[i] = static_cast<std::uint32_t>(i);
    return first;
}

void ParticleState::add_orientations() {
    orientation.resize(size(), Quat::Identity());
    spin.resize(size(), Vec3::Zero());
}

void ParticleState::reorder(std::span<const std::uint32_t> order) {
    assert(order.size() == size());
    each_array([&](const char*, auto& array) {
        std::remove_reference_t<decltype(array)> sorted(array.size());
        parallel_for(array.size(), [&](std::size_t k) { sorted[k] = array[order[k]]; });
        array.swap(sorted);
    });
}

std::uint64_t ParticleState::hash() const {
    Hash hash;
    each_array([&](const char*, const auto& array) { hash.add_bytes(array.data(), array.size() * sizeof(array[0])); });
    return hash.value();
}

std::size_t ParticleState::bytes() const {
    std::size_t total = 0;
    each_array([&](const char*, const auto& array) { total += array.size() * sizeof(array[0]); });
    return total;
}

std::vector<BodyRange> body_ranges(const ParticleState& state, std::size_t bodies) {
    std::vector<BodyRange> ranges(bodies);
    for (std::size_t i = 0; i < state.size(); ++i) {
        BodyRange& range = ranges[state.body[i]];
        if (range.last == 0) range.first = i;
        range.last = i + 1;
    }
    return ranges;
}

Real total_mass(const ParticleState& s) {
    return parallel_sum(s.size(), Real(0), [&](std::size_t i) { return s.mass[i]; });
}

Vec3 centre_of_mass(const ParticleState& s) {
    const Vec3 moment =
        parallel_sum(s.size(), Vec3(Vec3::Zero()), [&](std::size_t i) -> Vec3 { return s.mass[i] * s.position[i]; });
    return moment / std::max(total_mass(s), std::numeric_limits<Real>::min());
}

Momentum momentum(const ParticleState& s) {
    const auto add = [](const Momentum& a, const Momentum& b) {
        return Momentum{a.linear + b.linear, a.angular + b.angular};
    };
    return parallel_reduce(
        s.size(), Momentum{},
        [&](std::size_t i) {
            const Vec3 p = s.mass[i] * s.velocity[i];
            return Momentum{p, s.position[i].cross(p)};
        },
        add);
}

Real kinetic_energy(const ParticleState& s) {
    return parallel_sum(s.size(), Real(0), [&](std::size_t i) { return s.mass[i] / 2 * s.velocity[i].squaredNorm(); });
}

Real potential_energy(const ParticleState& s, const Vec3& gravity) {
    return parallel_sum(s.size(), Real(0), [&](std::size_t i) { return -s.mass[i] * gravity.dot(s.position[i]); });
}

Real largest_speed(const ParticleState& s) {
    return std::sqrt(parallel_max(s.size(), 0.0, [&](std::size_t i) { return s.velocity[i].squaredNorm(); }));
}

Box bounds(const ParticleState& s) {
    return parallel_reduce(
        s.size(), Box(), [&](std::size_t i) { return Box(s.position[i], s.position[i]); },
        [](const Box& a, const Box& b) { return a.merged(b); });
}

std::size_t first_not_finite(const ParticleState& s) {
    return parallel_reduce(
        s.size(), s.size(),
        [&](std::size_t i) { return s.position[i].allFinite() && s.velocity[i].allFinite() ? s.size() : i; },
        [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

}  // namespace pliant
