// Systems (M + dt^2 K) x = b of elastic points, as preconditioners see them.
#pragma once

#include <cstdint>
#include <span>

#include "pliant/math/types.h"

namespace pliant {

// Points of different groups (bodies) share no unknowns: [first, last), on cells of this size.
struct PointGroup {
    std::size_t first = 0, last = 0;
    Real cell = 0;  // m
};

// What the points stand for in one system; arrays over points.
struct PointSystem {
    std::span<const Real> mass;      // kg
    std::span<const Real> mu;        // dt^2 V mu      [kg m^2]
    std::span<const Real> lambda;    // dt^2 V lambda
    std::span<const Mat3> turn;      // gradients in rest space -> r_a
    std::span<const Mat3> diagonal;  // D, the blocks on the diagonal of the system's matrix
};

// A point that is constrained in some directions, by the projector onto those, and braked in others: the system's
// matrix has `drag` [kg] at (i, i).
struct HeldPoint {
    std::uint32_t point;
    Mat3 held;
    Mat3 drag = Mat3::Zero();
};

// Two points that push each other: the system's matrix has `coupling` at (i, i) and (j, j), and minus it at (i, j).
struct PointPair {
    std::uint32_t i, j;
    Mat3 coupling;
};

}  // namespace pliant
