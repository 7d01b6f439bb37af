// The network is Batcher's bitonic merge sort.   [Batcher68]
#include "pliant/geometry/row_sort.h"

#include <algorithm>

namespace pliant {

namespace {

typedef std::uint32_t Lanes __attribute__((vector_size(32)));
typedef std::uint32_t StoredLanes __attribute__((vector_size(32), aligned(4), may_alias));

[[gnu::always_inline]] inline Lanes lower(Lanes a, Lanes b) {
    return a < b ? a : b;
}
[[gnu::always_inline]] inline Lanes upper(Lanes a, Lanes b) {
    return a < b ? b : a;
}
[[gnu::always_inline]] inline void exchange(Lanes& a, Lanes& b) {
    const Lanes low = lower(a, b);
    b = upper(a, b);
    a = low;
}

[[gnu::always_inline]] inline Lanes reversed(Lanes v) {
    return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
}

// Each lane against its partner, within one vector; the first of the two keeps the lower value.
[[gnu::always_inline]] inline Lanes exchange_mirrored(Lanes v) {
    const Lanes w = reversed(v);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 1, 2, 3, 12, 13, 14, 15);
}
[[gnu::always_inline]] inline Lanes exchange_at_4(Lanes v) {
    const Lanes w = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 1, 2, 3, 12, 13, 14, 15);
}
[[gnu::always_inline]] inline Lanes exchange_at_2(Lanes v) {
    const Lanes w = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 1, 10, 11, 4, 5, 14, 15);
}
[[gnu::always_inline]] inline Lanes exchange_at_1(Lanes v) {
    const Lanes w = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 9, 2, 11, 4, 13, 6, 15);
}
[[gnu::always_inline]] inline Lanes exchange_mirrored_fours(Lanes v) {
    const Lanes w = __builtin_shufflevector(v, v, 3, 2, 1, 0, 7, 6, 5, 4);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 1, 10, 11, 4, 5, 14, 15);
}

// Merges two ascending halves of `half` vectors each.
template <int half>
[[gnu::always_inline]] inline void merge(Lanes* v) {
    Lanes w[2 * half];
    for (int k = 0; k < half; ++k) {
        w[k] = v[k];
        w[half + k] = reversed(v[2 * half - 1 - k]);
        exchange(w[k], w[half + k]);
    }
    for (int distance = half / 2; distance > 0; distance /= 2) {
        for (int k = 0; k < 2 * half; ++k) {
            if ((k & distance) == 0) exchange(w[k], w[k + distance]);
        }
    }
    for (int k = 0; k < 2 * half; ++k) v[k] = exchange_at_1(exchange_at_2(exchange_at_4(w[k])));
}

// Sorts four vectors, each by itself: down the columns, then turned by 90 degrees in blocks of four, which leaves two
// ascending stretches of four in each vector to be merged.
[[gnu::always_inline]] inline void sort_each_of_four(Lanes* v) {
    exchange(v[0], v[1]);
    exchange(v[2], v[3]);
    exchange(v[0], v[2]);
    exchange(v[1], v[3]);
    exchange(v[1], v[2]);
    const Lanes a = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Lanes b = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Lanes c = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Lanes d = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    v[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    v[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
    for (int k = 0; k < 4; ++k) v[k] = exchange_at_1(exchange_at_2(exchange_mirrored(v[k])));
}

template <int vectors>
[[gnu::always_inline]] inline void sort_vectors(Lanes* v) {
    if constexpr (vectors == 1) {
        v[0] = exchange_at_1(exchange_mirrored_fours(exchange_at_1(v[0])));
        v[0] = exchange_at_1(exchange_at_2(exchange_mirrored(v[0])));
    } else if constexpr (vectors == 4) {
        sort_each_of_four(v);
        merge<1>(v);
        merge<1>(v + 2);
        merge<2>(v);
    } else {
        sort_vectors<vectors / 2>(v);
        sort_vectors<vectors / 2>(v + vectors / 2);
        merge<vectors / 2>(v);
    }
}

template <int vectors>
void sort_padded(std::uint32_t* row, std::size_t count) {
    const Lanes numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    Lanes v[vectors];
    for (int k = 0; k < vectors; ++k) {
        v[k] = *reinterpret_cast<const StoredLanes*>(row + 8 * k);
        if (k >= vectors / 2) v[k] |= (Lanes)(numbers + std::uint32_t(8 * k) >= std::uint32_t(count));
    }
    sort_vectors<vectors>(v);
    for (int k = 0; k < vectors; ++k) *reinterpret_cast<StoredLanes*>(row + 8 * k) = v[k];
}

}  // namespace

void sort_short_row(std::uint32_t* row, std::size_t count) {
    if (count <= 8) return sort_padded<1>(row, count);
    if (count <= 16) return sort_padded<2>(row, count);
    if (count <= 32) return sort_padded<4>(row, count);
    if (count <= 64) return sort_padded<8>(row, count);
    if (count <= 128) return sort_padded<16>(row, count);
    sort_padded<32>(row, count);
}

void sort_long_row(std::uint32_t* row, std::size_t count, std::uint32_t* scratch) {
    std::uint32_t* const end = row + count;
    while (!std::is_sorted(row, end)) {
        // One round: each two ascending stretches that follow each other become one.
        std::uint32_t *first = row, *to = scratch;
        while (first != end) {
            std::uint32_t* const middle = std::is_sorted_until(first, end);
            std::uint32_t* const last = std::is_sorted_until(middle, end);
            to = std::merge(first, middle, middle, last, to);
            first = last;
        }
        std::copy(scratch, to, row);
    }
}

}  // namespace pliant
