// The ellipsoid that a ball of matter has become: { c + r F u : |u| = 1 }, met by rays.
#pragma once

#include <Eigen/Core>

namespace pliant {

struct Ellipsoid {
    Eigen::Vector3f centre;
    Eigen::Matrix3f to_ball;      // symmetric: maps offsets from the centre to the unit ball
    Eigen::Vector3f half_extent;  // of its box

    // Only the stretch matters, which the eigenvectors of F F^T give; axes are kept within a twentieth of and four
    // times the radius, so that what is flattened or torn can still be seen. F that is not finite makes a ball.
    Ellipsoid(const Eigen::Vector3f& c, float radius, const Eigen::Matrix3f& F);

    // The nearest distance in (nearest, farthest) along the ray, or a negative number when there is none.
    float distance(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction, float nearest,
                   float farthest) const;

    Eigen::Vector3f normal(const Eigen::Vector3f& point) const {
        return (to_ball * (to_ball * (point - centre))).normalized();
    }
};

}  // namespace pliant
