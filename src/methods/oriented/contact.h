// Contact between two ellipsoids, or between one and an obstacle: a plane that they may not cross within a step, with
// Coulomb friction. Everything is a displacement, so that what a textbook calls an impulse J is here lambda = J dt.
//     gap = offset + n.(x_b - x_a) >= 0,   lambda_n >= 0,   lambda_n gap = 0,   |lambda_t| <= mu lambda_n
// n leads from a to b, or from a into the obstacle; x_b of an obstacle is 0. Particles that nothing links also turn:
//     1 / m_eff along u = sum of 1/m + (r x u).I^-1 (r x u),   I = (m/5) (tr S 1 - S)
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <span>

#include "pliant/methods/oriented/working_particles.h"

namespace pliant {

inline constexpr std::uint32_t obstacle = std::numeric_limits<std::uint32_t>::max();

struct Contact {
    std::uint32_t a = 0, b = obstacle;
    Eigen::Vector3f normal = Eigen::Vector3f::UnitX();
    float offset = 0;                                 // m
    Eigen::Vector3f arm_a = Eigen::Vector3f::Zero();  // from the centre to the point of contact [m]
    Eigen::Vector3f arm_b = Eigen::Vector3f::Zero();
    Eigen::Vector3f slide = Eigen::Vector3f::Zero();    // what the obstacle moves by there [m]
    float friction = 0;                                 // mu
    bool holds = false;                                 // an obstacle that is not let go of
    bool turns = false;                                 // one of the two does
    Eigen::Vector3f from = Eigen::Vector3f::Zero();     // x_a - x_b where they would not have slid [m]
    float normal_mass = 0, tangent_mass = 0;            // m_eff [kg]
    float lambda = 0;                                   // kg m
    Eigen::Vector3f tangent = Eigen::Vector3f::Zero();  // kg m, on a
};

// Where particles were when the step began, and what it takes to turn them.
struct ContactBodies {
    std::span<const Eigen::Vector3f> start;  // m, from the common origin
    std::span<const Turn> start_turn;
    std::span<const Eigen::Matrix3f> inverse_inertia;  // 1/(kg m^2), at the start; zero: it does not turn by contact
};

// As a step begins.
void set_masses(Contact& contact, const WorkingParticles& working, const ContactBodies& bodies);

// One sweep over one contact.
void push(Contact& contact, WorkingParticles& working, const ContactBodies& bodies);

}  // namespace pliant
