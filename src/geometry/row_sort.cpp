#include "pliant/geometry/row_sort.h"

#include <algorithm>
#include <cstring>

namespace pliant {

namespace {

#define INLINE [[gnu::always_inline]] inline

using Lanes = std::uint32_t __attribute__((vector_size(32)));

INLINE Lanes lower(Lanes a, Lanes b) {
    return a < b ? a : b;
}
INLINE Lanes upper(Lanes a, Lanes b) {
    return a < b ? b : a;
}

INLINE Lanes reversed(Lanes v) {
    return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
}

// Compares each lane with its partner; lanes of the first half of a pair keep the lower value.
INLINE Lanes exchange_reversed_quads(Lanes v) {
    const Lanes w = __builtin_shufflevector(v, v, 3, 2, 1, 0, 7, 6, 5, 4);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 1, 10, 11, 4, 5, 14, 15);
}
INLINE Lanes exchange_reversed_all(Lanes v) {
    const Lanes w = reversed(v);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 1, 2, 3, 12, 13, 14, 15);
}
INLINE Lanes exchange_at_4(Lanes v) {
    const Lanes w = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 1, 2, 3, 12, 13, 14, 15);
}
INLINE Lanes exchange_at_2(Lanes v) {
    const Lanes w = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 1, 10, 11, 4, 5, 14, 15);
}
INLINE Lanes exchange_at_1(Lanes v) {
    const Lanes w = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
    return __builtin_shufflevector(lower(v, w), upper(v, w), 0, 9, 2, 11, 4, 13, 6, 15);
}

INLINE Lanes sorted_lanes(Lanes v) {
    v = exchange_at_1(v);
    v = exchange_at_1(exchange_reversed_quads(v));
    return exchange_at_1(exchange_at_2(exchange_reversed_all(v)));
}

// Merges two ascending halves of `count` vectors each, step by step down to neighbouring lanes.
template <int count>
INLINE void merge(Lanes* v) {
    Lanes w[2 * count];
    for (int k = 0; k < count; ++k) {  // the first half against the second reversed
        const Lanes b = reversed(v[2 * count - 1 - k]);
        w[k] = lower(v[k], b);
        w[count + k] = upper(v[k], b);
    }
    for (int distance = count / 2; distance > 0; distance /= 2) {
        for (int k = 0; k < 2 * count; ++k) {
            if (k & distance) continue;
            const Lanes a = w[k], b = w[k + distance];
            w[k] = lower(a, b);
            w[k + distance] = upper(a, b);
        }
    }
    for (int k = 0; k < 2 * count; ++k) v[k] = exchange_at_1(exchange_at_2(exchange_at_4(w[k])));
}

INLINE void exchange(Lanes& a, Lanes& b) {
    const Lanes low = lower(a, b);
    b = upper(a, b);
    a = low;
}

// Sorts four vectors each by itself
INLINE void sort_four(Lanes* v) {
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
    for (int k = 0; k < 4; ++k) v[k] = exchange_at_1(exchange_at_2(exchange_reversed_all(v[k])));
}

template <int vectors>
INLINE void sort_vectors(Lanes* v) {
    if constexpr (vectors == 4) {
        sort_four(v);
        merge<1>(v);
        merge<1>(v+2);
        merge<2>(v);
    } else if constexpr (vectors == 1) {
        v[0] = sorted_lanes(v[0]);
    } else {
        sort_vectors<vectors / 2>(v);
        sort_vectors<vectors / 2>(v + vectors / 2);
        merge<vectors / 2>(v);
    }
}

template <int vectors>
INLINE void sort_padded(std::uint32_t* row, std::size_t count) {
    Lanes v[vectors];
    const Lanes lanes={0,1,2,3,4,5,6,7};
    std::memcpy(v, row, sizeof v);
    for (int k = vectors / 2; k < vectors; ++k) v[k] = (lanes + unsigned(8 * k) < unsigned(count)) ? v[k] : ~Lanes{};
    sort_vectors<vectors>(v);
    std::memcpy(row, v, sizeof v);
}

}  // namespace

void sort_row(std::uint32_t* row, std::size_t count) {
    if (count <= 1) return;
    if (count <= 8) return sort_padded<1>(row, count);
    if (count <= 16) return sort_padded<2>(row, count);
    if (count <= 32) return sort_padded<4>(row, count);
    if (count <= 64) return sort_padded<8>(row, count);
    std::sort(row, row + count);
}

}  // namespace pliant
