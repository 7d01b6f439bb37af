// Dropped cubes of every stiffness, step, flow, sampling and support by the implicit method of mls. By itself a small
// grid; with PLIANT_STABILITY_TABLE=FILE the whole one, written as the page docs/stability.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "pliant/base/parallel.h"
#include "pliant/base/version.h"
#include "pliant/scene/world.h"
#include "support/scenes.h"

namespace pliant {
namespace {

struct Flow {
    const char* name;
    Real yield, rate;
};
const Flow flows[] = {{"elastic", 0, 0}, {"medium", 5e3, 25}, {"high", 1e3, 350}, {"extreme", 2e2, 1e4}};

struct Drop {
    Real young, poisson, dt, support;
    int flow;
    std::string sampling;
};

struct Outcome {
    bool is_good = false;
    Real gain = 0;   // largest energy of motion above that of the start, over m g x the height fallen from
    Real total = 0;  // the same with elastic energy
    Real speed = 0;  // largest, over that of the impact
    int iterations = 0;
    std::string failure;
};

constexpr Real spacing = 0.05, impact = 2;             // m, m/s
constexpr Real height = impact * impact / (2 * 9.81);  // fallen from
constexpr Real most_gain = 0.5, most_speed = 3;        // single corners take a whole stiff impact

Outcome run(const Drop& drop) {
    Scene scene = falling_box();
    scene.simulation.integrator = "implicit";
    scene.simulation.fps = 100;
    scene.simulation.timestep = drop.dt;
    scene.colliders.push_back(ground());
    scene.materials[0].young = drop.young;
    scene.materials[0].poisson = drop.poisson;
    if (drop.flow > 0) {
        Bargteil2007Plasticity plastic;
        plastic.yield_stress = flows[drop.flow].yield;
        plastic.flow_rate = flows[drop.flow].rate;
        scene.materials[0].plastic = plastic;
    }
    scene.mls.support = drop.support;
    BodySettings& box = scene.bodies[0];
    box.spacing = spacing;
    box.sampling = drop.sampling;
    box.shape = BoxShape{Vec3::Constant(6 * spacing)};
    box.position = {0, 0.3, 0};
    box.rotation = {10, 20, 30};
    box.velocity = {0, -impact, 0};
    Outcome result;
    try {
        World world(scene, {1, {}});
        const Diagnostics start = world.diagnostics();
        const Real energy = start.kinetic + start.potential, unit = total_mass(world.state()) * 9.81 * height;
        while (world.time() < 0.5) {
            for (const SolverReport& solver : world.step().report.solvers) {
                result.iterations = std::max(result.iterations, solver.iterations);
            }
            const Diagnostics d = world.diagnostics();
            result.gain = std::max(result.gain, (d.kinetic + d.potential - energy) / unit);
            result.total = std::max(result.total, (d.kinetic + d.elastic + d.potential - energy) / unit);
            result.speed = std::max(result.speed, d.largest_speed / (impact + std::sqrt(2 * 9.81 * 0.3)));
        }
        result.is_good = result.gain < most_gain && result.speed < most_speed;
        if (!result.is_good) result.failure = fmt::format("gain {:.2g}, speed {:.2g}", result.gain, result.speed);
    } catch (const std::exception& error) {
        result.failure = error.what();
    }
    return result;
}

std::vector<Drop> grid(bool is_whole) {
    using List = std::vector<Real>;
    const List youngs = is_whole ? List{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9} : List{1e3, 1e5, 1e7, 1e9};
    const List poissons = is_whole ? List{0, 0.3, 0.45, 0.49} : List{0.3};
    const List steps = is_whole ? List{1e-3, 2e-3, 5e-3, 1e-2} : List{2e-3, 1e-2};
    const List supports = is_whole ? List{1.5, 1.8, 2.5} : List{1.8};
    std::vector<Drop> drops;
    for (const char* sampling : {"cubic", "blue_noise"}) {
        for (const Real support : supports) {
            for (int flow = 0; flow < 4; ++flow) {
                for (const Real poisson : poissons) {
                    for (const Real dt : steps) {
                        for (const Real young : youngs) drops.push_back({young, poisson, dt, support, flow, sampling});
                    }
                }
            }
        }
    }
    return drops;
}

std::string name_of(const Drop& d) {
    return fmt::format("E {:g}, nu {:g}, dt {:g}, support {:g}, {}, {}", d.young, d.poisson, d.dt, d.support,
                       flows[d.flow].name, d.sampling);
}

// One table for each sampling and support: rows by step and flow, columns by stiffness; the worst over Poisson's ratio.
void write_page(const std::string& file, const std::vector<Drop>& drops, const std::vector<Outcome>& outcomes) {
    struct Worst {
        Real gain = 0, total = 0;
        int bad = 0, iterations = 0;
    };
    std::map<std::tuple<std::string, Real>, std::map<std::tuple<Real, int>, std::map<Real, Worst>>> tables;
    int bad = 0;
    for (std::size_t k = 0; k < drops.size(); ++k) {
        const Drop& d = drops[k];
        Worst& worst = tables[{d.sampling, d.support}][{d.dt, d.flow}][d.young];
        worst.gain = std::max(worst.gain, outcomes[k].gain);
        worst.total = std::max(worst.total, outcomes[k].total);
        worst.bad += !outcomes[k].is_good;
        worst.iterations = std::max(worst.iterations, outcomes[k].iterations);
        bad += !outcomes[k].is_good;
    }
    std::ofstream out(file);
    out << fmt::format(
        "# Stability of `mls`, implicit\n\n"
        "A cube of 216 particles (spacing 5 cm, 1000 kg/m^3) falls on a corner at {:g} m/s and is followed for half a "
        "second, {} times: Young's modulus, Poisson's ratio 0, 0.3, 0.45 and 0.49, step, plastic flow, sampling and "
        "support vary. A run fails that is not finite, has a particle more than {:g} times as fast as the impact, or "
        "at "
        "any step an energy of motion (kinetic and potential) above its start by more than {:g} m g H, H being the "
        "height "
        "that gives the impact's speed. **{} of {} failed.**\n\n"
        "Flow is [Bargteil07]: medium yields at 5000 Pa at 25/s, high at 1000 Pa at 350/s, extreme at 200 Pa at "
        "10000/s.\n\nEach cell: largest gain of energy of motion, the same with elastic energy, both over m g H / most "
        "iterations of a solve; the worst of the four ratios; × counts runs that failed. Elastic energy above "
        "that of the start, in the stiffest bodies at the longest steps, is of particles that move along tangents "
        "while the body turns; a step that would more than double the energy so is linearised again. Made by "
        "`script/verify table` with {}.\n",
        impact, drops.size(), most_speed, most_gain, bad, drops.size(), version_text());
    for (const auto& [which, rows] : tables) {
        out << fmt::format("\n## {}, support {:g}\n\n| dt, flow |", std::get<0>(which), std::get<1>(which));
        for (const auto& [young, worst] : rows.begin()->second) out << fmt::format(" E = {:g} |", young);
        out << "\n|---|";
        for (std::size_t k = 0; k < rows.begin()->second.size(); ++k) out << "---|";
        out << "\n";
        for (const auto& [row, cells] : rows) {
            out << fmt::format("| {:g} ms, {} |", 1e3 * std::get<0>(row), flows[std::get<1>(row)].name);
            for (const auto& [young, worst] : cells) {
                out << fmt::format(" {:.2f}, {:.2f} / {}{} |", worst.gain, worst.total, worst.iterations,
                                   worst.bad ? fmt::format(" ×{}", worst.bad) : "");
            }
            out << "\n";
        }
    }
    out << "\n## Runs that failed\n\n";
    for (std::size_t k = 0; k < drops.size(); ++k) {
        if (!outcomes[k].is_good) out << fmt::format("- {}: {}\n", name_of(drops[k]), outcomes[k].failure);
    }
    if (bad == 0) out << "None.\n";
}

TEST(Stability, NoDropFailsInTheGrid) {
    const char* page = std::getenv("PLIANT_STABILITY_TABLE");
    const std::vector<Drop> drops = grid(page != nullptr);
    std::vector<Outcome> outcomes(drops.size());
    parallel_for(
        drops.size(), [&](std::size_t k) { outcomes[k] = run(drops[k]); }, 1);
    for (std::size_t k = 0; k < drops.size(); ++k) {
        EXPECT_TRUE(outcomes[k].is_good) << name_of(drops[k]) << ": " << outcomes[k].failure;
    }
    if (page) write_page(page, drops, outcomes);
}

}  // namespace
}  // namespace pliant
