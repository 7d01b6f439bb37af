// Sorts rows of indices ascending: short ones by a network on vectors of eight, long ones by merging what ascends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pliant {

// The longest row for sort_short_row, which works on a power of two of indices: the memory must reach to
// padded_row(count), and what lies past the row is overwritten. No index may be 2^32 - 1.
constexpr std::size_t longest_short_row = 256;

constexpr std::size_t padded_row(std::size_t count) {
    std::size_t padded = 8;
    while (padded < count) padded *= 2;
    return padded;
}

void sort_short_row(std::uint32_t* row, std::size_t count);

// Any row, in n log(number of ascending stretches); scratch has room for `count` indices.
void sort_long_row(std::uint32_t* row, std::size_t count, std::uint32_t* scratch);

}  // namespace pliant
