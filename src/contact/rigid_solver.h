// Impulses at contacts of rigid bodies, by Bullet's constraint solver.
#pragma once

#include <vector>

#include "pliant/contact/rigid_contacts.h"

namespace pliant {

// What the solver needs to know of a body or an obstacle, and changes of a body.
struct SolverBody {
    Real inverse_mass = 0;                 // 0: an obstacle
    Vec3 inertia = Vec3::Zero();           // along `axes` [kg m^2]
    Mat3 axes = Mat3::Identity();          // principal, in the world
    Vec3 centre = Vec3::Zero();            // of mass; of an obstacle, its position
    Vec3 velocity = Vec3::Zero();          // of the centre [m/s]
    Vec3 angular_velocity = Vec3::Zero();  // rad/s
    // Out of an overlap: a move that leaves no speed behind.
    Vec3 shift = Vec3::Zero();  // m
    Vec3 turn = Vec3::Zero();   // rotation vector [rad]
};

// Changes velocities so that contacts neither sink in within dt nor slide more than friction allows, and bounce by
// their restitution. Depends on nothing but its arguments.
void solve_contacts(std::vector<SolverBody>& bodies, const std::vector<RigidContact>& contacts, Real dt);

}  // namespace pliant
