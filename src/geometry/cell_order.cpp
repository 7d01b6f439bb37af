#include "pliant/geometry/cell_order.h"

#include <algorithm>
#include <bit>

#include "pliant/base/parallel.h"
#include "pliant/geometry/cell_frame.h"
#include "pliant/geometry/radix_sort.h"

namespace pliant {

namespace {

// Moves bit k of a number of at most 21 bits to bit 3 k.
std::uint64_t spread_bits(std::uint64_t v) {
    v = (v | v << 32) & 0x001F00000000FFFFu;
    v = (v | v << 16) & 0x001F0000FF0000FFu;
    v = (v | v << 8) & 0x100F00F00F00F00Fu;
    v = (v | v << 4) & 0x10C30C30C30C30C3u;
    return (v | v << 2) & 0x1249249249249249u;
}

std::uint64_t interleave(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}

// The bits of the three coordinates in turn, x lowest: 21 bits an axis fit in 64, 42 in 128.
template <class Key>
Key morton_key(const CellIndex& cell) {
    constexpr std::uint64_t low = (std::uint64_t(1) << 21) - 1;
    const auto x = std::uint64_t(cell[0]), y = std::uint64_t(cell[1]), z = std::uint64_t(cell[2]);
    Key key = interleave(x & low, y & low, z & low);
    if constexpr (sizeof(Key) > 8) key |= Key(interleave(x >> 21, y >> 21, z >> 21)) << 63;
    return key;
}

template <class Key>
std::vector<std::uint32_t> sorted_by_key(std::span<const Vec3> positions, const CellFrame& frame, int axis_bits) {
    RawVector<KeyedIndex<Key>> entries(positions.size());
    parallel_for(positions.size(), [&](std::size_t i) {
        entries[i] = {morton_key<Key>(frame.relative_cell(frame.scaled(positions[i]))), std::uint32_t(i)};
    });
    RadixSort<Key>().sort(entries, 3 * axis_bits);
    std::vector<std::uint32_t> order(positions.size());
    parallel_for(order.size(), [&](std::size_t k) { order[k] = entries[k].index; });
    return order;
}

}  // namespace

std::vector<std::uint32_t> cell_order(std::span<const Vec3> positions, Real cell_size) {
    const CellFrame frame = CellFrameFinder().find(positions, cell_size);
    const std::int64_t widest = *std::max_element(frame.extent.begin(), frame.extent.end());
    const int axis_bits = std::bit_width(std::uint64_t(widest - 1));
    if (axis_bits <= 21) return sorted_by_key<std::uint64_t>(positions, frame, axis_bits);
    return sorted_by_key<unsigned __int128>(positions, frame, axis_bits);
}

}  // namespace pliant
