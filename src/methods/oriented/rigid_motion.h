// The motion of a set of particles as one rigid piece: what is left of it is deformation.
//     P = sum m v = M v_c,   L = sum (m r x v + I omega) = I_all omega_all,   I = (m/5) (tr S 1 - S)
// A step along the velocities takes particles off the circle on which they turn, and matching, which pulls them back,
// brakes the turn: omega(t) = omega0 / sqrt(1 + 2 omega0^2 dt t). Turning by the angle instead keeps it.
#pragma once

#include <span>

#include "pliant/methods/oriented/rest_pose.h"

namespace pliant {

struct RigidMotion {
    Vec3 centre = Vec3::Zero();    // m
    Vec3 velocity = Vec3::Zero();  // m/s
    Vec3 spin = Vec3::Zero();      // rad/s

    Vec3 velocity_at(const Vec3& x) const { return velocity + spin.cross(x - centre); }
};

// `shape` is S of each particle, as it is turned now.
RigidMotion rigid_motion(std::span<const std::uint32_t> particles, const ParticleState& state,
                         std::span<const Eigen::Matrix3f> shape);

// I of one particle [kg m^2].
inline Mat3 own_inertia(Real mass, const Mat3& S) {
    return mass / 5 * (S.trace() * Mat3::Identity() - S);
}

// Each rigid group, and the rest of each body; no particle is in two. What is pinned somewhere does not move as one.
struct MovingPiece {
    std::vector<std::uint32_t> particles;
    bool is_pinned = false;
};
std::vector<MovingPiece> moving_pieces(const RestPose& rest, const ParticleState& state);

}  // namespace pliant
