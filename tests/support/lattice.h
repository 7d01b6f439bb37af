// Particles on a lattice, and a model of one rubber body, for tests of methods.
#pragma once

#include <random>

#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

inline Model rubber_model(Real young, Real poisson, Real spacing) {
    Model model;
    Material rubber;
    rubber.name = "rubber";
    rubber.moduli = Moduli::from_young_poisson(young, poisson);
    rubber.elasticity = CorotatedElasticity{rubber.moduli};
    model.materials.push_back(rubber);
    model.bodies.push_back({"body", 0, spacing});
    return model;
}

// a x b x c particles of 1000 kg/m^3, each moved by up to `jitter` spacings.
inline ParticleState lattice_block(int a, int b, int c, Real spacing, Real jitter) {
    ParticleState state;
    state.resize(std::size_t(a * b * c));
    std::mt19937 random(7);
    std::uniform_real_distribution<Real> noise(-jitter * spacing, jitter * spacing);
    std::size_t i = 0;
    for (int x = 0; x < a; ++x) {
        for (int y = 0; y < b; ++y) {
            for (int z = 0; z < c; ++z, ++i) {
                state.id[i] = static_cast<std::uint32_t>(i);
                state.position[i] = spacing * Vec3(x, y, z);
                if (jitter > 0) state.position[i] += Vec3(noise(random), noise(random), noise(random));
                state.rest_volume[i] = cube(spacing);
                state.mass[i] = 1000 * cube(spacing);
            }
        }
    }
    return state;
}

}  // namespace pliant
