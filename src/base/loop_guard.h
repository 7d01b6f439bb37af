// What parallel loops share: the exception that comes out of them, and what the thread sanitizer must be told.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

namespace pliant {

// The exception of the lowest block that threw. Blocks below it still run, so which one that is does not depend on
// the order in which threads come to them.
class FirstFailure {
public:
    bool is_below(std::size_t b) const { return lowest_.load(std::memory_order_relaxed) < b; }
    void add(std::size_t b, std::exception_ptr exception) {
        const std::lock_guard lock(mutex_);
        if (b >= lowest_) return;
        lowest_ = b;
        exception_ = std::move(exception);
    }
    void rethrow() const {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    std::mutex mutex_;
    std::atomic<std::size_t> lowest_ = std::numeric_limits<std::size_t>::max();
    std::exception_ptr exception_;
};

// Tells the thread sanitizer what it cannot see within libtbb: what stands before a loop happens before each of its
// blocks, and each block before what stands behind the loop. Nothing in other builds.
#if defined(__SANITIZE_THREAD__)
class Handover {
public:
    void give() { turn_.fetch_add(1, std::memory_order_release); }
    void take() { turn_.load(std::memory_order_acquire); }

private:
    std::atomic<int> turn_ = 0;
};
#else
struct Handover {
    void give() {}
    void take() {}
};
#endif

}  // namespace pliant
