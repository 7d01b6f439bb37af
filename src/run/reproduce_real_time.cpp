// [Mueller11] runs scenes in real time: what counts is the time of a step and of skinning.
#include <fmt/format.h>

#include "pliant/output/markup.h"
#include "pliant/run/reproduce_step_times.h"
#include "pliant/run/reproduce_study.h"
#include "pliant/run/reproduce_table.h"

namespace pliant {
namespace {

using Cells = std::vector<std::string>;

const Cells solver_heads = {"particles", "edges",     "step: mean",       "median",
                            "slowest",   "mean in u", "steps of a frame", "real time"};
const Cells skinning_heads = {"vertices", "linear", "in u", "a vertex", "dual quaternions", "in u", "a vertex"};

constexpr const char* about_times =
    "All times are of one thread, in seconds of the processor, so that what else the machine was doing counts little. "
    "u "
    "is the time of one Eigen::JacobiSVD of a random 3 x 3 matrix with both factors, measured in the same run. Real "
    "time is how many seconds are simulated in one second of steps.<br>The machines differ: the paper's numbers are of "
    "one core of a Core2 at 2.4 GHz, so that its times over ours tell of processors as well as of programs. The paper "
    "does not say whether its solver times are those of a step or of all steps of a frame, so that they stand in both "
    "columns. Its counts of several octopuses or trucks are those of one, multiplied.";

constexpr const char* about_skinning =
    "Of all vertices once, positions and normals, without drawing or files. The paper skins by linear blending. Skins "
    "differ in size, so that only the times a vertex are compared.";

std::string count_text(const std::optional<std::size_t>& count) {
    return count ? std::to_string(*count) : no_number;
}

std::string nanoseconds(double seconds) {
    return fmt::format("{:.3g} ns", 1e9 * seconds);
}

Cells our_solver(const ItemResult& item, const RealTimeResult& time) {
    return {std::to_string(item.particles),
            std::to_string(time.edges),
            milliseconds(time.mean),
            milliseconds(time.median),
            milliseconds(time.slowest),
            fmt::format("{:.0f}", time.mean / time.unit),
            milliseconds(time.solver_a_frame()),
            fmt::format("{:.3g} x", time.times_real_time())};
}

Cells published_solver(const PublishedTimes& times) {
    const std::string solver = times.solver ? milliseconds(*times.solver) : no_number;
    return {count_text(times.particles), count_text(times.edges), solver, "", "", "", solver, ""};
}

Cells solver_ratios(const PublishedTimes& times, const RealTimeResult& time) {
    const std::string step = ratio_text(*times.solver / time.mean);
    return {"", "", step, "", "", "", ratio_text(*times.solver / time.solver_a_frame()), ""};
}

Cells our_skinning(const RealTimeResult& time) {
    Cells cells = {std::to_string(time.vertices)};
    for (const double seconds : {time.linear, time.dual_quaternion}) {
        cells.push_back(milliseconds(seconds));
        cells.push_back(fmt::format("{:.0f}", seconds / time.unit));
        cells.push_back(nanoseconds(seconds / double(time.vertices)));
    }
    return cells;
}

Cells published_skinning(const PublishedTimes& times) {
    Cells cells = {count_text(times.vertices), no_number, "", no_number, "", "", ""};
    if (times.skinning_with_rendering) cells[1] = milliseconds(*times.skinning_with_rendering) + " with rendering";
    if (!times.skinning) return cells;
    cells[1] = milliseconds(*times.skinning);
    cells[3] = nanoseconds(*times.skinning / double(*times.vertices));
    return cells;
}

Cells skinning_ratios(const PublishedTimes& times, const RealTimeResult& time) {
    const double vertex = *times.skinning / double(*times.vertices) * double(time.vertices);
    return {"", "", "", ratio_text(vertex / time.linear), "", "", ratio_text(vertex / time.dual_quaternion)};
}

std::string row_head(const ItemResult& item) {
    return escape_markup(item.name) + (item.is_quick ? " (quick: not a measurement)" : "");
}

std::string solver_rows(const ItemResult& item, const std::optional<PublishedTimes>& times) {
    std::string rows = table_row("", row_head(item), our_solver(item, *item.real_time));
    if (times && times->particles) rows += table_row("published", "paper", published_solver(*times));
    if (times && times->solver) rows += table_row("published", "paper / ours", solver_ratios(*times, *item.real_time));
    return rows;
}

std::string skinning_rows(const ItemResult& item, const std::optional<PublishedTimes>& times) {
    if (item.real_time->vertices == 0) return "";
    std::string rows = table_row("", row_head(item), our_skinning(*item.real_time));
    if (times && times->vertices) rows += table_row("published", "paper", published_skinning(*times));
    if (times && times->skinning)
        rows += table_row("published", "paper / ours", skinning_ratios(*times, *item.real_time));
    return rows;
}

std::string table(const char* title, const Cells& heads, const std::string& rows, const std::string& below) {
    if (rows.empty()) return "";
    std::string html = fmt::format("<section class=\"card wide\"><h2>{}</h2><table>\n<tr><th></th>", title);
    for (const std::string& text : heads) html += "<th>" + text + "</th>";
    return html + "</tr>\n" + rows + "</table>" + below + "</section>\n";
}

std::string small(const char* text) {
    return fmt::format("<p class=\"small\">{}</p>", text);
}

// Of a step [s].
double sweeps_of(const ReproduceResults& results, const std::string& name) {
    for (const ItemResult& item : results.items) {
        if (item.name != name || !item.real_time) continue;
        for (const auto& [phase, share] : item.real_time->phases) {
            if (phase == "solve") return share * item.real_time->mean;
        }
    }
    return 0;
}

std::string comparison_html(const ItemResult& item, const PublishedTimes& times, const ReproduceResults& results) {
    const auto slowdown = results.slowdown(item.name, times.compared_with);
    if (!slowdown) return "";
    const double sweeps = sweeps_of(results, item.name), of_other = sweeps_of(results, times.compared_with);
    const std::string apart = of_other > 0 ? fmt::format(", its sweeps alone {:.2f} times", sweeps / of_other) : "";
    return fmt::format(
        "<p>A step of {} takes {:.2f} times as long as one of {}{}. The paper says: about {:.0f} times. Where a body "
        "is as small as these, much of a step is what it costs whatever the number of particles.</p>",
        escape_markup(item.name), *slowdown, escape_markup(times.compared_with), apart, times.slowdown);
}

class RealTimeStudy : public Study {
public:
    std::optional<Scene> measure(const StudyTask& task, ItemResult& result) const override {
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
        std::string solver, skinning, comparisons;
        for (const ItemResult& item : results.items) {
            if (!item.real_time) continue;
            const auto& times = find_item(paper, item.name).times;
            solver += solver_rows(item, times);
            skinning += skinning_rows(item, times);
            if (times) comparisons += comparison_html(item, *times, results);
        }
        return table("Solver", solver_heads, solver, comparisons + small(about_times)) +
               table("Skinning", skinning_heads, skinning, small(about_skinning));
    }

    std::string details_html(const ItemResult& item) const override {
        if (!item.real_time) return "";
        const RealTimeResult& time = *item.real_time;
        std::string html;
        if (!time.trouble.empty()) html += "<p class=\"warnings\">" + escape_markup(time.trouble) + "</p>\n";
        std::string phases;
        for (const auto& [name, share] : time.phases)
            phases += fmt::format("{}{} {:.0f} %", phases.empty() ? "" : ", ", name, 100 * share);
        return html + fmt::format(
                          "<ul><li>{} steps, {:.3g} a frame. Of their time: {}.</li>\n"
                          "<li>By the clock on the wall a step took {} on average; u was {:.3g} &micro;s.</li></ul>",
                          time.steps, time.steps_a_frame, escape_markup(phases), milliseconds(time.wall_mean),
                          1e6 * time.unit);
    }
};

}  // namespace

const Study& real_time_study() {
    static const RealTimeStudy study;
    return study;
}

}  // namespace pliant
