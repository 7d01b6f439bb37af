#include "pliant/base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cassert>
#include <optional>

#include "pliant/base/loop_guard.h"

namespace pliant {
void parallel_blocks(std::size_t n, std::size_t block, FunctionRef<void(std::size_t, std::size_t)> body) {
    assert(block > 0);
    const std::size_t blocks = block_count(n, block);
    if (blocks <= 1) {
        if (n > 0) body(0, n);
        return;
    }
    FirstFailure failure;
    Handover begin, end;
    begin.give();
    tbb::parallel_for(std::size_t(0), blocks, [&](std::size_t b) {
        begin.take();
        if (failure.is_below(b)) return;
        try {
            body(b * block, std::min(n, (b + 1) * block));
        } catch (...) {
            failure.add(b, std::current_exception());
        }
        end.give();
    });
    end.take();
    failure.rethrow();
}

struct Threads::Arena {
    explicit Arena(int count) : arena(count) {
        // oneTBB keeps no more workers than there are cores unless it is told to.
        if (count > tbb::info::default_concurrency()) {
            more_workers.emplace(tbb::global_control::max_allowed_parallelism, count);
        }
    }
    tbb::task_arena arena;
    std::optional<tbb::global_control> more_workers;
};

Threads::Threads(int count) : arena_(std::make_unique<Arena>(count > 0 ? count : tbb::info::default_concurrency())) {}
Threads::~Threads() = default;
Threads::Threads(Threads&&) noexcept = default;
Threads& Threads::operator=(Threads&&) noexcept = default;

int Threads::count() const {
    return arena_->arena.max_concurrency();
}

void Threads::run(FunctionRef<void()> work) {
    arena_->arena.execute([&] { work(); });
}

}  // namespace pliant
