#include "pliant/output/ellipsoid.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace pliant {

Ellipsoid::Ellipsoid(const Eigen::Vector3f& c, float radius, const Eigen::Matrix3f& F) : centre(c) {
    const Eigen::Matrix3d left_stretch_squared = F.cast<double>() * F.cast<double>().transpose();
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    Eigen::Vector3d stretch = Eigen::Vector3d::Ones();
    if (left_stretch_squared.allFinite() && left_stretch_squared.cwiseAbs().maxCoeff() < 1e12) {
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
        solver.computeDirect(left_stretch_squared);
        if (solver.eigenvectors().allFinite()) {
            axes = solver.eigenvectors();
            stretch = solver.eigenvalues().cwiseMax(0).cwiseSqrt().cwiseMax(0.05).cwiseMin(4);
        }
    }
    stretch *= radius;
    to_ball = (axes * stretch.cwiseInverse().asDiagonal() * axes.transpose()).cast<float>();
    const Eigen::Matrix3d from_ball = axes * stretch.asDiagonal() * axes.transpose();
    half_extent = from_ball.rowwise().norm().cast<float>() * 1.0001f;
}

float Ellipsoid::distance(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction, float nearest,
                          float farthest) const {
    // |o + t d| = 1 in the frame of the ball. Measured from the point nearest to the centre, t loses few digits.
    const Eigen::Vector3f o = to_ball * (origin - centre), d = to_ball * direction;
    const float dd = d.squaredNorm(), t_middle = -o.dot(d) / dd;
    const float gap = 1 - (o + t_middle * d).squaredNorm();
    if (!(gap > 0)) return -1;
    const float half_chord = std::sqrt(gap / dd);
    if (const float t = t_middle - half_chord; t > nearest && t < farthest) return t;
    if (const float t = t_middle + half_chord; t > nearest && t < farthest) return t;
    return -1;
}

}  // namespace pliant
