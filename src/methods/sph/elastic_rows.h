// Who is near whom at rest, and with what weight. The loops over pairs read nothing else in their order, so pairs are
// kept small: a word of 32 bits holds the weight, the upper half of a float, and below it where the neighbour lies,
// j - i + 32768. A row with a neighbour further off takes two words a pair, the weight and j.
// Weights are thus rounded to 8 bits. That is part of what they are: whatever is made of them sees the same ones, from
// both sides.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pliant/geometry/raw_vector.h"
#include "pliant/math/simd.h"

namespace pliant {

class ElasticRows {
public:
    using Pair = std::pair<std::uint32_t, float>;  // j, g_ij

    static float rounded(float weight) {
        return std::bit_cast<float>((std::bit_cast<std::uint32_t>(weight) + 0x8000u) & upper);
    }

    // The rows one behind the other, in parts; `counts` of pairs in each row, `first_rows` of each part. Weights are
    // rounded. Rows are filled up to a multiple of four by the particle itself with weight zero.
    void assign(std::span<const std::uint32_t> counts, std::span<const std::vector<Pair>> parts,
                std::span<const std::size_t> first_rows);

    std::size_t size() const { return begin_.empty() ? 0 : begin_.size() - 1; }

    // use(j, g_ij)
    template <class Use>
    void each(std::size_t i, Use&& use) const {
        for (std::size_t k = 0; k < count(i); ++k) {
            const std::uint32_t* word = words_.data() + offset(i) + (is_wide(i) ? 2 * k : k);
            use(is_wide(i) ? word[1] : static_cast<std::uint32_t>(i) - middle + (*word & lower), weight_at(word));
        }
    }

    // For records of `stride` numbers a particle: use(0 to 3, record of j, where the weight is), four pairs at a time.
    template <std::size_t stride, class Number, class Use>
    [[gnu::always_inline]] void each_record(std::size_t i, const Number* records, Use&& use) const {
        const std::uint32_t* word = words_.data() + offset(i);
        const std::uint32_t* const end = words_.data() + offset(i + 1);
        if (is_wide(i)) [[unlikely]] {
            for (; word < end; word += 8) {
                for (int l = 0; l < 4; ++l) use(l, records + stride * word[2 * l + 1], word + 2 * l);
            }
            return;
        }
        const Number* base = records + std::ptrdiff_t(stride) * (std::ptrdiff_t(i) - std::ptrdiff_t(middle));
        for (; word < end; word += 4) {
            use(0, base + stride * below(word), word);
            use(1, base + stride * below(word + 1), word + 1);
            use(2, base + stride * below(word + 2), word + 2);
            use(3, base + stride * below(word + 3), word + 3);
        }
    }

    // Fetches the records of the first and last pairs of a row, which lie furthest off: what was used long ago, and
    // what is used for the first time. Those between were mostly used a moment ago.
    static constexpr std::size_t fetched_ahead = 12;  // rows, in loops over all: as measured on bodies of a million
    template <std::size_t stride, class Number>
    [[gnu::always_inline]] void fetch_ends(std::size_t i, const Number* records) const {
        if (i >= size() || offset(i + 1) == offset(i)) return;
        const std::uint32_t *first = words_.data() + offset(i), *last = words_.data() + offset(i + 1) - 1;
        if (is_wide(i)) [[unlikely]] {
            for (int l = 0; l < 4; ++l) {
                __builtin_prefetch(records + stride * first[2 * l + 1]);
                __builtin_prefetch(records + stride * last[-2 * l]);
            }
            return;
        }
        const Number* base = records + std::ptrdiff_t(stride) * (std::ptrdiff_t(i) - std::ptrdiff_t(middle));
        for (int l = 0; l < 4; ++l) {
            __builtin_prefetch(base + stride * below(first + l));
            __builtin_prefetch(base + stride * below(last - l));
        }
    }

    static float weight_at(const std::uint32_t* word) { return std::bit_cast<float>(*word & upper); }
    template <class P>
    [[gnu::always_inline]] static P spread_weight_at(const std::uint32_t* word) {
        const float all = *reinterpret_cast<const Number*>(word);
        if constexpr (P::width == 8) {
            typedef std::uint32_t Words __attribute__((vector_size(32)));
            return P((typename P::Vector)((Words)P(all).v & upper));
        } else {
            typedef std::uint32_t Words __attribute__((vector_size(16)));
            typedef float Floats __attribute__((vector_size(16)));
            const Floats weights = (Floats)((Words)Floats{all, all, all, all} & upper);
#if defined(__AVX2__)
            return P(_mm256_cvtps_pd(weights));
#else
            return P(__builtin_convertvector(weights, typename P::Vector));
#endif
        }
    }

    std::size_t pairs() const {
        return pairs_;
    }  // with what fills up
    std::size_t bytes() const {
        return begin_.capacity() * 8 + words_.capacity() * 4;
    }

private:
    static constexpr std::uint32_t upper = 0xffff0000u, lower = 0xffffu, middle = 0x8000u;
    static constexpr std::uint64_t wide = std::uint64_t(1) << 63;  // in begin_

    typedef float Number __attribute__((may_alias));
    static std::size_t below(const std::uint32_t* word) {
        return *word & lower;
    }
    std::size_t count(std::size_t i) const {
        return (offset(i + 1) - offset(i)) >> (is_wide(i) ? 1 : 0);
    }
    std::size_t offset(std::size_t i) const {
        return begin_[i] & ~wide;
    }
    bool is_wide(std::size_t i) const {
        return begin_[i] & wide;
    }

    RawVector<std::uint64_t> begin_;  // one more than there are rows
    RawVector<std::uint32_t> words_;
    std::size_t pairs_ = 0;
};

}  // namespace pliant
