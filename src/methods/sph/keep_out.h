// Keeps particles out of obstacles where pressure alone does not. The samples of an obstacle lie half a spacing below
// its surface and push away from themselves: what a violent splash squeezes past them, they would push further in.
// Nothing gets below the surface; there samples still push outward, in most corners too. Particles in ordinary contact,
// half a spacing above the surface, never notice.
#pragma once

#include <span>
#include <vector>

#include "pliant/methods/contact_constraints.h"
#include "pliant/methods/obstacles.h"
#include "pliant/methods/sph/boundary.h"
#include "pliant/methods/sph/near_rows.h"

namespace pliant {

// What the pressure solve must leave a particle that is about to get too deep: a.normal >= least.
struct AccelerationLimit {
    std::uint32_t particle;
    Eigen::Vector3f normal;
    bool is_reached;  // it can get no deeper
    float least;      // m/s^2
    float given = 0;  // by the limit, over what pressure gave [m/s^2]
};

class KeepOut {
public:
    KeepOut(const Model& model, Real spacing);

    // Which bodies have particles within an obstacle.
    std::vector<std::uint8_t> bodies_inside(const ParticleState& state, Real time) const;

    // Before the pressure solve. Were velocities only changed after it, what presses on a particle that is stopped
    // would count on it to give way, step by step, and crowd there. What touches according to the elastic solve comes
    // no nearer either. Ascending by particle.
    std::span<AccelerationLimit> limits(const ParticleState& state, const NearRows& rows, const Boundary& boundary,
                                        std::span<const ContactConstraints::Touch> touches, Real time, Real dt);

    // After it: velocities that a move by dt obeys the limit with, on all of the way. Takes nothing but what leads
    // inward, relative to the obstacle.
    void stop(ParticleState& state, const NearRows& rows, Real time, Real dt) const;

private:
    Vec3 stopped(Vec3 velocity, const Vec3& x, std::span<const PosePair> poses, Real dt) const;

    const Model& model_;
    Real spacing_;
    Real obstacle_speed_;
    std::vector<std::vector<AccelerationLimit>> found_;  // a block of particles
    std::vector<AccelerationLimit> limits_;
};

}  // namespace pliant
