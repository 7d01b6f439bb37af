#include "pliant/output/report_series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {

namespace {

constexpr double largest_number = 1e300;  // beyond, differences overflow

bool is_number(double y) {
    return std::abs(y) <= largest_number;
}

std::vector<ReportPoint> with_finite_x(std::span<const ReportPoint> points) {
    std::vector<ReportPoint> result;
    for (const ReportPoint& p : points) {
        const double y = is_number(p.y) ? p.y : std::numeric_limits<double>::quiet_NaN();
        if (is_number(p.x)) result.push_back({p.x, y});
    }
    return result;
}

// A stretch of points as its lowest and highest in their order, then its first gap.
void add_extremes(std::span<const ReportPoint> stretch, std::vector<ReportPoint>& result) {
    const ReportPoint *low = nullptr, *high = nullptr, *gap = nullptr;
    for (const ReportPoint& p : stretch) {
        if (std::isnan(p.y)) {
            if (!gap) gap = &p;
            continue;
        }
        if (!low || p.y < low->y) low = &p;
        if (!high || p.y > high->y) high = &p;
    }
    if (low) result.push_back(std::min(low, high)[0]);
    if (low && low != high) result.push_back(std::max(low, high)[0]);
    if (gap) result.push_back({std::max(gap->x, low ? std::max(low->x, high->x) : gap->x), gap->y});
}

// The mean of the numbers within [begin, end) of x; without any, zero.
double mean_within(std::span<const ReportPoint> points, double begin, double end, std::size_t& next) {
    double sum = 0;
    int count = 0;
    for (; next < points.size() && points[next].x < end; ++next) {
        if (points[next].x < begin || std::isnan(points[next].y)) continue;
        sum += points[next].y;
        ++count;
    }
    return count > 0 ? sum / count : 0;
}

}  // namespace

std::vector<ReportPoint> thinned(std::span<const ReportPoint> points, std::size_t most) {
    const std::vector<ReportPoint> usable = with_finite_x(points);
    if (usable.size() <= most) return usable;
    const std::size_t stretches = std::max<std::size_t>(most / 3, 1);
    std::vector<ReportPoint> result;
    for (std::size_t s = 0; s < stretches; ++s) {
        const std::size_t begin = s * usable.size() / stretches, end = (s + 1) * usable.size() / stretches;
        add_extremes(std::span(usable).subspan(begin, end - begin), result);
    }
    return result;
}

std::vector<ReportSeries> stacked(const std::vector<ReportSeries>& series, std::size_t most) {
    std::vector<double> xs;
    std::vector<std::vector<ReportPoint>> usable;
    for (const ReportSeries& s : series) {
        for (const ReportPoint& p : usable.emplace_back(with_finite_x(s.points))) xs.push_back(p.x);
    }
    std::sort(xs.begin(), xs.end());
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
    const std::size_t stretches = std::min(xs.size(), most);

    std::vector<ReportSeries> result;
    std::vector<double> below(stretches, 0.0);
    for (std::size_t k = 0; k < series.size(); ++k) {
        ReportSeries& layer = result.emplace_back(ReportSeries{series[k].name, {}});
        std::size_t next = 0;
        for (std::size_t s = 0; s < stretches; ++s) {
            const std::size_t begin = s * xs.size() / stretches, end = (s + 1) * xs.size() / stretches;
            const double limit = end < xs.size() ? xs[end] : std::numeric_limits<double>::infinity();
            below[s] += std::max(0.0, mean_within(usable[k], xs[begin], limit, next));
            layer.points.push_back({xs[begin], below[s]});
        }
    }
    return result;
}

}  // namespace pliant
