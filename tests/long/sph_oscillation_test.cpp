// A bar held at one end swings in its first mode.                                          [Landau, Lifshitz] para. 25
//     omega = (k L)^2 / L^2 sqrt(E I / (rho A)),   cos kL cosh kL = -1,   k L = 1.8751,   I / A = H^2 / 12
// Of a plate that is infinitely wide E / (1 - nu^2) stands for E: with L 0.2, H 0.02, E 2 MPa, nu 0.3975 and 1000
// kg/m^3 the period is 0.254 s. A bar that is as stiff as that plate, and as thick as wide, has the same.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/methods/sph/peer2018.h"
#include "support/lattice.h"

namespace pliant {
namespace {

constexpr Real length = 0.2, height = 0.02, young = 2e6, poisson = 0.3975;

Real shape_of_first_mode(Real x) {  // x over L
    const Real k = 1.8751, ratio = (std::cos(k) + std::cosh(k)) / (std::sin(k) + std::sinh(k));
    return (std::cosh(k * x) - std::cos(k * x) - ratio * (std::sinh(k * x) - std::sin(k * x))) / 2;
}

// Twice the time between two passages of the tip through its rest place [s].
Real period(int across) {
    const Real h = height / across, dt = 5e-4;
    const int along = static_cast<int>(std::lround(length / h)), held = 3;
    Model model = rubber_model(young / (1 - square(poisson)), poisson, h);
    model.pins.emplace_back(PinSettings{});
    ParticleState state = lattice_block(along + held, across, across, h, 0);
    for (std::size_t i = 0; i < state.size(); ++i) {
        const Real x = (state.position[i].x() / h - held + 0.5) * h;
        state.velocity[i] = Vec3(0, x > 0 ? 0.05 * shape_of_first_mode(x / length) : 0, 0);
        if (x < 0) state.pin[i] = 0;
    }
    SphSettings settings;
    settings.pressure = false;
    settings.relative_tolerance = 1e-3;
    Peer2018 method(settings, model, 1e-3);
    method.prepare(state);
    const std::size_t tip = state.size() - 1;
    const Real rest = state.position[tip].y();
    std::vector<Real> passages;
    Real before = 0;
    for (Real time = 0; passages.size() < 2 && time < 1; time += dt) {
        method.step(state, time, dt);
        const Real now = state.position[tip].y() - rest;
        if (before != 0 && (now > 0) != (before > 0)) passages.push_back(time + dt - dt * now / (now - before));
        before = now;
    }
    return passages.size() < 2 ? 0 : 2 * (passages[1] - passages[0]);
}

TEST(SphOscillation, PeriodConvergesToThatOfThinPlates) {
    const Real thin = 0.254;
    const Real coarse = period(4), finer = period(6), fine = period(8);
    EXPECT_GT(coarse, finer);
    EXPECT_GT(finer, fine);
    EXPECT_LT(fine / thin, 1.12);
    EXPECT_GT(fine / thin, 1);
    // The error falls with the square of the spacing: what is left of it at none is shear and the inertia of turning.
    const Real a = coarse - finer, b = finer - fine;
    EXPECT_NEAR(a / b, (1.0 / 16 - 1.0 / 36) / (1.0 / 36 - 1.0 / 64), 0.8);
    const Real limit = fine - b * (1.0 / 64) / (1.0 / 36 - 1.0 / 64);
    EXPECT_NEAR(limit / thin, 1, 0.03);
    fmt::print("periods {:.4f} {:.4f} {:.4f}, limit {:.4f} s\n", coarse, finer, fine, limit);
}

}  // namespace
}  // namespace pliant
