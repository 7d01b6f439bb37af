// How much two shapes of the same particles differ, whatever their place and turn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

// The rigid motion x -> R x + t that carries `from` nearest to `to`.
struct RigidFit {
    Mat3 R = Mat3::Identity();
    Vec3 t = Vec3::Zero();
    Vec3 middle_from = Vec3::Zero(), middle_to = Vec3::Zero();
};

RigidFit fit_rigidly(std::span<const Vec3> from, std::span<const Vec3> to);

Real angle_of(const Mat3& R);  // degrees, from 0 to 180

// The particles of a scene as they are, in the order of ids.
struct ParticleShape {
    std::vector<Vec3> position;
    std::vector<std::uint32_t> body;
};

// Of two states of the same particles, as root mean square over all of them, each body on its own and over its height h
// at the start.
struct Deviation {
    Real shape = 0;  // |x_a - (R x_b + t)| / h, with the best rigid motion
    Real place = 0;  // |middle_a - middle_b| / h
};

Deviation deviation(const ParticleShape& start, std::span<const Vec3> a, std::span<const Vec3> b);

}  // namespace pliant
