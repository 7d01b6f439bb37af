// stats.jsonl: a line of JSON a step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pliant/scene/world.h"

namespace pliant {

struct StepRecord {
    std::int64_t step = 0;
    int frame = 0;          // whole frames done at its end
    Real time = 0, dt = 0;  // s
    std::size_t particles = 0;
    StepReport report;
    Diagnostics diagnostics;
    std::vector<std::pair<std::string, double>> seconds;  // by phase
    std::optional<std::uint64_t> hash;                    // of the state, at the end of a frame
};

std::string to_json_line(const StepRecord& record);

// Appends records; flush() hands them to the system and throws FileError when the disk is full.
class StatisticsWriter {
public:
    // Goes on behind the record of step `last_step`: what a run wrote beyond its last checkpoint is cut off.
    StatisticsWriter(const std::filesystem::path& file, std::int64_t last_step);

    void add(const StepRecord& record);
    void flush();

private:
    std::filesystem::path path_;
    std::string pending_;
};

// Lines that are cut short or not ours are left out.
std::vector<StepRecord> read_statistics(const std::filesystem::path& file);

}  // namespace pliant
