// Which processors this build runs on.
#pragma once

namespace pliant {

const char* processor_of_build();  // "AVX2" or "portable"

}  // namespace pliant
