// Small rigs made by hand, and a world of oriented particles around them.
#pragma once

#include <memory>

#include "pliant/contact/collider.h"
#include "pliant/methods/oriented/mueller2011.h"
#include "support/colliders.h"

namespace pliant {

inline void add_particle(Rig& rig, const Vec3& x, const Vec3& radii, const Quat& q = Quat::Identity()) {
    rig.position.push_back(x);
    rig.orientation.push_back(q);
    rig.radii.push_back(radii);
    rig.volume.push_back(4.0 / 3 * pi * radii.prod());
    rig.stiffness.push_back(1);
}

// Links between all particles nearer than `reach`.
inline void link_near(Rig& rig, Real reach) {
    for (std::uint32_t a = 0; a < rig.size(); ++a) {
        for (std::uint32_t b = a + 1; b < rig.size(); ++b) {
            if ((rig.position[a] - rig.position[b]).norm() < reach) rig.edges.push_back({a, b, 0, 0});
        }
    }
}

inline Rig lone_rig(const Vec3& radii = Vec3::Constant(0.05)) {
    Rig rig;
    add_particle(rig, Vec3::Zero(), radii);
    return rig;
}

// nx x ny x nz particles a spacing apart: a chain, a sheet or a block.
inline Rig lattice_rig(int nx, int ny, int nz, Real spacing = 0.1) {
    Rig rig;
    for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            for (int x = 0; x < nx; ++x) add_particle(rig, spacing * Vec3(x, y, z), Vec3::Constant(spacing / 2));
        }
    }
    link_near(rig, 1.1 * spacing);
    return rig;
}

class OrientedWorld {
public:
    explicit OrientedWorld(Rig rig, OrientedSettings settings = {}, Real young = 1e6) {
        add(std::move(rig)), start(settings, young);
    }
    OrientedWorld() = default;

    void add(Rig rig, const Vec3& at = Vec3::Zero(), const Quat& turn = Quat::Identity()) {
        const std::size_t first = state.size(), body = model.bodies.size();
        state.resize(first + rig.size());
        state.add_orientations();
        for (std::size_t k = 0; k < rig.size(); ++k) {
            const std::size_t i = first + k;
            state.id[i] = static_cast<std::uint32_t>(i);
            state.body[i] = static_cast<std::uint32_t>(body);
            state.position[i] = at + turn * rig.position[k];
            state.orientation[i] = turn * rig.orientation[k];
            state.rest_volume[i] = rig.volume[k];
            state.mass[i] = 1000 * rig.volume[k];
        }
        model.bodies.push_back({"body" + std::to_string(body), 0, 0.1, std::make_shared<const Rig>(std::move(rig))});
    }

    void add_floor(Real friction = 0.5, const Vec3& normal = Vec3::UnitY()) {
        model.colliders.emplace_back(floor_settings(friction, normal), ShapeContext{});
    }

    void start(const OrientedSettings& settings = {}, Real young = 1e6) {
        Material material;
        material.density = 1000;
        material.moduli = Moduli::from_young_poisson(young, 0.3);
        model.materials = {material};
        method = std::make_unique<Mueller2011>(settings, model);
        method->prepare(state);
    }

    void turn(const Vec3& spin) {
        const Vec3 centre = centre_of_mass(state);
        for (std::size_t i = 0; i < state.size(); ++i) {
            state.velocity[i] += spin.cross(state.position[i] - centre);
            state.spin[i] += spin;
        }
    }

    void run(Real seconds, Real dt) {
        const int steps = static_cast<int>(std::lround(seconds / dt));
        for (int k = 0; k < steps; ++k) {
            method->step(state, time, dt);
            time += dt;
        }
    }

    Model model;  // weightless unless gravity is set
    ParticleState state;
    std::unique_ptr<Mueller2011> method;
    Real time = 0;
};

}  // namespace pliant
