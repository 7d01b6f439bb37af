#include "pliant/run/reproduce_convergence.h"

#include <fmt/format.h>

#include "pliant/output/report_plot.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

constexpr int iterations = 100;
constexpr Real out_of_reach = 1e-12;  // tolerance: all iterations are taken
constexpr Real penalties[] = {0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};  // rho, over the stiffness
constexpr Real plain_penalties[] = {1e4, 1e5, 1e6, 1e7, 1e8};  // rho where weights know no stiffness [Pa]
constexpr std::array<Real, 1> quick_penalty = {0.5};

// Up to just before the step.
Snapshot state_at(const Scene& scene, Real time, int threads) {
    World world(scene, {threads, Log()});
    while (world.time() < time) world.step();
    return world.save();
}

std::vector<std::pair<int, Real>> course_of(const Scene& scene, const Snapshot& start, int threads) {
    World world(scene, {threads, Log()});
    world.restore(start);
    for (const SolverReport& solver : world.step().report.solvers) {
        if (solver.name == "admm") return solver.looks;
    }
    return {};
}

std::span<const Real> penalties_for(const Scene& scene, bool is_quick) {
    if (is_quick) return quick_penalty;
    return scene.mpm.weights == "unit" ? std::span<const Real>(plain_penalties) : std::span<const Real>(penalties);
}

}  // namespace

std::vector<ConvergenceResult> convergence_of(const StudyTask& task) {
    const ConvergenceStudy& study = *task.item.convergence;
    const Real duration = std::min(task.scene.simulation.duration, task.frames * task.scene.frame_duration());
    const Snapshot start = state_at(task.scene, study.moment * duration, task.threads);
    std::vector<ConvergenceResult> results;
    for (const Variant& variant : study.variants) {
        Scene scene = task.scene;
        scene.simulation.integrator = "admm";
        scene.mpm.tolerance = out_of_reach;
        scene.mpm.most_iterations = task.is_quick ? 10 : iterations;
        if (variant.change) variant.change(scene);
        ConvergenceResult best{variant.name, 0, {}};
        for (const Real penalty : penalties_for(scene, task.is_quick)) {
            scene.mpm.penalty = penalty;
            auto course = course_of(scene, start, task.threads);
            if (course.empty()) continue;
            if (best.course.empty() || course.back().second < best.course.back().second)
                best = {variant.name, penalty, std::move(course)};
        }
        if (!best.course.empty()) {
            task.log.info("  {}: rho {:g}, residual {:.2g} after {} iterations", best.variant, best.penalty,
                          best.course.back().second, best.course.back().first);
        }
        results.push_back(std::move(best));
    }
    return results;
}

std::string convergence_html(const ConvergenceStudy& study, const std::vector<ConvergenceResult>& courses) {
    ReportPlot plot;
    plot.title = study.title;
    plot.x_label = "iterations";
    plot.x_unit = "";
    plot.y_label = "residual";
    plot.is_logarithmic = true;
    for (const ConvergenceResult& course : courses) {
        ReportSeries line{fmt::format("{} (rho {:g})", course.variant, course.penalty), {{0, 1}}};
        for (const auto& [iteration, residual] : course.course) line.points.push_back({double(iteration), residual});
        plot.series.push_back(std::move(line));
    }
    return plot_html(plot);
}

}  // namespace pliant
