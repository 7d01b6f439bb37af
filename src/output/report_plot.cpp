#include "pliant/output/report_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

#include "pliant/output/axis_ticks.h"
#include "pliant/output/markup.h"

namespace pliant {

namespace {

constexpr std::size_t most_points = 1000;
constexpr std::size_t most_layers_points = 400;
constexpr int colours = 10;  // classes s0 to s9 of the style sheet

// The drawing, in its own units; the page scales it.
constexpr double width = 480, height = 280, left = 52, right = 468, top = 12, bottom = 240;

// One direction of the plot: numbers to places.
struct Axis {
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -std::numeric_limits<double>::infinity();
    double begin, end;  // places of the lowest and the highest

    bool is_empty() const { return lowest > highest; }
    void include(double value) {
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
    }
    // A line that is level lies in the middle.
    void widen(double share) {
        const double span = highest - lowest;
        const double margin = span > 1e-12 * std::max(std::abs(lowest), std::abs(highest))
                                  ? share * span
                                  : std::max(0.5 * std::abs(lowest), 1e-12);
        lowest -= margin;
        highest += margin;
    }
    double place(double value) const {
        return highest > lowest ? begin + (value - lowest) / (highest - lowest) * (end - begin) : (begin + end) / 2;
    }
};

struct Drawing {
    std::vector<ReportSeries> series;  // as drawn: thinned, of logarithms, or stacked
    Axis x{.begin = left, .end = right};
    Axis y{.begin = bottom, .end = top};
};

Drawing prepare(const ReportPlot& plot) {
    Drawing drawing;
    if (plot.kind == ReportPlot::Kind::stacked) {
        drawing.series = stacked(plot.series, most_layers_points);
        drawing.y.include(0);
    } else {
        for (const ReportSeries& s : plot.series) {
            ReportSeries& copy = drawing.series.emplace_back(ReportSeries{s.name, s.points});
            for (ReportPoint& p : copy.points) {
                if (plot.is_logarithmic) p.y = p.y > 0 ? std::log10(p.y) : std::nan("");
            }
            copy.points = thinned(copy.points, most_points);
        }
    }
    bool has_numbers = false;
    for (const ReportSeries& s : drawing.series) {
        for (const ReportPoint& p : s.points) {
            drawing.x.include(p.x);
            if (std::isnan(p.y)) continue;
            drawing.y.include(p.y);
            has_numbers = true;
        }
    }
    if (!has_numbers) drawing.y = Axis{.begin = bottom, .end = top};
    if (has_numbers && plot.kind == ReportPlot::Kind::lines) drawing.y.widen(0.05);
    return drawing;
}

// Powers of ten for a logarithmic axis, whose numbers are exponents.
AxisTicks power_ticks(const Axis& axis) {
    AxisTicks ticks;
    const double first = std::ceil(axis.lowest), last = std::floor(axis.highest);
    const double step = std::max(1.0, std::ceil((last - first) / 6));
    for (double power = first; power <= last && ticks.values.size() < 20; power += step) {
        ticks.values.push_back(power);
        ticks.labels.push_back(fmt::format("1e{:.0f}", power));
    }
    return ticks;
}

std::string axes_svg(const Drawing& drawing, const AxisTicks& x_ticks, const AxisTicks& y_ticks) {
    std::string svg;
    auto out = std::back_inserter(svg);
    for (std::size_t i = 0; i < y_ticks.values.size(); ++i) {
        const double y = drawing.y.place(y_ticks.values[i]);
        fmt::format_to(out, "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>", left, y, right);
        fmt::format_to(out, "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 6, y + 4,
                       y_ticks.labels[i]);
    }
    for (std::size_t i = 0; i < x_ticks.values.size(); ++i) {
        const double x = drawing.x.place(x_ticks.values[i]);
        fmt::format_to(out, "<path class=\"grid\" d=\"M{:.1f} {}v4\"/>", x, bottom);
        fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x, bottom + 17,
                       x_ticks.labels[i]);
    }
    fmt::format_to(out, "<path class=\"axis\" d=\"M{} {}H{}\"/>", left, bottom, right);
    return svg;
}

// A path over the points, broken at gaps.
std::string line_path(const Drawing& drawing, const std::vector<ReportPoint>& points) {
    std::string path;
    bool is_drawing = false;
    for (const ReportPoint& p : points) {
        const bool is_gap = std::isnan(p.y);
        if (!is_gap) {
            fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", is_drawing ? 'L' : 'M', drawing.x.place(p.x),
                           drawing.y.place(p.y));
        }
        is_drawing = !is_gap;
    }
    return path;
}

// Points between two gaps, of which a line shows nothing.
std::string lone_points(const Drawing& drawing, const std::vector<ReportPoint>& points) {
    std::string path;
    const auto is_gap = [&](std::size_t i) { return i >= points.size() || std::isnan(points[i].y); };
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (is_gap(i) || !is_gap(i - 1) || !is_gap(i + 1)) continue;
        fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}h0", drawing.x.place(points[i].x),
                       drawing.y.place(points[i].y));
    }
    return path;
}

