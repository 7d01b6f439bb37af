// Work that is not to be trusted, in a process of its own: a crash, a loop without end or a hunger for memory ends
// there, and the caller is told.
#pragma once

#include <cstddef>
#include <vector>

#include "pliant/base/parallel.h"

namespace pliant {

struct IsolationLimits {
    unsigned seconds = 600;                      // of processor time; ten times as many by the clock
    std::size_t memory = std::size_t(16) << 30;  // bytes, beyond what the program holds already
};

// What `work` returns. It sees a copy of everything and can change nothing here; it must not use parallel loops, for
// threads are not copied. Throws InputError with the words of the exception that came out of `work`, or with a sentence
// on how the process ended; FileError when no process can be started.
std::vector<std::byte> run_isolated(FunctionRef<std::vector<std::byte>()> work, const IsolationLimits& limits = {});

}  // namespace pliant
