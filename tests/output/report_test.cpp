#include "pliant/output/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "output/scratch_folder.h"
#include "pliant/output/image.h"

namespace pliant {
namespace {

const std::string nasty = "</script><script>alert('x')</script><img src=x onerror=\"alert(1)\">";

ReportPlot energy() {
    ReportPlot plot;
    plot.title = "Energy";
    plot.y_label = "energy";
    plot.y_unit = "J";
    plot.series = {{"kinetic", {{0, 0}, {1, 2}, {2, 1}}}, {"elastic", {{0, 1}, {1, 0.5}, {2, 3}}}};
    return plot;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

nlohmann::json numbers_of(const std::string& html) {
    const std::string start = "<script type=\"application/json\">";
    const std::size_t begin = html.find(start) + start.size();
    return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

TEST(Reports, HoldEverythingInOneFile) {
    ReportData data;
    data.title = "a bear falls";
    data.facts = {{"particles", "1000"}};
    data.warnings = {"mind the step"};
    data.plots = {energy()};
    data.picture = encode_png(Image(4, 4));
    data.settings = "[simulation]\nfps = 60\n";
    const std::string html = report_html(data);
    for (const char* part :
         {"a bear falls", "particles", "mind the step", "Energy", "data:image/png;base64,", "fps = 60"}) {
        EXPECT_NE(html.find(part), std::string::npos) << part;
    }
    EXPECT_EQ(html.find("http:"), std::string::npos);
    EXPECT_EQ(html.find("https:"), std::string::npos);
    EXPECT_EQ(html.find("src=\"/"), std::string::npos);
}

TEST(Reports, EscapeEveryText) {
    ReportData data;
    data.title = data.settings = nasty;
    data.warnings = {nasty};
    data.facts = {{nasty, nasty}};
    ReportPlot plot = energy();
    plot.title = plot.x_label = plot.x_unit = plot.y_label = plot.y_unit = plot.series[0].name = nasty;
    data.plots = {plot};
    const std::string html = report_html(data);
    EXPECT_EQ(html.find("<script>alert"), std::string::npos);
    EXPECT_EQ(html.find("<img src=x"), std::string::npos);
    EXPECT_EQ(count(html, "<script"), 2u) << "one plot's numbers and the page's own";
    EXPECT_EQ(count(html, "</script>"), 2u);
    EXPECT_EQ(numbers_of(html)["series"][0]["name"], nasty) << "the pointer still shows the true name";
}

TEST(Reports, WithoutAnythingArePagesToo) {
    const std::string html = report_html({});
    EXPECT_TRUE(html.starts_with("<!doctype html>"));
    EXPECT_TRUE(html.ends_with("</html>\n"));
}

TEST(Reports, AreWrittenWhole) {
    const ScratchFolder folder;
    write_report(folder / "report.html", {});
    EXPECT_EQ(file_text(folder / "report.html"), report_html({}));
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(ReportPlots, TellTheNumbersUnderThePointer) {
    const nlohmann::json data = numbers_of(plot_html(energy()));
    EXPECT_EQ(data["x0"], 0);
    EXPECT_EQ(data["x1"], 2);
    EXPECT_EQ(data["series"][1]["y"], nlohmann::json::array({1.0, 0.5, 3.0}));
}

TEST(ReportPlots, TellThePartsOfAStackNotItsSums) {
    ReportPlot plot = energy();
    plot.kind = ReportPlot::Kind::stacked;
    const std::string html = plot_html(plot);
    EXPECT_EQ(numbers_of(html)["series"][1]["y"], nlohmann::json::array({1.0, 0.5, 3.0}));
    EXPECT_EQ(count(html, "class=\"area"), 2u);
}

TEST(ReportPlots, BreakLinesAtGapsAndShowLonePoints) {
    ReportPlot plot = energy();
    plot.series = {{"a", {{0, 1}, {1, 2}, {2, NAN}, {3, 4}, {4, NAN}, {5, 1}, {6, 2}}}};
    const std::string html = plot_html(plot);
    const std::size_t begin = html.find("class=\"line s0\" d=\"");
    const std::string path = html.substr(begin, html.find("\"/>", begin) - begin);
    EXPECT_EQ(count(path, "M"), 3u);
    EXPECT_EQ(count(html, "h0"), 1u);
    EXPECT_TRUE(numbers_of(html)["series"][0]["y"][2].is_null());
}

TEST(ReportPlots, HaveNoNumberThatIsNotFinite) {
    for (const double bad : {double(NAN), double(INFINITY), -double(INFINITY), 1e308, -1e308, 0.0, 1e-310}) {
        for (const bool is_logarithmic : {false, true}) {
            for (const auto kind : {ReportPlot::Kind::lines, ReportPlot::Kind::stacked}) {
                ReportPlot plot = energy();
                plot.kind = kind;
                plot.is_logarithmic = is_logarithmic;
                plot.series = {{"a", {{0, bad}, {bad, 1}, {2, bad}}}, {"b", {}}};
                const std::string html = plot_html(plot);
                EXPECT_EQ(html.find("nan"), std::string::npos) << bad;
                EXPECT_EQ(html.find("inf"), std::string::npos) << bad;
            }
        }
    }
}

TEST(ReportPlots, SayWhenTheyHaveNoNumbers) {
    ReportPlot plot = energy();
    plot.series = {{"a", {}}, {"b", {{NAN, NAN}}}};
    EXPECT_NE(plot_html(plot).find("No numbers"), std::string::npos);
    plot.is_logarithmic = true;
    plot.series = {{"a", {{0, -1}, {1, 0}}}};
    EXPECT_NE(plot_html(plot).find("No numbers"), std::string::npos);
}

TEST(ReportPlots, StaySmallForLongRuns) {
    ReportPlot plot = energy();
    plot.series[0].points.clear();
    for (int i = 0; i < 1000000; ++i) plot.series[0].points.push_back({1e-3 * i, std::sin(0.1 * i)});
    EXPECT_LT(plot_html(plot).size(), 60000u);
}

TEST(ReportPlots, DrawPowersOfTenOnALogarithmicAxis) {
    ReportPlot plot = energy();
    plot.is_logarithmic = true;
    plot.series = {{"a", {{0, 1e-6}, {1, 1e-2}, {2, 0}}}};
    const std::string html = plot_html(plot);
    EXPECT_NE(html.find(">1e-4<"), std::string::npos);
    EXPECT_EQ(numbers_of(html)["series"][0]["y"][0], 1e-6);
    EXPECT_TRUE(numbers_of(html)["series"][0]["y"][2].is_null());
}

}  // namespace
}  // namespace pliant
