// report.html: a run on one page, in one file that needs no network: plots, last picture, settings, warnings.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "pliant/output/report_plot.h"

namespace pliant {

struct ReportData {
    std::string title;
    std::vector<std::string> warnings;
    std::vector<std::pair<std::string, std::string>> facts;  // a row each: "particles", "120000"; machine, version, ...
    std::vector<ReportPlot> plots;
    std::vector<std::byte> picture;  // PNG; empty: none
    std::string settings;            // the resolved scene
};

std::string report_html(const ReportData& data);

// Whole or not at all, so that a page that is open can be reloaded while the run goes on.
void write_report(const std::filesystem::path& path, const ReportData& data);

}  // namespace pliant
