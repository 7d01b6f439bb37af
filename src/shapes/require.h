// Checks of settings that became shapes without passing the scene reader.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "pliant/base/error.h"
#include "pliant/math/types.h"

namespace pliant {

inline void require(bool is_met, const std::string& message) {
    if (!is_met) throw InputError(message);
}

// For example "sphere: the radius is -1 m; it must be above 0".
inline void require_positive(const char* kind, const char* what, Real value) {
    require(std::isfinite(value) && value > 0,
            fmt::format("{}: the {} is {} m; it must be above 0", kind, what, value));
}

}  // namespace pliant
