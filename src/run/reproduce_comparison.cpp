// [Zhou13] compares three integrators, each at the largest step that serves it.
#include <fmt/format.h>

#include "pliant/base/parallel.h"
#include "pliant/output/markup.h"
#include "pliant/run/reproduce_race.h"
#include "pliant/run/reproduce_study.h"
#include "pliant/run/reproduce_table.h"

namespace pliant {
namespace {

constexpr Real published_step = 2e-3;  // s, of the implicit integrator, and of runs for pictures  [Zhou13] Section 4
constexpr Real far_away = 0.1;         // of the height: a run this far from the explicit one shows another motion

std::string duration(double seconds) {
    return fmt::format("{:.3g} s", seconds);
}

// At the step that was chosen, or at the paper's where that is known as well.
std::vector<std::string> our_cells(const ItemResult& item, bool at_published_step) {
    std::vector<std::string> cells = {std::to_string(item.particles)};
    const double slowdown = at_published_step ? *item.runs[0].published_seconds / item.runs[0].seconds : 1;
    for (const std::string& integrator : compared_integrators) {
        const IntegratorResult* run = item.find(integrator);
        const bool is_slowed = run == &item.runs[0] && at_published_step;
        cells.push_back(!run ? no_number : milliseconds(is_slowed ? published_step : run->step));
        cells.push_back(!run              ? no_number
                        : !run->is_stable ? "unstable"
                                          : duration(run->seconds * (is_slowed ? slowdown : 1)));
    }
    for (std::size_t k = 1; k < compared_integrators.size(); ++k) {
        auto ratio = item.ratio(compared_integrators[k]);
        if (ratio) *ratio /= slowdown;
        cells.push_back(ratio_text(ratio));
    }
    return cells;
}

std::vector<std::string> published_cells(const PublishedRow& published) {
    std::vector<std::string> cells = {std::to_string(published.particles)};
    for (const PublishedRun& run : published.runs) {
        cells.push_back(milliseconds(run.step));
        cells.push_back(duration(run.seconds));
    }
    for (std::size_t k = 1; k < published.runs.size(); ++k)
        cells.push_back(ratio_text(published.runs[k].seconds / published.runs[0].seconds));
    return cells;
}

std::string run_sentence(const IntegratorResult& run) {
    std::string text =
        fmt::format("{}: {} steps of {}, {} by the clock and {} of all threads; its own step would be {}.",
                    run.integrator, run.steps, milliseconds(run.step), duration(run.seconds),
                    duration(run.processor_seconds), milliseconds(run.own_step));
    if (!run.is_stable) text += " Not stable: " + run.trouble + ".";
    if (run.published_seconds)
        text += fmt::format(" At the paper's step it takes {}.", duration(*run.published_seconds));
    if (run.deviation) {
        text += fmt::format(
            " Against a run at {}, the last shape deviates by {:.2g} % of the height, that of any frame by up to "
            "{:.2g} %, and the place by up to {:.2g} %.",
            milliseconds(*run.reference_step), 100 * *run.deviation, 100 * *run.worst_deviation,
            100 * *run.worst_displacement);
    }
    if (run.explicit_deviation) {
        text +=
            fmt::format(" Against the explicit run, shapes deviate by up to {:.2g} %, and places by up to {:.2g} %.",
                        100 * *run.explicit_deviation, 100 * *run.explicit_displacement);
    }
    if (run.drift && run.turn)
        text +=
            fmt::format(" The body drifted by {:.2g} mm and turned by {:.2g} degrees.", 1e3 * *run.drift, *run.turn);
    return text;
}

// A fast run that moves otherwise is no fair comparison, and the reader must know.
std::string warning_html(const ItemResult& item) {
    const IntegratorResult* implicit = item.find(compared_integrators[0]);
    if (!implicit || implicit->explicit_displacement.value_or(0) < far_away) return "";
    return fmt::format(
        "<p class=\"warnings\">At this step the implicit run moves otherwise than the explicit one: its bodies are up "
        "to "
        "{:.2g} heights away. Its step was chosen by the last shape alone, which does not see a rebound that is lost, "
        "so that its ratios compare unlike motions.</p>\n",
        *implicit->explicit_displacement);
}

// Every integrator at the largest step that serves it.
std::vector<IntegratorResult> race(const StudyTask& task) {
    const IntegratorRace race(task.scene, task.frames, task.threads, task.log);
    std::vector<Measurement> all;
    for (const std::string& integrator : compared_integrators) {
        all.push_back(integrator == compared_integrators[0] ? race.at_largest_accurate_step(!task.is_quick)
                                                            : race.at_largest_stable_step(integrator, !task.is_quick));
    }
    std::vector<IntegratorResult> results;
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (task.item.shows_drift) race.add_drift(all[k]);
        if (k != 1) race.compare_with_explicit(all[k], all[1]);
        results.push_back(all[k].result);
    }
    return results;
}

class IntegratorComparison : public Study {
public:
    // The frames are of the implicit run.
    std::optional<Scene> measure(const StudyTask& task, ItemResult& result) const override {
        if (task.item.row) result.runs = race(task);
        result.threads = Threads(task.threads).count();
        Scene scene = task.scene;
        scene.simulation.integrator = compared_integrators[0];
        const bool has_step = !result.runs.empty() && result.runs[0].is_stable;
        scene.simulation.timestep = has_step ? result.runs[0].step : published_step;
        return scene;
    }

    std::array<Real, 4> moments() const override { return {0, 0.15, 0.4, 1}; }  // start, impact, after it, end

    std::string table_html(const ReproducedPaper& paper, const ReproduceResults& results) const override {
        std::string rows;
        for (const ItemResult& item : results.items) {
            const ReproducedItem& reproduced = find_item(paper, item.name);
            if (!reproduced.row) continue;
            rows += table_row("", escape_markup(item.name) + (item.is_quick ? " (quick: not a measurement)" : ""),
                              our_cells(item, false));
            if (!item.runs.empty() && item.runs[0].published_seconds)
                rows += table_row("", "at the paper's implicit step", our_cells(item, true));
            rows += table_row("published", "paper: " + escape_markup(reproduced.row->name),
                              published_cells(*reproduced.row));
        }
        if (rows.empty()) return "";
        return "<section class=\"card wide\"><h2>Table 1</h2><table>\n<tr><th></th><th>particles</th>"
               "<th>implicit: step</th><th>time</th><th>explicit: step</th><th>time</th><th>gerszewski09: step</th>"
               "<th>time</th><th>explicit / implicit</th><th>gerszewski09 / implicit</th></tr>\n" +
               rows +
               "</table><p class=\"small\">Times are those of a whole run. Scenes, lengths of the runs and machines "
               "differ "
               "from the paper's, so that only steps and ratios can be compared.</p></section>\n";
    }

    std::string details_html(const ItemResult& item) const override {
        std::string html = warning_html(item) + "<ul>";
        for (const IntegratorResult& run : item.runs) html += "<li>" + escape_markup(run_sentence(run)) + "</li>\n";
        return html + "</ul>";
    }
};

}  // namespace

const Study& integrator_comparison() {
    static const IntegratorComparison study;
    return study;
}

}  // namespace pliant
