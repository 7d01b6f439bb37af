// Frames that tests write, read and draw.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#include "pliant/output/particle_frame.h"

namespace pliant {

// A spiral of n particles with every array filled.
inline ParticleFrame full_frame(std::size_t n) {
    ParticleFrame frame;
    frame.time = 1.0 / 3;
    frame.frame = 20;
    ParticleQuantity stress{"stress", "Pa", {}}, strain{"plastic_strain", "", {}};
    for (std::size_t i = 0; i < n; ++i) {
        const float t = float(i);
        frame.id.push_back(std::uint32_t(4000000000u - i));
        frame.position.emplace_back(0.02f * std::cos(t), 0.001f * t, 0.02f * std::sin(t));
        frame.velocity.emplace_back(1, -t, 0.5f * t);
        frame.body.push_back(std::uint16_t(65535 - i % 3));
        frame.material.push_back(std::uint16_t(i % 2));
        frame.radius.push_back(0.005f + 1e-6f * t);
        frame.deformation.push_back(Eigen::Matrix3f::Identity() +
                                    0.01f *
                                        Eigen::Matrix3f::Constant(t).triangularView<Eigen::Upper>().toDenseMatrix());
        stress.values.push_back(1e5f * t);
        strain.values.push_back(1 / (1 + t));
    }
    frame.quantities = {stress, strain};
    return frame;
}

// Bit for bit, so that NaN is equal to itself.
template <class T>
bool are_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline bool are_same(const ParticleFrame& a, const ParticleFrame& b) {
    bool are_same = std::memcmp(&a.time, &b.time, sizeof a.time) == 0 && a.frame == b.frame &&
                    are_same_bits(a.id, b.id) && are_same_bits(a.position, b.position) &&
                    are_same_bits(a.velocity, b.velocity) && are_same_bits(a.body, b.body) &&
                    are_same_bits(a.radius, b.radius) && are_same_bits(a.material, b.material) &&
                    are_same_bits(a.deformation, b.deformation) && a.quantities.size() == b.quantities.size();
    for (std::size_t i = 0; are_same && i < a.quantities.size(); ++i) {
        are_same = a.quantities[i].name == b.quantities[i].name && a.quantities[i].unit == b.quantities[i].unit &&
                   are_same_bits(a.quantities[i].values, b.quantities[i].values);
    }
    return are_same;
}

}  // namespace pliant
