#include "pliant/run/reproduce_page.h"

#include <fmt/format.h>

#include "pliant/output/markup.h"
#include "pliant/output/report_page.h"
#include "pliant/run/reproduce_papers.h"

namespace pliant {
namespace {

constexpr Real published_step = 2e-3;  // s, of the implicit integrator  [Zhou13] Section 4
constexpr Real far_away = 0.1;         // of the height: a run this far from the explicit one shows another motion
constexpr const char* nothing = "&ndash;";

// Beside the style of the report: wide tables, and pictures in a row.
constexpr std::string_view own_style = R"css(
section { margin: 0 0 1.5rem; } h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
.wide { overflow-x: auto; } .wide th { width: auto; } .wide td { padding: .2rem 1rem .2rem 0; white-space: nowrap; }
.published td { color: var(--soft); }
.strip { display: grid; gap: .5rem; grid-template-columns: repeat(4, minmax(0, 1fr)); margin-bottom: .6rem; }
.small { color: var(--soft); font-size: 13px; margin: .5rem 0 0; }
@media (max-width: 760px) { .strip { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
)css";

std::string row(const std::string& style, const std::string& head, const std::vector<std::string>& cells) {
    std::string html = fmt::format("<tr class=\"{}\"><th scope=\"row\">{}</th>", style, head);
    for (const std::string& cell : cells) html += "<td>" + cell + "</td>";
    return html + "</tr>\n";
}

std::string milliseconds(Real seconds) {
    return fmt::format("{:.3g} ms", 1e3 * seconds);
}

std::string duration(double seconds) {
    return fmt::format("{:.3g} s", seconds);
}

std::string ratio_text(std::optional<double> ratio) {
    return ratio ? fmt::format("{:.2f}", *ratio) : nothing;
}

// At the step that was chosen, or at the paper's where that is known as well.
std::vector<std::string> our_cells(const ItemResult& item, bool at_published_step) {
    std::vector<std::string> cells = {std::to_string(item.particles)};
    const double slowdown = at_published_step ? *item.runs[0].published_seconds / item.runs[0].seconds : 1;
    for (const std::string& integrator : compared_integrators) {
        const IntegratorResult* run = item.find(integrator);
        const bool is_slowed = run == &item.runs[0] && at_published_step;
        cells.push_back(!run ? nothing : milliseconds(is_slowed ? published_step : run->step));
        cells.push_back(!run              ? nothing
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

std::string table_html(const ReproduceResults& results, const ReproducedPaper& paper) {
    std::string rows;
    for (const ItemResult& item : results.items) {
        const ReproducedItem& reproduced = find_item(paper, item.name);
        if (!reproduced.row) continue;
        rows += row("", escape_markup(item.name) + (item.is_quick ? " (quick: not a measurement)" : ""),
                    our_cells(item, false));
        if (!item.runs.empty() && item.runs[0].published_seconds)
            rows += row("", "at the paper's implicit step", our_cells(item, true));
        rows += row("published", "paper: " + escape_markup(reproduced.row->name), published_cells(*reproduced.row));
    }
    if (rows.empty()) return "";
    return "<section class=\"card wide\"><h2>Table 1</h2><table>\n<tr><th></th><th>particles</th>"
           "<th>implicit: step</th><th>time</th><th>explicit: step</th><th>time</th><th>gerszewski09: step</th>"
           "<th>time</th><th>explicit / implicit</th><th>gerszewski09 / implicit</th></tr>\n" +
           rows +
           "</table><p class=\"small\">Times are those of a whole run. Scenes, lengths of the runs and machines differ "
           "from the paper's, so that only steps and ratios can be compared.</p></section>\n";
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

std::string item_html(const ItemResult& item, const ReproducedItem& reproduced) {
    std::string html = fmt::format("<section class=\"card\" id=\"{}\"><h2>{}</h2>\n<div class=\"strip\">", item.name,
                                   escape_markup(reproduced.title));
    for (const std::string& picture : item.pictures)
        html += fmt::format("<img alt=\"{}\" src=\"{}\">", escape_markup(item.name), escape_markup(picture));
    html += "</div>\n" + warning_html(item) + "<ul>";
    for (const IntegratorResult& run : item.runs) html += "<li>" + escape_markup(run_sentence(run)) + "</li>\n";
    html += fmt::format("</ul><p class=\"small\">{} particles, {:.3g} s simulated{}. Frames: {}/<br>", item.particles,
                        item.simulated, item.is_quick ? ", quick" : "", escape_markup(item.name));
    html += fmt::format("pliant {}, {} threads, {}<br>{}, by: {}</p></section>\n", escape_markup(item.version),
                        item.threads, escape_markup(item.machine), escape_markup(item.written),
                        escape_markup(item.command));
    return html;
}

}  // namespace

std::string reproduce_page(const ReproduceResults& results) {
    const ReproducedPaper& paper = find_paper(results.paper);
    const std::string title = escape_markup(paper.title);
    std::string html = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<h1>{}</h1>\n",
        title, report_style, own_style, title);
    html += table_html(results, paper);
    for (const ItemResult& item : results.items) html += item_html(item, find_item(paper, item.name));
    return html + "</body>\n</html>\n";
}

}  // namespace pliant
