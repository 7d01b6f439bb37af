// Which pliant this is.
#pragma once

#include <string>

namespace pliant {

std::string version_text();  // "0.1.0 (AVX2, GCC 12.2.0)"

}  // namespace pliant