std::string area_path(const Drawing& drawing, const std::vector<ReportPoint>& upper,
                      const std::vector<ReportPoint>* lower) {
    std::string path = line_path(drawing, upper);
    for (std::size_t i = upper.size(); i-- > 0;) {
        fmt::format_to(std::back_inserter(path), "L{:.1f} {:.1f}", drawing.x.place(upper[i].x),
                       drawing.y.place(lower ? (*lower)[i].y : 0.0));
    }
    return path + "Z";
}

std::string series_svg(const ReportPlot& plot, const Drawing& drawing) {
    std::string svg;
    for (std::size_t k = 0; k < drawing.series.size(); ++k) {
        const std::vector<ReportPoint>& points = drawing.series[k].points;
        if (plot.kind == ReportPlot::Kind::lines) {
            svg += fmt::format("<path class=\"line s{}\" d=\"{}\"/>", k % colours, line_path(drawing, points));
            svg += fmt::format("<path class=\"line dot s{}\" d=\"{}\"/>", k % colours, lone_points(drawing, points));
        } else if (!points.empty()) {
            const auto* lower = k > 0 ? &drawing.series[k - 1].points : nullptr;
            svg += fmt::format("<path class=\"area s{}\" d=\"{}\"/>", k % colours, area_path(drawing, points, lower));
        }
    }
    return svg;
}

// Four digits are what a pointer reads; gaps are null.
nlohmann::json rounded(double value) {
    if (!std::isfinite(value)) return nullptr;
    return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr);
}

// What the page's script needs to tell the numbers under the pointer.
std::string numbers_json(const ReportPlot& plot, const Drawing& drawing) {
    nlohmann::json data = {{"x0", drawing.x.lowest},
                           {"x1", drawing.x.highest},
                           {"left", left},
                           {"right", right},
                           {"top", top},
                           {"bottom", bottom},
                           {"xUnit", plot.x_unit},
                           {"yUnit", plot.y_unit},
                           {"series", nlohmann::json::array()}};
    const bool is_stacked = plot.kind == ReportPlot::Kind::stacked;
    for (std::size_t k = 0; k < drawing.series.size(); ++k) {
        nlohmann::json xs = nlohmann::json::array(), ys = nlohmann::json::array();
        for (std::size_t i = 0; i < drawing.series[k].points.size(); ++i) {
            const ReportPoint& p = drawing.series[k].points[i];
            const double below = is_stacked && k > 0 ? drawing.series[k - 1].points[i].y : 0;
            xs.push_back(rounded(p.x));
            ys.push_back(rounded(plot.is_logarithmic && !is_stacked ? std::pow(10.0, p.y) : p.y - below));
        }
        data["series"].push_back({{"name", drawing.series[k].name}, {"x", xs}, {"y", ys}});
    }
    std::string text = data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
        text.replace(at, 1, "\\u003c");
    return text;
}

std::string legend_html(const ReportPlot& plot) {
    std::string html = "<ul class=\"legend\">";
    for (std::size_t k = 0; k < plot.series.size(); ++k) {
        html += fmt::format("<li class=\"s{}\">{}</li>", k % colours, escape_markup(plot.series[k].name));
    }
    return html + "</ul>";
}

}  // namespace

std::string plot_html(const ReportPlot& plot) {
    const Drawing drawing = prepare(plot);
    const std::string title = escape_markup(plot.title);
    if (drawing.x.is_empty() || drawing.y.is_empty()) {
        return fmt::format("<figure><figcaption>{}</figcaption><p class=\"empty\">No numbers.</p></figure>\n", title);
    }
    const bool is_logarithmic = plot.is_logarithmic && plot.kind == ReportPlot::Kind::lines;
    const AxisTicks x_ticks = axis_ticks(drawing.x.lowest, drawing.x.highest, 6);
    const AxisTicks y_ticks =
        is_logarithmic ? power_ticks(drawing.y) : axis_ticks(drawing.y.lowest, drawing.y.highest, 5);
    const std::string x_title = escape_markup(axis_title(plot.x_label, plot.x_unit, x_ticks.exponent));
    const std::string y_title = escape_markup(axis_title(plot.y_label, plot.y_unit, y_ticks.exponent));
    return fmt::format(
        "<figure class=\"plot\"><figcaption>{}<span>{}</span></figcaption>"
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}{}"
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><path class=\"rule\" d=\"\"/></svg>{}"
        "<script type=\"application/json\">{}</script></figure>\n",
        title, y_title, width, height, title, axes_svg(drawing, x_ticks, y_ticks), series_svg(plot, drawing), right,
        height - 6, x_title, legend_html(plot), numbers_json(plot, drawing));
}

}  // namespace pliant
