#include "pliant/run/resources.h"

#include <fmt/core.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include "pliant/base/error.h"

namespace pliant {
namespace {

// A value in kB from /proc/meminfo, or 0.
std::uint64_t memory_line(const std::string& key) {
    std::ifstream file("/proc/meminfo");
    for (std::string name, unit; file >> name;) {
        std::uint64_t value = 0;
        file >> value;
        std::getline(file, unit);
        if (name == key + ":") return value * 1024;
    }
    return 0;
}

std::string processor_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    }
    return "processor";
}

}  // namespace

std::uint64_t available_memory() {
    return memory_line("MemAvailable");
}

std::uint64_t available_disk(const std::filesystem::path& folder) {
    std::error_code error;
    auto path = std::filesystem::absolute(folder, error);
    while (!path.empty() && path != path.parent_path() && !std::filesystem::exists(path, error))
        path = path.parent_path();
    const auto space = std::filesystem::space(path, error);
    return error ? 0 : space.available;
}

std::string byte_text(std::uint64_t bytes) {
    const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    double value = static_cast<double>(bytes);
    int unit = 0;
    for (; value >= 1000 && unit < 5; ++unit) value /= 1000;
    return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

void require_room(const SizeEstimate& size, const std::filesystem::path& folder) {
    const std::uint64_t memory = available_memory();
    if (memory > 0 && size.memory > memory) {
        throw InputError(
            fmt::format("the run needs about {} of memory for {} particles, and {} are free. Use a larger spacing",
                        byte_text(size.memory), size.particles, byte_text(memory)));
    }
    const std::uint64_t disk = available_disk(folder);
    if (size.disk > disk) {
        throw InputError(
            fmt::format("the run would write about {} to {}, and {} are free there. Use fewer frames, a larger "
                        "spacing, another disk, or output.particles = false",
                        byte_text(size.disk), folder.string(), byte_text(disk)));
    }
}

std::string machine_text() {
    utsname system{};
    uname(&system);
    return fmt::format("{}, {} cores, {} of memory, {} {}", processor_name(), std::thread::hardware_concurrency(),
                       byte_text(memory_line("MemTotal")), system.sysname, system.release);
}

}  // namespace pliant
