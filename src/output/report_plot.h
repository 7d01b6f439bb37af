// One plot of the report: lines or stacked areas over time, as SVG with the numbers beside it for the pointer.
#pragma once

#include <string>
#include <vector>

#include "pliant/output/report_series.h"

namespace pliant {

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

std::string plot_html(const ReportPlot& plot);  // a <figure>

}  // namespace pliant
