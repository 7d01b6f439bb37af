#include "pliant/methods/oriented/working_particles.h"

#include <gtest/gtest.h>

#include <random>

#include "pliant/math/rotation_vector.h"

namespace pliant {
namespace {

// A = integral of (R y)(Rbar y)^T dm over the ellipsoid, by points drawn at random in it: y is from the centre in its
// own axes, Rbar its orientation at rest and R its orientation now.               [Mueller11] Eq. 9, corrected
TEST(WorkingParticles, TheMomentOfAnEllipsoidIsThatOfItsMatter) {
    std::mt19937 random(5);
    std::normal_distribution<Real> normal;
    std::uniform_real_distribution<Real> uniform(0, 1);
    const auto any_vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
    constexpr std::size_t count = 9;  // a pack, and one alone
    WorkingParticles working;
    working.particle.resize(count, WorkingParticle{});
    working.turn.resize(count, Turn{});
    std::vector<Mat3> expected;
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 radii = 0.05 * (Vec3::Constant(0.5) + any_vector().cwiseAbs());
        const Real mass = 0.1 + uniform(random);
        const Quat rest = rotation_from_vector(any_vector()), turn = rotation_from_vector(any_vector());
        const Mat3 Rbar = rest.toRotationMatrix(), R = (turn * rest).toRotationMatrix();
        Mat3 A = Mat3::Zero();
        const int points = 200000;
        for (int k = 0; k < points; ++k) {
            const Vec3 y = radii.cwiseProduct(any_vector().normalized() * std::cbrt(uniform(random)));
            A += mass / points * (R * y) * (Rbar * y).transpose();
        }
        expected.push_back(A);
        working.rest_moment.push_back(moment_at_rest(mass, Rbar * radii.cwiseAbs2().asDiagonal() * Rbar.transpose()));
        working.turn[i] = {float(turn.w()), float(turn.x()), float(turn.y()), float(turn.z())};
    }
    working.refresh_moments(0, count);
    for (std::size_t i = 0; i < count; ++i) {
        Mat3 A;
        for (int c = 0; c < 3; ++c) {
            for (int r = 0; r < 3; ++r) A(r, c) = working.particle[i].moment[4 * c + r];
        }
        EXPECT_LT((A - expected[i]).norm(), 0.01 * expected[i].norm()) << i;
    }
}

}  // namespace
}  // namespace pliant
