// The middle of a step of mpm, for tests of its solvers.
#pragma once

#include "mpm/cloud.h"
#include "pliant/methods/mpm/newton_solve.h"

namespace pliant::middle_of_step {

inline constexpr Real spacing = 0.05, young = 1e5;

// A bent block on a grid, with what a solve needs.
struct Problem {
    Model model;
    ParticleState state;
    Matter matter;
    SparseGrid grid{2 * spacing};
    RigidBodies no_rigids;
    NodeContacts contacts;
    std::vector<Real> mass;
    std::vector<Vec3> expected;
    Real dt;

    Problem(Model m, Real step, Real bend, bool is_at_rest = false, int edge = 5)
        : model(std::move(m)),
          state(lattice_block(edge, edge + 1, edge, spacing, 0.2)),
          matter(model, settings_for(is_at_rest)),
          contacts(model, no_rigids),
          dt(step) {
        matter.prepare(state);
        matter.begin_step(0, dt);
        const auto random = random_vectors(3 * state.size(), 11);
        for (std::size_t p = 0; p < state.size(); ++p) {
            for (int c = 0; c < 3; ++c) state.deformation[p].col(c) += bend * random[3 * p + std::size_t(c)];
        }
        grid.build(state.position);
        grid.find_views();
        Fang2019 transfers({}, Fang2019::Time::newton, model);
        transfers.prepare(state);
        transfers.grid().build(state.position);
        transfers.particles_to_grid(state, dt);
        mass.assign(transfers.node_mass().begin(), transfers.node_mass().end());
        expected = random_vectors(mass.size(), 5);
        expected.back().setZero();
    }
    static MpmSettings settings_for(bool is_at_rest) {
        MpmSettings settings;
        if (is_at_rest) settings.grid = "rest";
        return settings;
    }
    GridStep step() const { return {grid, matter, state, mass, expected, dt}; }
    std::vector<Vec3> noise(unsigned seed, Real size) const {
        auto x = random_vectors(mass.size(), seed);
        for (Vec3& v : x) v *= size;
        x.back().setZero();
        return x;
    }
};

inline Real dot(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    Real sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
    return sum;
}

inline Model model_of(const std::optional<Plasticity>& plastic, bool has_viscous) {
    Model model = rubber_model(young, 0.3, spacing);
    model.materials[0].plasticity = plastic;
    if (has_viscous) model.materials[0].viscous = Viscous{5e4, 2e4, 300, {}};
    return model;
}
inline Model neo_hookean_model(bool has_viscous) {
    Model model = model_of({}, has_viscous);
    model.materials[0].elasticity = NeoHookeanElasticity{model.materials[0].moduli};
    return model;
}
inline std::vector<Model> models() {
    return {model_of({}, false),      model_of(VonMisesPlasticity{3e3, 1e4}, false), model_of({}, true),
            neo_hookean_model(false), model_of(VonMisesPlasticity{3e3, 0}, true),    neo_hookean_model(true)};
}

inline std::vector<std::pair<Model, bool>> models_and_grids() {
    std::vector<std::pair<Model, bool>> list;
    for (const Model& model : models()) {
        list.emplace_back(model, false);
        if (!model.materials[0].plasticity) list.emplace_back(model, true);
    }
    return list;
}

}  // namespace pliant::middle_of_step
