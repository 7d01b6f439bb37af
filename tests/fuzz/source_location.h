// libstdc++ 12 hides std::source_location from clang 14, which lacks the builtin that it is made of. Included in front
// of every file of a fuzz build; does nothing for newer compilers.
#pragma once

#include <source_location>

#ifndef __cpp_lib_source_location
namespace std {

struct source_location {
    static constexpr source_location current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                             const char* function = __builtin_FUNCTION()) noexcept {
        source_location place;
        place.file_ = file;
        place.function_ = function;
        place.line_ = line;
        return place;
    }
    constexpr unsigned line() const noexcept { return line_; }
    constexpr const char* file_name() const noexcept { return file_; }
    constexpr const char* function_name() const noexcept { return function_; }

private:
    const char* file_ = "";
    const char* function_ = "";
    unsigned line_ = 0;
};

}  // namespace std
#endif
