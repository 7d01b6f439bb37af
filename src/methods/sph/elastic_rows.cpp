#include "pliant/methods/sph/elastic_rows.h"

#include <algorithm>

#include "pliant/base/parallel.h"

namespace pliant {

void ElasticRows::assign(std::span<const std::uint32_t> counts, std::span<const std::vector<Pair>> parts,
                         std::span<const std::size_t> first_rows) {
    const std::size_t n = counts.size();
    const auto last_row = [&](std::size_t part) { return part + 1 < parts.size() ? first_rows[part + 1] : n; };
    const auto filled = [&](std::size_t i) { return (std::size_t(counts[i]) + 3) / 4 * 4; };
    const auto offset_of = [](std::size_t i, std::uint32_t j) { return j - static_cast<std::uint32_t>(i) + middle; };
    std::vector<std::uint8_t> needs_two(n, 0);
    parallel_for(
        parts.size(),
        [&](std::size_t part) {
            const Pair* pair = parts[part].data();
            for (std::size_t i = first_rows[part]; i < last_row(part); pair += counts[i++]) {
                needs_two[i] =
                    std::any_of(pair, pair + counts[i], [&](const Pair& p) { return offset_of(i, p.first) > lower; });
            }
        },
        1);
    resize_discarding(begin_, n + 1);
    pairs_ = 0;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < n; ++i) {
        begin_[i] = total | (needs_two[i] ? wide : 0);
        total += filled(i) << needs_two[i];
        pairs_ += filled(i);
    }
    begin_[n] = total;
    resize_discarding(words_, total);
    parallel_for(
        parts.size(),
        [&](std::size_t part) {
            const Pair* pair = parts[part].data();
            for (std::size_t i = first_rows[part]; i < last_row(part); pair += counts[i++]) {
                std::uint32_t* word = &words_[0] + offset(i);
                for (std::size_t k = 0; k < filled(i); ++k) {
                    const Pair own(static_cast<std::uint32_t>(i), 0.0f), &p = k < counts[i] ? pair[k] : own;
                    const std::uint32_t weight = std::bit_cast<std::uint32_t>(rounded(p.second));
                    *word++ = is_wide(i) ? weight : weight | offset_of(i, p.first);
                    if (is_wide(i)) *word++ = p.first;
                }
            }
        },
        1);
}

}  // namespace pliant
