// Measures of a world's shape that several tests use.
#pragma once

#include <cmath>
#include <vector>

#include "pliant/math/svd.h"
#include "pliant/particles/state.h"

namespace pliant {

// RMS distance of the particles from the best rigid fit of where they started.
inline Real distance_to_rigid(const std::vector<Vec3>& start, const std::vector<Vec3>& now) {
    Vec3 c0 = Vec3::Zero(), c1 = Vec3::Zero();
    for (std::size_t i = 0; i < start.size(); ++i) c0 += start[i], c1 += now[i];
    c0 /= Real(start.size());
    c1 /= Real(start.size());
    Mat3 A = Mat3::Zero();
    for (std::size_t i = 0; i < start.size(); ++i) A += (now[i] - c1) * (start[i] - c0).transpose();
    const Svd s = svd(A);
    const Mat3 R = s.U * s.V.transpose();
    Real sum = 0;
    for (std::size_t i = 0; i < start.size(); ++i) sum += (now[i] - c1 - R * (start[i] - c0)).squaredNorm();
    return std::sqrt(sum / Real(start.size()));
}

}  // namespace pliant
