#include "pliant/geometry/raw_vector.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace pliant {

namespace {

// Rows that are written in random order cost a page-table walk each on pages of 4 kB: with large pages a search among
// shuffled particles takes two thirds of the time.
constexpr std::size_t large_page = std::size_t(2) << 20;

std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t(bytes >= 4 * large_page ? large_page : 64);
}

}  // namespace

void* allocate_raw(std::size_t bytes) {
    void* memory = ::operator new(bytes, alignment(bytes));
#ifdef __linux__
    if (bytes >= 4 * large_page) madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: nothing is lost if it is refused
#endif
    return memory;
}

void free_raw(void* memory, std::size_t bytes) {
    ::operator delete(memory, alignment(bytes));
}

}  // namespace pliant
