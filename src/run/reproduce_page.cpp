#include "pliant/run/reproduce_page.h"

#include <fmt/format.h>

#include "pliant/output/markup.h"
#include "pliant/output/report_page.h"
#include "pliant/run/reproduce_papers.h"
#include "pliant/run/reproduce_study.h"

namespace pliant {
namespace {

// Beside the style of the report: wide tables, and pictures in a row.
constexpr std::string_view own_style = R"css(
section.card { margin: 0 0 1rem; } h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
.wide { overflow-x: auto; } .wide th { width: auto; } .wide td { padding: .2rem 1rem .2rem 0; white-space: nowrap; }
.published td { color: var(--soft); }
.strip { display: grid; gap: .5rem; grid-template-columns: repeat(4, minmax(0, 1fr)); margin-bottom: .6rem; }
.small { color: var(--soft); font-size: 13px; margin: .5rem 0 0; }
@media (max-width: 760px) { .strip { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
)css";

std::string item_html(const ItemResult& item, const ReproducedItem& reproduced, const Study& study) {
    std::string html = fmt::format("<section class=\"card\" id=\"{}\"><h2>{}</h2>\n<div class=\"strip\">", item.name,
                                   escape_markup(reproduced.title));
    for (const std::string& picture : item.pictures)
        html += fmt::format("<img alt=\"{}\" src=\"{}\">", escape_markup(item.name), escape_markup(picture));
    html += "</div>\n" + study.details_html(item);
    html += fmt::format("<p class=\"small\">{} particles, {:.3g} s simulated{}. Frames: {}/<br>", item.particles,
                        item.simulated, item.is_quick ? ", quick" : "", escape_markup(item.name));
    html += fmt::format("pliant {}, {} {}, {}<br>{}, by: {}</p></section>\n", escape_markup(item.version), item.threads,
                        item.threads == 1 ? "thread" : "threads", escape_markup(item.machine),
                        escape_markup(item.written), escape_markup(item.command));
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
    html += paper.study->table_html(paper, results);
    for (const ItemResult& item : results.items) html += item_html(item, find_item(paper, item.name), *paper.study);
    return html + "</body>\n</html>\n";
}

}  // namespace pliant
