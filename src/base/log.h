// Messages to the user. A Log is handed to whoever may speak; there is no global one.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace pliant {

enum class LogLevel { debug, info, warning, error };

class Log {
public:
    using Sink = std::function<void(LogLevel, std::string_view message)>;

    Log() = default;  // silent
    explicit Log(Sink sink) : sink_(std::move(sink)) {}
    static Log to_terminal(LogLevel lowest = LogLevel::info);  // coloured lines on standard error

    template <class... Args>
    void debug(fmt::format_string<Args...> format, Args&&... args) const {
        write(LogLevel::debug, format, std::forward<Args>(args)...);
    }
    template <class... Args>
    void info(fmt::format_string<Args...> format, Args&&... args) const {
        write(LogLevel::info, format, std::forward<Args>(args)...);
    }
    template <class... Args>
    void warning(fmt::format_string<Args...> format, Args&&... args) const {
        write(LogLevel::warning, format, std::forward<Args>(args)...);
    }
    template <class... Args>
    void error(fmt::format_string<Args...> format, Args&&... args) const {
        write(LogLevel::error, format, std::forward<Args>(args)...);
    }

private:
    template <class... Args>
    void write(LogLevel level, fmt::format_string<Args...> format, Args&&... args) const {
        if (sink_) sink_(level, fmt::format(format, std::forward<Args>(args)...));
    }
    Sink sink_;
};

}  // namespace pliant
