#include "pliant/run/reproduce_papers.h"

#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/base/nearest_name.h"
#include "pliant/materials/moduli.h"
#include "pliant/run/reproduce_study.h"
#include "pliant/scene/scene.h"

namespace pliant {
namespace {

// Steps and times of [Zhou13] Table 1, measured on a GeForce GTX 480.
const PublishedRow armadillo_top = {"Armadillo (top)", 19866, {{{2e-3, 59}, {5e-5, 467}, {1e-4, 623}}}};
const PublishedRow armadillo_middle = {"Armadillo (middle)", 19866, {{{2e-3, 94}, {5e-5, 496}, {6e-4, 74}}}};
const PublishedRow armadillo_bottom = {"Armadillo (bottom)", 19866, {{{2e-3, 149}, {2e-5, 1244}, {1e-4, 443}}}};
const PublishedRow cube = {"Cube (Fig. 5)", 2744, {{{2e-3, 52}, {1e-4, 90}, {2e-4, 29}}}};
const PublishedRow angry_birds = {"Angry Birds", 12974, {{{2e-3, 158}, {5e-5, 1153}, {5e-5, 629}}}};

ReproducedPaper zhou2013() {
    ReproducedPaper paper{"zhou2013",
                          "[Zhou13] Implicit integration for particle-based simulation of elasto-plastic solids",
                          &integrator_comparison(),
                          {}};
    paper.items = {
        {"figure-1-rabbit-soft", "Figure 1: a soft rabbit falls", {}},
        {"figure-1-rabbit-medium", "Figure 1: a rabbit of medium stiffness falls", {}},
        {"figure-1-rabbit-stiff", "Figure 1: a stiff rabbit falls", {}},
        {"figure-2-cube-elastic", "Figure 2: a purely elastic cube", {}},
        {"figure-2-cube-medium", "Figure 2: a medium plastic cube", {}},
        {"figure-2-cube-highly-plastic", "Figure 2: a highly plastic cube", {}},
        {"figure-3-creature-soft", "Figure 3, top: a creature that flows like a liquid", armadillo_top},
        {"figure-3-creature-medium", "Figure 3, middle: a creature of rubber", armadillo_middle},
        {"figure-3-creature-stiff", "Figure 3, bottom: a nearly rigid creature", armadillo_bottom},
        {"figure-4-creature-large-deformation", "Figure 4: large elastic deformation", {}},
        {"figure-5-cube", "Figure 5: a cube dropped straight down must not drift or turn", cube, true},
        {"birds", "Birds thrown at stacked blocks, as in the video", angry_birds},
    };
    return paper;
}

// [Mueller11] Section 9, measured on one core of a Core2 at 2.4 GHz. Counts are given for one octopus and one truck.
const PublishedTimes one_octopus = {
    .particles = 300, .edges = 750, .vertices = 5000, .solver = 4e-3, .skinning_with_rendering = 6e-3};
const PublishedTimes octopuses = {.particles = 900, .edges = 2250, .vertices = 15000, .solver = 10e-3};
const PublishedTimes underwater = {
    .particles = 1000, .edges = 3500, .vertices = 30000, .solver = 10e-3, .skinning = 9e-3};
const PublishedTimes one_truck = {.particles = 300, .edges = 800, .vertices = 63000};
const PublishedTimes trucks = {.particles = 600, .edges = 1600, .vertices = 126000, .solver = 8e-3, .skinning = 30e-3};
const PublishedTimes rope_of_spheres = {.compared_with = "rope", .slowdown = 6};

ReproducedPaper mueller2011() {
    const auto item = [](const char* name, const char* title, std::optional<PublishedTimes> times = {}) {
        return ReproducedItem{name, title, {}, false, std::move(times)};
    };
    ReproducedPaper paper{
        "mueller2011", "[Mueller11] Solid simulation with oriented particles", &real_time_study(), {}};
    paper.items = {
        item("octopus", "Figure 3: an octopus with self collision", one_octopus),
        item("three-octopuses", "Figure 3 (f): three octopuses interact", octopuses),
        item("fish-and-plants", "Figure 4: a fish among plants", underwater),
        item("truck", "Figure 1: a truck whose wheels turn", one_truck),
        item("two-trucks", "Figure 5: two trucks collide, and stay dented", trucks),
        item("rope", "Figure 6, left: a twisted rope of ellipsoids"),
        item("sphere-rope", "Figure 6, right: the same rope of six times as many spheres", rope_of_spheres),
        item("cloth", "Cloth: one layer of particles"),
        item("chain", "A chain of links"),
        item("spinning-particle", "A single particle that spins"),
    };
    return paper;
}

// [Peer18] Table 1, measured on 16 cores of a Xeon at 3.1 GHz.
PublishedFrame line(const char* particles, double spacing, const char* moduli, std::optional<double> step,
                    std::optional<double> elastic, double pressure, double seconds) {
    return {particles, spacing, moduli, step, elastic, pressure, seconds};
}

ReproducedPaper peer2018() {
    const auto item = [](const char* name, const char* title, std::vector<Variant> variants) {
        return ReproducedItem{name, title, {}, false, {}, std::move(variants)};
    };
    const auto single = [&](const char* name, const char* title, std::optional<PublishedFrame> published = {}) {
        return item(name, title, {{"ours", nullptr, std::move(published)}});
    };
    const auto without_correction = [](Scene& scene) { scene.sph.correction = false; };
    const auto by_stvk = [](Scene& scene) { scene.sph.elasticity = "stvk"; };
    // In the steps that it bears.
    const auto by_becker = [](Scene& scene) {
        scene.sph.elasticity = "becker2009";
        scene.simulation.timestep.reset();
    };
    const auto by_becker_as_printed = [](Scene& scene) {
        scene.sph.elasticity = "becker2009";
        scene.simulation.timestep = 1e-5;
    };

    ReproducedPaper paper{"peer2018",
                          "[Peer18] An implicit SPH formulation for incompressible linearly elastic solids",
                          &frame_times(),
                          {}};
    paper.items = {
        item("spinning-cube", "Figure 2: a cube that spins must go on spinning",
             {{"ours"},
              {"stvk", by_stvk},
              {"uncorrected", without_correction},
              {"with viscosity", [](Scene& scene) { scene.sph.damping = 1; }}}),
        item("falling-cuboids", "Figure 3: two cuboids fall at a slant",
             {{"ours"}, {"uncorrected", without_correction}}),
        item("cuboid-stvk", "Figure 4: beside Saint Venant-Kirchhoff",
             {{"ours", nullptr, line("1k", 0.05, "1e+04 Pa", 1e-3, 1, 1, 0.041)},
              {"stvk", by_stvk, line("1k", 0.05, "1e+04 Pa", 1e-3, {}, 1, 0.033)},
              {"long steps", [](Scene& scene) { scene.simulation.timestep = 5e-3; },
               line("1k", 0.05, "1e+04 Pa", 5e-3, 3, 3.6, 0.014)}}),
        item("rabbit-moduli", "Figure 5: moduli that fall and rise, beside Becker et al. 2009",
             {{"ours", nullptr, line("15k", 0.04, "500 to 5e+05 Pa", 2e-3, 18, 1.4, 0.37)},
              {"becker2009", by_becker},
              {"becker2009, steps of the paper", by_becker_as_printed,
               line("15k", 0.04, "500 to 5e+05 Pa", 1e-5, {}, 1, 40.1), 2}}),
        single("nine-creatures", "Figure 6: what shear and bulk modulus do",
               PublishedFrame{
                   .particles = "129k", .spacing = 0.05, .moduli = "2e+03 to 2e+07 Pa", .step = 1e-3, .pressure = 1}),
        single("melting-rabbit", "Figure 7: a rabbit melts and comes back",
               line("15k", 0.04, "0 to 5e+04 Pa", 2e-3, 6, 1.2, 0.22)),
        single("creatures-in-box", "Figure 8: four creatures melt in a box and come back one after the other",
               line("123k", 0.03, "0 to 2e+05 Pa", 1.4e-3, 10, 17, 4.3)),
        single("cloth-over-sphere", "Figure 9: a cloth slides over a ball",
               line("58k", 0.0125, "500, 5e+03 Pa", 1e-3, 3, 1, 0.87)),
        item("capsule-shot", "Figure 10: a rabbit is shot with a capsule",
             {{"2000 kg/m3", nullptr, line("11k", 0.05, "2e+05, 2e+06 Pa", {}, 13.5, 1, 0.58)},
              {"200 kg/m3", [](Scene& scene) { scene.rigids.at(0).density = 200; },
               line("11k", 0.05, "2e+05, 2e+06 Pa", {}, 13.6, 1, 0.57)},
              {"20000 kg/m3", [](Scene& scene) { scene.rigids.at(0).density = 20000; },
               line("11k", 0.05, "2e+05, 2e+06 Pa", {}, 14.1, 1.1, 0.61)}}),
        single("pool", "Figure 11: light bodies roll into a pool",
               line("135k + 278k", 0.05, "3e+04 to 1e+06 Pa", 2e-3, 34, 6, 3.9)),
        single("hairball", "Figure 12: a ball of strands is flooded",
               line("1M + 4.6M", 0.025, "2e+04 Pa", 1e-3, 43, 8, 112)),
    };
    return paper;
}

// [Fang19] Table 2, measured on 8 cores of a Core i9 at 3.6 GHz. Its moduli are for a density of 2; ours is 1000
// kg/m^3.
PublishedFrame points(const char* particles, double cell, double step, double mu, double lambda, double seconds) {
    constexpr double denser = 1000 / 2.0;
    const Moduli moduli{denser * mu, denser * lambda};
    return {.particles = particles,
            .spacing = cell,
            .moduli = fmt::format("{:.2g}, {:.2g} Pa", moduli.shear(), moduli.bulk()),
            .step = step,
            .seconds = seconds};
}

void leave_only(Scene& scene, const std::string& body) {
    std::erase_if(scene.bodies, [&](const auto& one) { return one.name != body; });
    std::erase_if(scene.pins, [&](const auto& pin) { return pin.body != body; });
}

ReproducedPaper fang2019() {
    const auto item = [](const char* name, const char* title, std::vector<Variant> variants) {
        return ReproducedItem{name, title, {}, false, {}, std::move(variants)};
    };
    const auto single = [&](const char* name, const char* title, std::optional<PublishedFrame> published = {}) {
        return item(name, title, {{"ours", nullptr, std::move(published)}});
    };
    // In the steps that it bears.
    const auto explicitly = [](Scene& scene) {
        scene.simulation.integrator = "explicit";
        scene.simulation.timestep.reset();
    };

    const auto with_study = [](ReproducedItem of, const char* title, Real moment, std::vector<Variant> variants) {
        of.convergence = ConvergenceStudy{title, moment, std::move(variants)};
        return of;
    };
    const auto equilibrated = [](Scene& scene) { scene.mpm.equilibration = true; };

    ReproducedPaper paper{"fang2019",
                          "[Fang19] Silly Rubber: an implicit material point method for simulating non-equilibrated "
                          "viscoelastic and elastoplastic solids",
                          &material_point_times(),
                          {}};
    paper.items = {
        single("cherries", "Figure 1, right: cherries fall into cream", points("0.43M", 5e-3, 2e-3, 3.4e-3, 29, 228.5)),
        single("rubber-heads", "Figure 1, left: of two heads, the viscoelastic one comes back slowly",
               points("0.42M", 1.5e-2, 1.4e-2, 1.8, 71, 41.1)),
        single("car-crash", "Figure 2: trucks of metal stay crushed", points("0.22M", 2e-2, 3.5e-3, 710, 2900, 64.2)),
        single("sheet-on-statue", "Figure 3: a thick sheet falls onto a turning statue",
               points("0.52M", 6e-3, 4e-3, 3.6e-3, 140, 122.6)),
        single("slow-rubber", "Figure 5: rubber gives way to a slow push, and slowly comes back",
               points("0.65M", 7.5e-3, 8.5e-3, 1.8, 71, 82.1)),
        single("chart", "Figure 6: what the equilibrated shear modulus and the viscosity do"),
        item("twisting-rods", "Figure 7: rods of metal and of rubber are twisted",
             {{"metal", [](Scene& scene) { leave_only(scene, "metal"); }, points("0.20M", 1e-2, 5e-3, 710, 2900, 58.4)},
              {"rubber", [](Scene& scene) { leave_only(scene, "rubber"); },
               points("0.20M", 1e-2, 1e-2, 36, 140, 29.4)}}),
        single("pressed-bears", "Figure 9: of two bears pressed by balls, the viscoelastic one comes back slowly",
               points("0.42M", 1e-2, 8.5e-5, 1.8, 71, 51.1)),
        with_study(single("elastic-balls", "Figure 11: a soft ball and a stiff one collide"),
                   "Figures 10, right, and 11: weights of the constraints", 0.25,
                   {{"stiffness"},
                    {"stiffness, equilibrated", equilibrated},
                    {"bulk", [](Scene& scene) { scene.mpm.weights = "bulk"; }},
                    {"unit", [](Scene& scene) { scene.mpm.weights = "unit"; }}}),
        with_study(single("roller", "Figure 12: a roller goes over a soft pad"), "Figure 12: over-relaxation", 0.5,
                   {{"1", [](Scene& scene) { scene.mpm.relaxation = 1; }},
                    {"1.4", [](Scene& scene) { scene.mpm.relaxation = 1.4; }},
                    {"1.6", [](Scene& scene) { scene.mpm.relaxation = 1.6; }},
                    {"1.9", [](Scene& scene) { scene.mpm.relaxation = 1.9; }}}),
        item("damping", "Figure 13: damping by transfers",
             {{"none"},
              {"0.005 m2/s", [](Scene& scene) { scene.mpm.damping = 0.005; }},
              {"0.02 m2/s", [](Scene& scene) { scene.mpm.damping = 0.02; }},
              {"0.08 m2/s", [](Scene& scene) { scene.mpm.damping = 0.08; }}}),
        single("coils", "Figure 14: strands of rising shear modulus", points("0.16M", 1e-2, 4e-3, 3.5e-3, 1400, 26)),
        single("monsters", "Figure 15: monsters of rising viscosity", points("0.20M", 1e-2, 1.1e-2, 0.38, 5.8, 21.9)),
        with_study(item("sand-column", "Figure 16: a column of sand collapses, beside explicit integration",
                        {{"admm"}, {"explicit", explicitly}}),
                   "Figure 10, left: Ruiz equilibration of sand", 0.3,
                   {{"stiffness"}, {"stiffness, equilibrated", equilibrated}}),
        single("sofas", "Figure 17: sofas of foam are torn apart", points("1.57M", 3.7e-3, 3.5e-3, 0.36, 140, 574.1)),
    };
    return paper;
}

template <class Named>
const Named& find_named(const std::vector<Named>& all, const std::string& name, const std::string& what) {
    std::vector<std::string> names;
    for (const Named& one : all) {
        if (one.name == name) return one;
        names.push_back(one.name);
    }
    throw InputError(fmt::format("{} '{}'{}", what, name, suggestion(name, names)));
}

}  // namespace

const std::vector<ReproducedPaper>& reproduced_papers() {
    static const std::vector<ReproducedPaper> papers = {zhou2013(), mueller2011(), peer2018(), fang2019()};
    return papers;
}

const ReproducedPaper& find_paper(const std::string& name) {
    return find_named(reproduced_papers(), name, "there is no paper");
}

const ReproducedItem& find_item(const ReproducedPaper& paper, const std::string& name) {
    return find_named(paper.items, name, paper.name + " has no item");
}

}  // namespace pliant
