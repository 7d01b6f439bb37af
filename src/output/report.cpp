#include "pliant/output/report.h"

#include <fmt/format.h>

#include "pliant/base/atomic_file.h"
#include "pliant/output/markup.h"
#include "pliant/output/report_page.h"

namespace pliant {

namespace {

std::string warnings_html(const std::vector<std::string>& warnings) {
    if (warnings.empty()) return "";
    std::string html = "<section class=\"warnings\" role=\"alert\"><ul>";
    for (const std::string& warning : warnings) html += fmt::format("<li>{}</li>", escape_markup(warning));
    return html + "</ul></section>\n";
}

std::string facts_html(const std::vector<std::pair<std::string, std::string>>& facts) {
    if (facts.empty()) return "";
    std::string html = "<div class=\"card\"><table>";
    for (const auto& [name, value] : facts) {
        html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", escape_markup(name), escape_markup(value));
    }
    return html + "</table></div>\n";
}

std::string top_html(const ReportData& data) {
    const std::string facts = facts_html(data.facts);
    const std::string picture =
        data.picture.empty()
            ? ""
            : fmt::format("<img alt=\"last frame\" src=\"data:image/png;base64,{}\">\n", base64(data.picture));
    const bool is_single = facts.empty() || picture.empty();
    return fmt::format("<section class=\"top{}\">\n{}{}</section>\n", is_single ? " single" : "", picture, facts);
}

}  // namespace

std::string report_html(const ReportData& data) {
    const std::string title = escape_markup(data.title);
    std::string html =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        // Nothing is fetched, and nothing in the page can be made to.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n";
    html +=
        fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n", title, report_style, title);
    html += warnings_html(data.warnings) + top_html(data) + "<section class=\"plots\">\n";
    for (const ReportPlot& plot : data.plots) html += plot_html(plot);
    html += "</section>\n";
    if (!data.settings.empty()) {
        html += fmt::format("<details class=\"card\"><summary>Settings as run</summary><pre>{}</pre></details>\n",
                            escape_markup(data.settings));
    }
    html += fmt::format("<script>{}</script>\n</body>\n</html>\n", report_script);
    return html;
}

void write_report(const std::filesystem::path& path, const ReportData& data) {
    write_text_atomically(path, report_html(data));
}

}  // namespace pliant
