// Blocks of material points for tests of mpm.
#pragma once

#include <memory>
#include <random>

#include "pliant/methods/mpm/fang2019.h"
#include "support/lattice.h"

namespace pliant {

struct Cloud {
    Model model;
    ParticleState state;
    MpmSettings settings;
    std::unique_ptr<Fang2019> method;
    Real time = 0;
    StepReport report;

    Cloud(ParticleState particles, Real young, Real poisson, Real spacing)
        : model(rubber_model(young, poisson, spacing)), state(std::move(particles)) {}

    void add_floor(const std::string& contact = "separate", Real friction = 0.5) {
        ColliderSettings floor;
        floor.shape = PlaneShape{Vec3(0, 1, 0), 0};
        floor.contact = contact;
        floor.friction = friction;
        model.colliders.emplace_back(floor, ShapeContext{});
    }
    void start(Fang2019::Time integrator) {
        method = std::make_unique<Fang2019>(settings, integrator, model);
        method->prepare(state);
    }
    void run(int steps, Real dt) {
        for (int k = 0; k < steps; ++k, time += dt) report = method->step(state, time, dt);
    }
    Momentum momentum() const {
        Momentum total = pliant::momentum(state);
        total.angular += method->spin(state).momentum;
        return total;
    }
};

inline void move_by(ParticleState& state, const Vec3& offset) {
    for (Vec3& x : state.position) x += offset;
}
inline void throw_by(ParticleState& state, const Vec3& velocity, const Vec3& omega = Vec3::Zero()) {
    const Vec3 centre = centre_of_mass(state);
    for (std::size_t i = 0; i < state.size(); ++i) {
        state.velocity[i] = velocity + omega.cross(state.position[i] - centre);
    }
}
inline std::vector<Vec3> random_vectors(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<Real> number(0, 1);
    std::vector<Vec3> v(n);
    for (Vec3& x : v) x = Vec3(number(random), number(random), number(random));
    return v;
}

}  // namespace pliant
