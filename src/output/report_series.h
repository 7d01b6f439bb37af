// Numbers over time, made few enough to be drawn.
#pragma once

#include <cstddef>
#include <span>
#include <string>
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

// At most about `most` points that keep the lowest and the highest value of every stretch, and its gaps. Points whose x
// is not finite are dropped; a gap is one point whose y is NaN.
std::vector<ReportPoint> thinned(std::span<const ReportPoint> points, std::size_t most);

// The series upon each other, at the same x for all: where there are many points, means of stretches. A series without
// a number somewhere counts as zero there.
std::vector<ReportSeries> stacked(const std::vector<ReportSeries>& series, std::size_t most);

}  // namespace pliant
