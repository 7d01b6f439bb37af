#include "pliant/base/parallel_phases.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>

#include "pliant/base/loop_guard.h"

namespace pliant {

// Threads take the next number in turn. A number waits for those of the phases before, which running threads have taken
// already: so the wait ends, however many threads come.
void parallel_phases(std::span<const std::size_t> bounds, FunctionRef<void(std::size_t)> body) {
    assert(!bounds.empty() && std::is_sorted(bounds.begin(), bounds.end()));
    const std::size_t first = bounds.front(), last = bounds.back();
    const auto threads = std::min(std::size_t(tbb::this_task_arena::max_concurrency()), last - first);
    if (threads <= 1) {
        for (std::size_t i = first; i < last; ++i) body(i);
        return;
    }
    std::atomic<std::size_t> next = first, ended = first;
    FirstFailure failure;
    Handover begin, end;
    begin.give();
    const auto work = [&](std::size_t) {
        begin.take();
        for (std::size_t phase = 0;;) {
            const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
            if (i >= last) break;
            while (bounds[phase + 1] <= i) ++phase;
            while (ended.load(std::memory_order_acquire) < bounds[phase]) std::this_thread::yield();
            if (!failure.is_below(i)) {
                try {
                    body(i);
                } catch (...) {
                    failure.add(i, std::current_exception());
                }
            }
            ended.fetch_add(1, std::memory_order_release);
        }
        end.give();
    };
    tbb::parallel_for(std::size_t(0), threads, work, tbb::simple_partitioner());
    end.take();
    failure.rethrow();
}

}  // namespace pliant
