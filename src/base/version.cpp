#include "pliant/base/version.h"

#include <fmt/core.h>

#include "pliant/base/processor.h"

namespace pliant {

std::string version_text() {
#if defined(__clang__)
    return fmt::format("{} ({}, clang {})", PLIANT_VERSION, processor_of_build(), __clang_version__);
#else
    return fmt::format("{} ({}, GCC {})", PLIANT_VERSION, processor_of_build(), __VERSION__);
#endif
}

}  // namespace pliant
