#include "pliant/run/run_report.h"

#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pliant/output/report.h"
#include "pliant/run/pictures.h"
#include "pliant/run/statistics.h"

namespace pliant {
namespace {

using Records = std::vector<StepRecord>;

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

template <class Value>
ReportSeries series(const std::string& name, const Records& records, Value&& value) {
    ReportSeries result{name, {}};
    for (const StepRecord& r : records) result.points.push_back({r.time, value(r)});
    return result;
}

ReportPlot plot(const std::string& title, const std::string& label, const std::string& unit,
                std::vector<ReportSeries> lines) {
    ReportPlot p;
    p.title = title;
    p.y_label = label;
    p.y_unit = unit;
    p.series = std::move(lines);
    return p;
}

ReportPlot energy_plot(const Records& records) {
    using R = const StepRecord&;
    return plot("Energy", "energy", "J",
                {series("kinetic", records, [](R r) { return r.diagnostics.kinetic; }),
                 series("elastic", records, [](R r) { return r.diagnostics.elastic; }),
                 series("potential", records, [](R r) { return r.diagnostics.potential; })});
}

ReportPlot momentum_plot(const std::string& title, const std::string& unit, const Records& records,
                         Vec3 Momentum::*which) {
    std::vector<ReportSeries> lines;
    for (int c = 0; c < 3; ++c) {
        lines.push_back(series(std::string(1, "xyz"[c]), records,
                               [&](const StepRecord& r) { return (r.diagnostics.momentum.*which)[c]; }));
    }
    return plot(title, "momentum", unit, std::move(lines));
}

ReportPlot phase_plot(const Records& records) {
    std::vector<ReportSeries> lines;
    for (const StepRecord& r : records) {
        for (const auto& [phase, seconds] : r.seconds) {
            auto line =
                std::find_if(lines.begin(), lines.end(), [&](const ReportSeries& s) { return s.name == phase; });
            if (line == lines.end()) line = lines.insert(lines.end(), {phase, {}});
            line->points.push_back({r.time, 1e3 * seconds});
        }
    }
    ReportPlot p = plot("Time by phase", "a step", "ms", std::move(lines));
    p.kind = ReportPlot::Kind::stacked;
    return p;
}

// An explicit method has no iterations to show: its neighbours, contacts and flow tell how hard a step was.
std::vector<ReportPlot> solver_plots(const Records& records) {
    std::vector<ReportSeries> iterations;
    for (const StepRecord& r : records) {
        for (const SolverReport& solver : r.report.solvers) {
            auto line = std::find_if(iterations.begin(), iterations.end(),
                                     [&](const ReportSeries& s) { return s.name == solver.name; });
            if (line == iterations.end()) line = iterations.insert(iterations.end(), {solver.name, {}});
            line->points.push_back({r.time, double(solver.iterations)});
        }
    }
    using R = const StepRecord&;
    std::vector<ReportPlot> plots;
    if (!iterations.empty()) plots.push_back(plot("Iterations", "a step", "", std::move(iterations)));
    plots.push_back(plot("Particles at work", "particles", "",
                         {series("touching an obstacle", records, [](R r) { return double(r.report.contacts); }),
                          series("flowing", records, [](R r) { return double(r.report.yielding); })}));
    return plots;
}

void add_facts(ReportData& data, const RunFolder& folder, const Records& records) {
    const auto information = nlohmann::ordered_json::parse(text_of(folder.information()), nullptr, false);
    if (information.is_object()) {
        for (const auto& [key, value] : information.items()) {
            data.facts.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
        }
    }
    double seconds = 0;
    for (const StepRecord& r : records) {
        for (const auto& phase : r.seconds) seconds += phase.second;
    }
    data.facts.emplace_back("steps", std::to_string(records.size()));
    if (!records.empty()) {
        data.facts.emplace_back("simulated", fmt::format("{:.4g} s", records.back().time));
        data.facts.emplace_back(
            "computed in", fmt::format("{:.3g} s, {:.3g} ms a step", seconds, 1e3 * seconds / double(records.size())));
    }
}

}  // namespace

void write_run_report(const RunFolder& folder) {
    const Records records = read_statistics(folder.statistics());
    ReportData data;
    data.title = folder.path().filename().string();
    data.settings = text_of(folder.scene());
    add_facts(data, folder, records);
    using R = const StepRecord&;
    data.plots = {energy_plot(records), momentum_plot("Momentum", "kg m/s", records, &Momentum::linear),
                  momentum_plot("Angular momentum", "kg m^2/s", records, &Momentum::angular), phase_plot(records)};
    for (ReportPlot& p : solver_plots(records)) data.plots.push_back(std::move(p));
    data.plots.push_back(plot("Time step", "dt", "ms", {series("dt", records, [](R r) { return 1e3 * r.dt; })}));
    data.plots.push_back(
        plot("Volume", "volume", "m^3", {series("volume", records, [](R r) { return r.diagnostics.volume; })}));
    data.plots.push_back(plot("Largest speed", "speed", "m/s",
                              {series("speed", records, [](R r) { return r.diagnostics.largest_speed; })}));
    const RunPainter painter(folder);
    if (!painter.frames().empty()) data.picture = encode_png(painter.paint(painter.frames().size() - 1));
    write_report(folder.report(), data);
}

}  // namespace pliant
