// report.html: a run on one page, in one file that needs no network: plots, last picture, settings, warnings.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace pliant {

struct ReportPoint {
    double x = 0;
    double y = 0;  // not finite: a gap in the line
};

struct ReportSeries {
    std::string name;
    std::vector<ReportPoint> points;  // by rising x
};

struct ReportPlot {
    enum class Kind { lines, stacked };  // stacked: areas upon each other, for parts of a whole such as time by phase

    std::string title;
    std::string x_label = "time";
    std::string x_unit = "s";
    std::string y_label;
    std::string y_unit;
    Kind kind = Kind::lines;
    bool is_logarithmic = false;  // for lines; values that are not positive become gaps
    std::vector<ReportSeries> series;
};

struct ReportData {
    std::string title;
    std::vector<std::string> warnings;
    std::vector<std::pair<std::string, std::string>> facts;  // a row each: "particles", "120000"; machine, version...
    std::vector<ReportPlot> plots;
    std::vector<std::byte> picture;  // PNG; empty: none
    std::string settings;            // the resolved scene
};

std::string report_html(const ReportData& data);

// Whole or not at all, so that a page that is open can be reloaded while the run goes on.
void write_report(const std::filesystem::path& path, const ReportData& data);

}  // namespace pliant
