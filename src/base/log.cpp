#include "pliant/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <memory>

namespace pliant {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warning: return spdlog::level::warn;
        case LogLevel::error: return spdlog::level::err;
    }
    return spdlog::level::info;
}

}  // namespace

Log Log::to_terminal(LogLevel lowest) {
    auto logger = std::make_shared<spdlog::logger>("pliant", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_level(to_spdlog(lowest));
    return Log([logger](LogLevel level, std::string_view message) {
        logger->set_pattern(level == LogLevel::info ? "%v" : "%^%l:%$ %v");
        logger->log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
    });
}

}  // namespace pliant
