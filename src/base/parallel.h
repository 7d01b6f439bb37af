// Parallel loops whose results do not depend on the number of threads: work is cut into blocks of a fixed size,
// and partial results of a reduction are combined in the order of the blocks.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace pliant {

// A reference to a callable; unlike std::function it neither owns nor allocates. What it refers to must outlive it: a
// lambda written into a call does.
template <class Signature>
class FunctionRef;

template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_object_v<std::remove_reference_t<F>> &&
             std::is_invocable_r_v<Result, F&, Args...>) FunctionRef(F&& f)  // NOLINT: implicit on purpose
        : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
          call_([](void* object, Args... args) -> Result {
              return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
          }) {}

    Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

private:
    void* object_;
    Result (*call_)(void*, Args...);
};

constexpr std::size_t default_block = 512;

inline std::size_t block_count(std::size_t n, std::size_t block) {
    return (n + block - 1) / block;
}

// Runs body(begin, end) over [0, n) in blocks whose bounds are multiples of `block`. When blocks throw, the exception
// of the lowest one comes out, at any number of threads; blocks above it may not have run.
void parallel_blocks(std::size_t n, std::size_t block, FunctionRef<void(std::size_t begin, std::size_t end)> body);

// Runs body(i) for every i in [0, n).
template <class Body>
void parallel_for(std::size_t n, Body&& body, std::size_t block = default_block) {
    parallel_blocks(n, block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) body(i);
    });
}

// Combines map(i) over [0, n) from `identity`: in ascending order within a block, then block by block.
template <class T, class Map, class Combine>
T parallel_reduce(std::size_t n, T identity, Map&& map, Combine&& combine, std::size_t block = default_block) {
    if (n <= block) {
        T result = identity;
        for (std::size_t i = 0; i < n; ++i) result = combine(result, map(i));
        return result;
    }
    struct Partial {  // not a bare T: a vector<bool> could not be written from several threads
        T value;
    };
    std::vector<Partial> partial(block_count(n, block), Partial{identity});
    parallel_blocks(n, block, [&](std::size_t begin, std::size_t end) {
        T result = identity;
        for (std::size_t i = begin; i < end; ++i) result = combine(result, map(i));
        partial[begin / block].value = result;
    });
    T result = identity;
    for (const Partial& p : partial) result = combine(result, p.value);
    return result;
}

template <class T, class Map>
T parallel_sum(std::size_t n, T zero, Map&& map, std::size_t block = default_block) {
    return parallel_reduce(
        n, zero, map, [](const T& a, const T& b) -> T { return a + b; }, block);
}

// Passes over values that are not a number.
template <class Map>
double parallel_max(std::size_t n, double lowest, Map&& map, std::size_t block = default_block) {
    return parallel_reduce(
        n, lowest, map, [](double a, double b) { return b > a ? b : a; }, block);
}

// A team of threads. Loops started inside run() use at most this many; teams live side by side.
class Threads {
public:
    explicit Threads(int count = 0);  // 0: as many as the machine has
    ~Threads();
    Threads(Threads&&) noexcept;
    Threads& operator=(Threads&&) noexcept;

    int count() const;
    void run(FunctionRef<void()> work);

private:
    struct Arena;
    std::unique_ptr<Arena> arena_;
};

}  // namespace pliant
