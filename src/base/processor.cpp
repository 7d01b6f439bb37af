// On a machine without the processor features that this build needs, says so and ends the program before the first
// such instruction. This file alone is compiled for any processor.
#include "pliant/base/processor.h"

#include <cstdio>
#include <cstdlib>

#if defined(PLIANT_NEEDS_AVX2)
namespace {

__attribute__((constructor(101))) void require_processor() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return;
    std::fputs(
        "pliant: this build needs a processor with AVX2 and FMA (2013 and later), and this machine has none.\n"
        "Build the portable version instead: script/build --preset portable\n",
        stderr);
    std::_Exit(2);
}

}  // namespace

const char* pliant::processor_of_build() {
    return "AVX2";
}
#else
const char* pliant::processor_of_build() {
    return "portable";
}
#endif
