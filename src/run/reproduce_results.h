// What reproducing a paper has measured, and its file results.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

// How one integrator did on one scene.
struct IntegratorResult {
    std::string integrator;
    bool is_stable = false;
    std::string trouble;  // why not
    Real own_step = 0;    // that the method would choose [s]
    Real step = 0;        // that was taken [s]
    std::int64_t steps = 0;
    double seconds = 0;            // of stepping, by the clock on the wall
    double processor_seconds = 0;  // of all threads together: tells less of what else the machine does

    // Implicit, against a run of the same integrator with finer steps; lengths are over the height of the body.
    std::optional<Real> reference_step;      // s
    std::optional<Real> deviation;           // of the last shape
    std::optional<Real> worst_deviation;     // of the shape in any frame
    std::optional<Real> worst_displacement;  // of the bodies' middles in any frame

    // The same against the explicit run: other errors than those that a finer step of its own shows.
    std::optional<Real> explicit_deviation;
    std::optional<Real> explicit_displacement;

    std::optional<Real> published_seconds;  // implicit, at the step of the paper where another was taken
    std::optional<Real> drift;              // of the middle at the end, across gravity [m]
    std::optional<Real> turn;               // of the body at the end [degrees]
};

// How long the steps of one scene and its skins took. Times are of the processor, on one thread.
struct RealTimeResult {
    std::string trouble;  // why the run ended early; empty if it did not
    std::size_t edges = 0, vertices = 0;
    std::int64_t steps = 0;
    double steps_a_frame = 0;
    Real simulated = 0;                                  // s
    double mean = 0, median = 0, slowest = 0;            // of a step [s]
    double wall_mean = 0;                                // of a step, by the clock on the wall [s]
    std::vector<std::pair<std::string, double>> phases;  // of a step, as shares of its time
    double linear = 0, dual_quaternion = 0;              // skinning of a frame [s]; 0 without skins
    double unit = 0;                                     // u, one Eigen::JacobiSVD of a random 3 x 3 matrix [s]

    double solver_a_frame() const { return mean * steps_a_frame; }  // s
    double times_real_time() const { return steps > 0 ? simulated / (mean * double(steps)) : 0; }
};

// How long a variant of a scene took.
struct FrameTimesResult {
    std::string variant;
    std::string trouble;                // why the run ended early; empty if it did not
    std::size_t solid = 0, liquid = 0;  // particles at the end
    Real spacing = 0;                   // between particles, or between the nodes of a grid [m]
    std::string moduli;                 // lowest to highest
    std::int64_t steps = 0;
    Real simulated = 0;                // s
    double elastic = 0, pressure = 0;  // iterations a step, on average
    double products = 0;               // of the linear solves within them, the same
    double seconds = 0;                // of all steps, by the clock on the wall
    double processor_seconds = 0;      // of all threads together
    std::optional<Real> kept_spin;     // angular momentum at the end over that at the start, where nothing acts on it
    Real frame = 0.02;                 // s, of the paper

    Real step() const { return steps > 0 ? simulated / Real(steps) : 0; }                          // mean [s]
    double of_frame(double total) const { return simulated > 0 ? total * frame / simulated : 0; }  // s
};

// How the residual of one step falls.
struct ConvergenceResult {
    std::string variant;
    Real penalty = 0;                          // rho, the best of those tried
    std::vector<std::pair<int, Real>> course;  // after how many iterations, and the residual then
};

struct ItemResult {
    std::string name;
    bool is_quick = false;  // few frames and no search: the numbers mean little
    std::size_t particles = 0;
    Real simulated = 0;                       // s
    std::vector<IntegratorResult> runs;       // of a comparison of integrators
    std::optional<RealTimeResult> real_time;  // of a scene that runs in real time
    std::vector<FrameTimesResult> variants;   // of a scene and what is changed in it
    std::vector<ConvergenceResult> courses;   // of one step, and what is changed in its solver
    std::vector<std::string> pictures;        // relative to the folder
    std::string command, version, machine, written;
    int threads = 0;

    const IntegratorResult* find(const std::string& integrator) const;
    // How many times the implicit run was faster than this one; nothing when either is missing or failed.
    std::optional<double> ratio(const std::string& integrator) const;
    // How many times as long a variant takes as the first, by the processor; nothing when either failed.
    std::optional<double> slowdown(std::size_t variant) const;
};

struct ReproduceResults {
    std::string paper;
    std::vector<ItemResult> items;  // in the order of the paper

    void put(ItemResult item);  // in place of an older one of its name
    const ItemResult* find(const std::string& name) const;
    // How many times as long a step of one item takes as one of another; nothing when either is missing.
    std::optional<double> slowdown(const std::string& item, const std::string& other) const;
};

void write_results(const std::filesystem::path& file, const ReproduceResults& results);

// Nothing when the file is absent or not of write_results.
std::optional<ReproduceResults> read_results(const std::filesystem::path& file);

}  // namespace pliant
