// Random numbers for a picture: each pixel has its own, from a hash of its place, so that they do not depend on the
// order of the work; and within a pixel they fill the square evenly, so that few are enough.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pliant {

inline std::uint32_t scramble(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    return x ^ (x >> 16);
}

class PixelSamples {
public:
    PixelSamples(int x, int y) : seed_(scramble(std::uint32_t(x) * 0x9E3779B1u ^ scramble(std::uint32_t(y)))) {}

    // Sample s of the pair of numbers in [0, 1) that has a purpose of its own: lens, light, sky, ...
    Eigen::Vector2f pair(int s, int purpose) const {
        const std::uint32_t offset_x = scramble(seed_ + std::uint32_t(purpose) * 0x85EBCA6Bu);
        const std::uint32_t offset_y = scramble(offset_x + 1);
        // Another order for each purpose, or the pairs of one sample would depend on each other.
        const std::uint32_t index = std::uint32_t(s) ^ (offset_y & 15u);
        // 1/g and 1/g^2 with g^3 = g + 1, as fractions of 2^32: the most even steps in the square.
        return {unit(offset_x + index * 3242174889u), unit(offset_y + index * 2447445414u)};
    }

private:
    static float unit(std::uint32_t value) { return float(value >> 8) * 0x1p-24f; }

    std::uint32_t seed_;
};

// Even numbers in the square to even points in the unit disc.
inline Eigen::Vector2f disc_point(const Eigen::Vector2f& u) {
    const float r = std::sqrt(u[0]), angle = 6.2831853f * u[1];
    return {r * std::cos(angle), r * std::sin(angle)};
}

// An offset with the density of a tent of width 2: the pixel's filter.
inline float tent_offset(float u) {
    return u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u);
}

// Two unit vectors square to the unit vector n and to each other.
inline void tangents(const Eigen::Vector3f& n, Eigen::Vector3f& a, Eigen::Vector3f& b) {
    const float sign = n.z() >= 0 ? 1.0f : -1.0f;
    const float p = -1 / (sign + n.z()), q = n.x() * n.y() * p;
    a = {1 + sign * n.x() * n.x() * p, sign * q, -sign * n.x()};
    b = {q, sign + n.y() * n.y() * p, -n.y()};
}

// A direction around n, with a density as the cosine to n.
inline Eigen::Vector3f cosine_direction(const Eigen::Vector3f& n, const Eigen::Vector2f& u) {
    Eigen::Vector3f a, b;
    tangents(n, a, b);
    const Eigen::Vector2f d = disc_point(u);
    return (d.x() * a + d.y() * b + std::sqrt(std::max(0.0f, 1 - u[0])) * n).normalized();
}

// A direction in the cone around the unit vector n, whose radius at distance 1 is `spread`.
inline Eigen::Vector3f cone_direction(const Eigen::Vector3f& n, float spread, const Eigen::Vector2f& u) {
    Eigen::Vector3f a, b;
    tangents(n, a, b);
    const Eigen::Vector2f d = spread * disc_point(u);
    return (n + d.x() * a + d.y() * b).normalized();
}

}  // namespace pliant
