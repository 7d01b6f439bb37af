// A vector for large arrays that are written in full right after they are sized: growing does not fill it with zeros,
// its memory lies on a cache line, and that of a large one on large pages where the system has them.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace pliant {

// Raises std::bad_alloc like operator new.
void* allocate_raw(std::size_t bytes);
void free_raw(void* memory, std::size_t bytes);

template <class T>
struct RawAllocator {
    using value_type = T;
    RawAllocator() = default;
    template <class U>
    RawAllocator(const RawAllocator<U>&) {}  // NOLINT: implicit on purpose, as the standard asks

    T* allocate(std::size_t n) { return static_cast<T*>(allocate_raw(n * sizeof(T))); }
    void deallocate(T* p, std::size_t n) { free_raw(p, n * sizeof(T)); }

    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;  // default-initialised: plain numbers stay as they are
    }
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
    }
    friend bool operator==(const RawAllocator&, const RawAllocator&) { return true; }
};

template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

// Sizes the array without keeping its contents. When it must grow again it takes a sixteenth more than asked for, so
// that a size that wanders from step to step soon stops allocating, and the old memory goes before the new comes.
template <class T>
void resize_discarding(RawVector<T>& array, std::size_t n) {
    if (n > array.capacity()) {
        const std::size_t spare = array.capacity() > 0 ? n / 16 : 0;
        array = RawVector<T>();
        array.reserve(n + spare);
    }
    array.resize(n);
}

}  // namespace pliant
