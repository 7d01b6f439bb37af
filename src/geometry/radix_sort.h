// Stable sort of integer keys that carry an index, in time proportional to their number, parallel, and with the same
// result at any number of threads. Memory is kept between calls.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pliant/base/parallel.h"
#include "pliant/geometry/raw_vector.h"

namespace pliant {

template <class Key>
struct KeyedIndex {
    Key key;
    std::uint32_t index;
};

template <class Key>
class RadixSort {
public:
    using Entry = KeyedIndex<Key>;

    // Sorts by the lowest `bits` bits of the key; bits above must be zero.
    void sort(RawVector<Entry>& entries, int bits) {
        if (is_sorted(entries)) return;
        const int passes = (bits + most_digit_bits - 1) / most_digit_bits;
        resize_discarding(other_, entries.size());
        for (int pass = 0; pass < passes; ++pass) {
            const int first_bit = bits * pass / passes;
            sort_by_digit(entries, first_bit, bits * (pass + 1) / passes - first_bit);
            std::swap(entries, other_);
        }
    }

    std::size_t memory() const {
        return other_.capacity() * sizeof(Entry) + counts_.capacity() * sizeof(std::uint32_t);
    }

private:
    static constexpr int most_digit_bits = 11;
    static constexpr std::size_t block = 16384;

    bool is_sorted(const RawVector<Entry>& entries) {
        const std::size_t n = entries.size();
        resize_discarding(counts_, block_count(n, block));
        parallel_blocks(n, block, [&](std::size_t begin, std::size_t end) {
            bool ascending = true;
            for (std::size_t i = std::max<std::size_t>(begin, 1); i < end && ascending; ++i) {
                ascending = entries[i - 1].key <= entries[i].key;
            }
            counts_[begin / block] = ascending;
        });
        return std::all_of(counts_.begin(), counts_.end(), [](std::uint32_t ascending) { return ascending != 0; });
    }

    // Counts the digits block by block, turns the counts into places (digit by digit, then block by block, which is
    // what makes the sort stable), and moves the entries there.
    void sort_by_digit(const RawVector<Entry>& entries, int first_bit, int digit_bits) {
        const std::size_t n = entries.size(), digits = std::size_t(1) << digit_bits, blocks = block_count(n, block);
        const auto digit = [=](const Entry& e) { return std::size_t(e.key >> first_bit) & (digits - 1); };
        resize_discarding(counts_, blocks * digits);
        parallel_blocks(n, block, [&](std::size_t begin, std::size_t end) {
            std::uint32_t* count = &counts_[begin / block * digits];
            std::fill(count, count + digits, 0u);
            for (std::size_t i = begin; i < end; ++i) ++count[digit(entries[i])];
        });
        std::uint32_t place = 0;
        for (std::size_t d = 0; d < digits; ++d) {
            for (std::size_t b = 0; b < blocks; ++b) place += std::exchange(counts_[b * digits + d], place);
        }
        parallel_blocks(n, block, [&](std::size_t begin, std::size_t end) {
            std::uint32_t* next = &counts_[begin / block * digits];
            for (std::size_t i = begin; i < end; ++i) other_[next[digit(entries[i])]++] = entries[i];
        });
    }

    RawVector<Entry> other_;
    RawVector<std::uint32_t> counts_;
};

}  // namespace pliant
