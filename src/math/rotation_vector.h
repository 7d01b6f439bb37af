// Rotations as vectors: the direction is the axis, the length the angle in radians. Not-a-number in, the same out.
#pragma once

#include <cmath>

#include "pliant/math/types.h"

namespace pliant {

// sin(x) / x, for every x: below 1e-2 the series 1 - x^2/6 + x^4/120, exact there.
inline Real sinc(Real x) {
    const Real x2 = x * x;
    return x2 < 1e-4 ? 1 - x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42)) : std::sin(x) / x;
}

// The unit quaternion (cos(|w| / 2), sin(|w| / 2) w / |w|).
inline Quat rotation_from_vector(const Vec3& w) {
    const Real half2 = w.squaredNorm() / 4;
    if (half2 < 2.5e-3) {  // half an angle below 0.05: cos and sinc by their series, exact there
        const Real c = 1 - half2 / 2 * (1 - half2 / 12 * (1 - half2 / 30 * (1 - half2 / 56)));
        const Vec3 v = (1 - half2 / 6 * (1 - half2 / 20 * (1 - half2 / 42 * (1 - half2 / 72)))) / 2 * w;
        return {c, v.x(), v.y(), v.z()};
    }
    const Real half = w.stableNorm() / 2;
    const Vec3 v = (sinc(half) / 2) * w;
    return {std::cos(half), v.x(), v.y(), v.z()};
}

// The vector of length 0 to pi: angle = 2 atan2(|v|, w) after flipping to w >= 0 [Mueller11, Eq. 14 corrected].
// q need not have unit length; of the zero quaternion, zero.
inline Vec3 vector_from_rotation(const Quat& q) {
    const Vec3 v = q.w() < 0 ? Vec3(-q.vec()) : Vec3(q.vec());
    const Real w = std::abs(q.w()), x2 = v.squaredNorm() / square(w);
    if (x2 < 1e-3) {  // atan(x) / x = 1 - x^2/3 + ..., exact there
        return (2 / w) * (1 - x2 * (1.0 / 3 - x2 * (1.0 / 5 - x2 * (1.0 / 7 - x2 * (1.0 / 9 - x2 / 11))))) * v;
    }
    const Real length = v.stableNorm();
    return length > 0 ? Vec3((2 * std::atan2(length, w) / length) * v) : v;
}

}  // namespace pliant
