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

std::shared_ptr<spdlog::logger> terminal_logger(const char* pattern) {
    auto logger = std::make_shared<spdlog::logger>("pliant", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    logger->set_pattern(pattern);
    logger->set_level(spdlog::level::debug);
    return logger;
}

}  // namespace

Log Log::to_terminal(LogLevel lowest) {
    return Log([lowest, plain = terminal_logger("%v"), labelled = terminal_logger("%^%l:%$ %v")](
                   LogLevel level, std::string_view message) {
        if (level < lowest) return;
        const auto& logger = level == LogLevel::info ? plain : labelled;
        logger->log(to_spdlog(level), spdlog::string_view_t(message.data(), message.size()));
    });
}

}  // namespace pliant
