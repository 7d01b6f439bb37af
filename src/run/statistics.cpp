#include "pliant/run/statistics.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"

namespace pliant {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::vector<double> as_list(const Vec3& v) {
    return {v.x(), v.y(), v.z()};
}
Vec3 as_vector(const json& list) {
    return {list.at(0).get<double>(), list.at(1).get<double>(), list.at(2).get<double>()};
}

StepRecord from_json(const json& line) {
    StepRecord r;
    r.step = line.at("step").get<std::int64_t>();
    r.frame = line.at("frame").get<int>();
    r.time = line.at("time").get<double>();
    r.dt = line.at("dt").get<double>();
    r.particles = line.at("particles").get<std::size_t>();
    r.report.neighbours = line.at("neighbours").get<double>();
    r.report.contacts = line.at("contacts").get<std::size_t>();
    r.report.yielding = line.at("yielding").get<std::size_t>();
    for (const json& solver : line.at("solvers")) {
        r.report.solvers.push_back({solver.at("name").get<std::string>(), solver.at("iterations").get<int>(),
                                    solver.at("residual").get<double>()});
    }
    const json& energy = line.at("energy");
    r.diagnostics.kinetic = energy.at("kinetic").get<double>();
    r.diagnostics.elastic = energy.at("elastic").get<double>();
    r.diagnostics.potential = energy.at("potential").get<double>();
    r.diagnostics.momentum.linear = as_vector(line.at("momentum"));
    r.diagnostics.momentum.angular = as_vector(line.at("angular_momentum"));
    r.diagnostics.volume = line.at("volume").get<double>();
    r.diagnostics.largest_speed = line.at("largest_speed").get<double>();
    for (const auto& [phase, value] : line.at("seconds").items()) r.seconds.emplace_back(phase, value.get<double>());
    if (line.contains("hash")) r.hash = std::stoull(line.at("hash").get<std::string>(), nullptr, 16);
    return r;
}

std::optional<StepRecord> parse_line(const std::string& text) {
    try {
        return from_json(json::parse(text));
    } catch (const std::exception&) {
        return std::nullopt;  // cut short by a kill, or not ours
    }
}

}  // namespace

std::string to_json_line(const StepRecord& r) {
    ordered_json line;
    line["step"] = r.step;
    line["frame"] = r.frame;
    line["time"] = r.time;
    line["dt"] = r.dt;
    line["particles"] = r.particles;
    line["neighbours"] = r.report.neighbours;
    line["contacts"] = r.report.contacts;
    line["yielding"] = r.report.yielding;
    line["solvers"] = ordered_json::array();
    for (const SolverReport& s : r.report.solvers) {
        line["solvers"].push_back({{"name", s.name}, {"iterations", s.iterations}, {"residual", s.residual}});
    }
    line["energy"] = {
        {"kinetic", r.diagnostics.kinetic}, {"elastic", r.diagnostics.elastic}, {"potential", r.diagnostics.potential}};
    line["momentum"] = as_list(r.diagnostics.momentum.linear);
    line["angular_momentum"] = as_list(r.diagnostics.momentum.angular);
    line["volume"] = r.diagnostics.volume;
    line["largest_speed"] = r.diagnostics.largest_speed;
    line["seconds"] = ordered_json::object();
    for (const auto& [phase, value] : r.seconds) line["seconds"][phase] = value;
    if (r.hash) line["hash"] = fmt::format("{:016x}", *r.hash);
    return line.dump() + "\n";
}

StatisticsWriter::StatisticsWriter(const std::filesystem::path& file, std::int64_t last_step) : path_(file) {
    std::string kept;
    std::ifstream old(file);
    for (std::string text; last_step > 0 && std::getline(old, text);) {
        const auto record = parse_line(text);
        if (record && record->step <= last_step) kept += text + "\n";
    }
    old.close();
    write_text_atomically(path_, kept);
}

void StatisticsWriter::add(const StepRecord& record) {
    pending_ += to_json_line(record);
}

void StatisticsWriter::flush() {
    const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) throw_write_error(path_, errno);
    std::size_t written = 0;
    while (written < pending_.size()) {
        const ssize_t n = ::write(file, pending_.data() + written, pending_.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const int error = errno;
            ::close(file);
            throw_write_error(path_, error, pending_.size() - written);
        }
        written += static_cast<std::size_t>(n);
    }
    if (::close(file) != 0) throw_write_error(path_, errno);
    pending_.clear();
}

std::vector<StepRecord> read_statistics(const std::filesystem::path& path) {
    std::vector<StepRecord> records;
    std::ifstream file(path);
    for (std::string text; std::getline(file, text);) {
        if (auto record = parse_line(text)) records.push_back(std::move(*record));
    }
    return records;
}

}  // namespace pliant
