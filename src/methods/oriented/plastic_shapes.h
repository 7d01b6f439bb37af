// Rest shapes that change. Dents: a group of a rig that was hit hard is left to the groups around its particles for a
// while, then what it has become is its rest shape. Creep: strain of the group around a particle beyond the yield
// strain goes into the rest positions at a rate.
#pragma once

#include <span>

#include "pliant/methods/oriented/rest_pose.h"

namespace pliant {

// The group around a particle as it is now against its rest shape.
struct GroupFit {
    Mat3 R = Mat3::Identity();
    Vec3 centre = Vec3::Zero(), rest_centre = Vec3::Zero();
    Real deviation = 0;  // sum m |x - g|^2 [kg m^2]
    Real moment = 0;     // sum m |p|^2 [kg m^2]

    Real strain() const { return moment > 0 ? std::sqrt(deviation / moment) : 0; }
};
GroupFit fit_group(std::size_t middle, const ParticleState& state, const RestPose& rest);

// What the group is now becomes its rest shape: with s the best fit of the old one, the rest pose of each particle is
// s^-1 after its current pose.                                                       [Mueller11] Section 5.4, corrected
void absorb_dent(const RigidGroup& group, const ParticleState& state, RestPose& rest);

// Rest positions creep for dt; returns how many groups yield, and adds to their plastic strain.
std::size_t creep(Real yield, Real rate, Real dt, ParticleState& state, RestPose& rest);

}  // namespace pliant
