// Sorts a short row of indices ascending.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pliant {

// Up to 64 indices go through a bitonic network on vectors of eight, which overwrites the row up to the next multiple
// of 8, 16, 32 or 64: the memory must reach to padded_row(count). Longer rows are sorted in place and no further.
void sort_row(std::uint32_t* row, std::size_t count);

constexpr std::size_t padded_row(std::size_t count) {
    return count <= 8 ? 8 : count <= 16 ? 16 : count <= 32 ? 32 : count <= 64 ? 64 : count;
}

}  // namespace pliant
