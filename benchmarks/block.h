// A block of rubber on a lattice, and what a plain copy moves a second, for benchmarks of methods.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/base/timer.h"
#include "pliant/geometry/cell_order.h"
#include "pliant/methods/model.h"
#include "pliant/particles/state.h"

namespace pliant {

inline constexpr Real h = 0.01;

// Bytes a second, the best of several copies of an array far larger than the caches.
inline double copy_bandwidth() {
    constexpr std::size_t size = std::size_t(256) << 20, block = std::size_t(1) << 20;
    std::vector<char> from(size, 1), to(size, 2);
    double best = 1e30;
    for (int run = 0; run < 8; ++run) {
        const Stopwatch watch;
        parallel_blocks(size, block, [&](std::size_t begin, std::size_t end) {
            std::memcpy(&to[begin], &from[begin], end - begin);
        });
        benchmark::DoNotOptimize(to.data());
        best = std::min(best, watch.seconds());
    }
    return 2 * double(size) / best;
}

inline Model rubber(Real young) {
    Model model;
    Material material;
    material.moduli = Moduli::from_young_poisson(young, 0.3);
    material.elasticity = CorotatedElasticity{material.moduli};
    model.materials.push_back(material);
    model.bodies.push_back({"block", 0, h});
    return model;
}

// In the order in which a scene's particles lie.
inline ParticleState block_of(int edge) {
    ParticleState state;
    std::vector<Vec3> lattice;
    for (int n = 0; n < edge * edge * edge; ++n) {
        lattice.push_back(h * Vec3(n % edge, n / edge % edge, n / (edge * edge)));
    }
    const auto order = cell_order(lattice, 2 * h);
    state.resize(lattice.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
        const Vec3& x = lattice[order[i]];
        state.id[i] = order[i];
        state.position[i] = x;
        state.velocity[i] = 0.01 * Vec3(std::sin(x.y() / h), std::sin(x.z() / h), std::sin(x.x() / h));
        state.rest_volume[i] = cube(h);
        state.mass[i] = 1000 * cube(h);
    }
    return state;
}

}  // namespace pliant
