// [Mueller11] runs scenes in real time: what counts is the time of a step and of skinning.
#include <fmt/format.h>

#include "pliant/output/markup.h"
#include "pliant/run/reproduce_step_times.h"
#include "pliant/run/reproduce_study.h"
#include "pliant/run/reproduce_table.h"

namespace pliant {
namespace {

constexpr const char* head =
    "<section class=\"card wide\"><h2>Times</h2><table>\n<tr><th></th><th>particles</th><th>edges</th>"
    "<th>skin vertices</th><th>step: mean</th><th>median</th><th>slowest</th><th>mean in u</th><th>steps of a "
    "frame</th>"
    "<th>real time</th><th>skinning: linear</th><th>in u</th><th>dual quaternions</th><th>in u</th></tr>\n";

constexpr const char* foot =
    "<p class=\"small\">All times are of one thread, in seconds of the processor: what else the machine was "
    "doing counts little. Skinning is that of a frame, positions and normals, without drawing or files. u is the time "
    "of one Eigen::JacobiSVD of a random 3 x 3 matrix with both factors, measured in the same run. Real time is how "
    "many seconds are simulated in one second of steps.<br>The machines differ: the paper's numbers are of one core of "
    "a Core2 at 2.4 GHz, so that its times over ours tell as much of fifteen years of processors as of programs. "
    "The paper does not say whether its solver times are those of a step or of all steps of a frame, so that they "
    "stand "
    "in both columns; it skins by linear blending. Its counts of several octopuses or trucks are those of one, "
    "multiplied.</p></section>\n";

std::string count_text(const std::optional<std::size_t>& count) {
    return count ? std::to_string(*count) : no_number;
}

std::string time_text(const std::optional<double>& seconds) {
    return seconds ? milliseconds(*seconds) : no_number;
}

std::optional<double> over(const std::optional<double>& published, double ours) {
    return published && ours > 0 ? std::optional<double>(*published / ours) : std::nullopt;
}

std::vector<std::string> our_cells(const ItemResult& item, const RealTimeResult& time) {
    const auto in_units = [&](double seconds) { return fmt::format("{:.0f}", seconds / time.unit); };
    const bool has_skin = time.vertices > 0;
    return {std::to_string(item.particles),
            std::to_string(time.edges),
            std::to_string(time.vertices),
            milliseconds(time.mean),
            milliseconds(time.median),
            milliseconds(time.slowest),
            in_units(time.mean),
            milliseconds(time.solver_a_frame()),
            fmt::format("{:.3g} x", time.times_real_time()),
            has_skin ? milliseconds(time.linear) : no_number,
            has_skin ? in_units(time.linear) : no_number,
            has_skin ? milliseconds(time.dual_quaternion) : no_number,
            has_skin ? in_units(time.dual_quaternion) : no_number};
}

std::vector<std::string> published_cells(const PublishedTimes& times) {
    std::vector<std::string> cells(13, no_number);
    cells[0] = count_text(times.particles);
    cells[1] = count_text(times.edges);
    cells[2] = count_text(times.vertices);
    cells[3] = cells[7] = time_text(times.solver);
    cells[9] = time_text(times.skinning);
    if (times.skinning_with_rendering) cells[9] = milliseconds(*times.skinning_with_rendering) + " with rendering";
    return cells;
}

std::vector<std::string> ratio_cells(const PublishedTimes& times, const RealTimeResult& time) {
    std::vector<std::string> cells(13);
    cells[3] = ratio_text(over(times.solver, time.mean));
    cells[7] = ratio_text(over(times.solver, time.solver_a_frame()));
    cells[9] = ratio_text(over(times.skinning, time.linear));
    cells[11] = ratio_text(over(times.skinning, time.dual_quaternion));
    return cells;
}

std::string comparison_html(const ItemResult& item, const PublishedTimes& times, const ReproduceResults& results) {
    const auto slowdown = results.slowdown(item.name, times.compared_with);
    if (!slowdown) return "";
    return fmt::format(
        "<p>A step of {} takes {:.2f} times as long as one of {}. The paper says: about {:.0f} times.</p>",
        escape_markup(item.name), *slowdown, escape_markup(times.compared_with), times.slowdown);
}

class RealTimeStudy : public Study {
public:
    Scene measure(const StudyTask& task, ItemResult& result) const override {
        task.log.info("  steps and skinning, on one thread");
        result.real_time = measure_step_times(task.scene, task.frames, task.is_quick);
        result.threads = 1;
        const RealTimeResult& time = *result.real_time;
        task.log.info("    {} steps, {} on average: {:.3g} times as fast as real time", time.steps,
                      milliseconds(time.mean), time.times_real_time());
        if (!time.trouble.empty()) task.log.warning("{}: {}", task.item.name, time.trouble);
        return task.scene;
    }

    std::array<Real, 4> moments() const override { return {0, 0.25, 0.5, 1}; }

    std::string table_html(const ReproducedPaper& paper, const ReproduceResults& results) const override {
        std::string rows, comparisons;
        for (const ItemResult& item : results.items) {
            if (!item.real_time) continue;
            rows += table_row("", escape_markup(item.name) + (item.is_quick ? " (quick: not a measurement)" : ""),
                              our_cells(item, *item.real_time));
            const auto& times = find_item(paper, item.name).times;
            if (!times) continue;
            if (times->particles) rows += table_row("published", "paper", published_cells(*times));
            if (times->solver) rows += table_row("published", "paper / ours", ratio_cells(*times, *item.real_time));
            comparisons += comparison_html(item, *times, results);
        }
        return rows.empty() ? "" : head + rows + "</table>" + comparisons + foot;
    }

    std::string details_html(const ItemResult& item) const override {
        if (!item.real_time) return "";
        const RealTimeResult& time = *item.real_time;
        std::string html;
        if (!time.trouble.empty()) html += "<p class=\"warnings\">" + escape_markup(time.trouble) + "</p>\n";
        std::string phases;
        for (const auto& [name, share] : time.phases)
            phases += fmt::format("{} {} {:.0f} %", phases.empty() ? ": of its time" : ",", name, 100 * share);
        html += fmt::format("<ul><li>{} steps, {:.3g} a frame; a step takes {} of the processor{}.</li>\n", time.steps,
                            time.steps_a_frame, milliseconds(time.mean), escape_markup(phases));
        html +=
            fmt::format("<li>By the clock on the wall a step took {} on average.</li>\n", milliseconds(time.wall_mean));
        if (time.vertices > 0) {
            const double a_vertex = 1e9 / double(time.vertices);
            html += fmt::format("<li>Skinning takes {:.3g} ns a vertex, {:.3g} ns by dual quaternions.</li>\n",
                                time.linear * a_vertex, time.dual_quaternion * a_vertex);
        }
        return html + fmt::format("<li>u was {:.3g} &micro;s.</li></ul>", 1e6 * time.unit);
    }
};

}  // namespace

const Study& real_time_study() {
    static const RealTimeStudy study;
    return study;
}

}  // namespace pliant
