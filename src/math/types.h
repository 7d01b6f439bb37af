// The numbers and small matrices that every room speaks in.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace pliant {

using Real = double;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

constexpr Real pi = 3.14159265358979323846;

constexpr Real square(Real x) {
    return x * x;
}
constexpr Real cube(Real x) {
    return x * x * x;
}

// The box between two corners; empty until something is added.
using Box = Eigen::AlignedBox3d;

// [w]x, the matrix with [w]x y = w x y.
inline Mat3 cross_matrix(const Vec3& w) {
    Mat3 m;
    m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
    return m;
}

// The axial vector a of the skew part of A: [a]x = (A - A^T) / 2.
inline Vec3 axial(const Mat3& A) {
    return 0.5 * Vec3(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
}

}  // namespace pliant
