#include "pliant/methods/oriented/rigid_motion.h"

#include <Eigen/Cholesky>

namespace pliant {

RigidMotion rigid_motion(std::span<const std::uint32_t> particles, const ParticleState& state,
                         std::span<const Eigen::Matrix3f> shape) {
    RigidMotion motion;
    Real mass = 0;
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
    for (const std::uint32_t i : particles) {
        const Real m = state.mass[i];
        mass += m;
        motion.centre += m * state.position[i];
        momentum += m * state.velocity[i];
    }
    motion.centre /= mass;
    motion.velocity = momentum / mass;
    Mat3 inertia = Mat3::Zero();
    for (const std::uint32_t i : particles) {
        const Real m = state.mass[i];
        const Vec3 r = state.position[i] - motion.centre;
        const Mat3 own = own_inertia(m, shape[i].cast<Real>());
        spin += m * r.cross(state.velocity[i]) + own * state.spin[i];
        inertia += m * (r.squaredNorm() * Mat3::Identity() - r * r.transpose()) + own;
    }
    const Vec3 turn = inertia.ldlt().solve(spin);
    if (turn.allFinite()) motion.spin = turn;
    return motion;
}

std::vector<MovingPiece> moving_pieces(const RestPose& rest, const ParticleState& state) {
    std::vector<MovingPiece> pieces;
    std::vector<std::uint8_t> taken(rest.size(), 0);
    const auto take = [&](auto&& candidates) {
        MovingPiece piece;
        for (const std::uint32_t i : candidates) {
            if (!taken[i]) piece.particles.push_back(i);
            taken[i] = 1;
            piece.is_pinned |= state.pin[i] != no_pin;
        }
        if (!piece.particles.empty()) pieces.push_back(std::move(piece));
    };
    for (const RigidGroup& group : rest.groups) take(group.particles);
    for (const BodyRange& body : rest.bodies) {
        std::vector<std::uint32_t> all(body.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint32_t>(body.first + k);
        take(all);
    }
    return pieces;
}

}  // namespace pliant
