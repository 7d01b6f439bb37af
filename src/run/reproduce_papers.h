// The published results that we run again, and the numbers that the papers give for them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

class Study;
struct Scene;

// The integrators that Table 1 of [Zhou13] compares, in its order.
inline const std::array<std::string, 3> compared_integrators = {"implicit", "explicit", "gerszewski09"};

struct PublishedRun {
    Real step = 0;       // s
    double seconds = 0;  // of the whole run, on the machine of the paper
};

// A row of a paper's table.
struct PublishedRow {
    std::string name;
    std::size_t particles = 0;
    std::array<PublishedRun, 3> runs;  // in the order of compared_integrators
};

// What a paper says of a scene that runs in real time; times are of its machine.
struct PublishedTimes {
    std::optional<std::size_t> particles = {}, edges = {}, vertices = {};
    std::optional<double> solver = {};                   // s
    std::optional<double> skinning = {};                 // s
    std::optional<double> skinning_with_rendering = {};  // s, where skinning alone is not given
    std::string compared_with = {};                      // an item that takes less time; empty: none
    double slowdown = 0;                                 // how many times as long as that one this one takes
};

// A line of a table of scenes, on the machine of the paper; what it does not say is left out.
struct PublishedFrame {
    std::string particles;                // solid + liquid
    std::optional<double> spacing = {};   // m
    std::string moduli = {};              // with their unit
    std::optional<double> step = {};      // on average [s]
    std::optional<double> elastic = {};   // iterations a step, on average
    std::optional<double> pressure = {};  // the same
    std::optional<double> seconds = {};   // to compute 20 ms
};

// A scene as it is, or with something changed.
struct Variant {
    std::string name;
    void (*change)(Scene&) = nullptr;
    std::optional<PublishedFrame> published = {};
    int most_frames = 0;  // of it that are run, where the whole would take too long; 0: all
};

// One step of a scene by ADMM, solved by settings that differ, each with the best of a few rho.
struct ConvergenceStudy {
    std::string title;
    Real moment = 0.5;  // of the step, over the length of the scene
    std::vector<Variant> variants;
};

struct ReproducedItem {
    std::string name;                          // of its scene file, too
    std::string title;                         // one line
    std::optional<PublishedRow> row;           // without: pictures only
    bool shows_drift = false;                  // whether the body drifts or turns is what it shows
    std::optional<PublishedTimes> times = {};  // without: the paper gives none
    std::vector<Variant> variants = {};        // that are measured one after the other; the first for the pictures
    std::optional<ConvergenceStudy> convergence = {};
};

struct ReproducedPaper {
    std::string name;    // of its folder of scenes, too
    std::string title;   // one line
    const Study* study;  // how its items are measured and told of
    std::vector<ReproducedItem> items;
};

const std::vector<ReproducedPaper>& reproduced_papers();

// An unknown name is an InputError that names the nearest one.
const ReproducedPaper& find_paper(const std::string& name);
const ReproducedItem& find_item(const ReproducedPaper& paper, const std::string& name);

}  // namespace pliant
