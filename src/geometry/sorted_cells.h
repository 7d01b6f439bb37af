// Particles sorted by cells. Cells follow each other along x, then y, then z; only those in use are listed.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "pliant/base/parallel.h"
#include "pliant/geometry/cell_frame.h"
#include "pliant/geometry/neighbour_kernel.h"
#include "pliant/geometry/radix_sort.h"

namespace pliant {

// Bits of each coordinate in a cell's key. A free cell at either end of an axis keeps the key of a neighbour from
// running over into the next axis.
struct CellKeyBits {
    int x, y, z;

    explicit CellKeyBits(const CellIndex& extent)
        : x(std::bit_width(std::uint64_t(extent[0] + 1))),
          y(std::bit_width(std::uint64_t(extent[1] + 1))),
          z(std::bit_width(std::uint64_t(extent[2] + 1))) {}
    int total() const { return x + y + z; }

    template <class Key>
    Key key(const CellIndex& cell) const {
        return Key(cell[0] + 1) | Key(cell[1] + 1) << x | Key(cell[2] + 1) << (x + y);
    }
    // From a cell to the one dy and dz further on, in wrapping arithmetic.
    template <class Key>
    Key step(int dy, int dz) const {
        return Key(std::int64_t(dy)) * (Key(1) << x) + Key(std::int64_t(dz)) * (Key(1) << (x + y));
    }
};

template <class Key>
class SortedCells {
public:
    static constexpr std::size_t block = 1024;  // sorted particles that are worked on together
    static constexpr std::size_t spare = 8;     // entries past the end that may be read

    void sort(std::span<const Vec3> positions, const CellFrame& frame) {
        count_ = positions.size();
        bits_ = CellKeyBits(frame.extent);
        resize_discarding(entries_, count_);
        parallel_for(count_, [&](std::size_t i) {
            const CellIndex cell = frame.relative_cell(frame.scaled(positions[i]));
            entries_[i] = {bits_.key<Key>(cell), std::uint32_t(i)};
        });
        radix_sort_.sort(entries_, bits_.total());
        place_particles(positions, frame);
        count_cells();
        list_cells();
    }

    std::size_t particle_count() const { return count_; }
    const std::uint32_t* particles() const { return particles_.data(); }  // which particle is at a sorted place
    FixedPositions fixed_positions() const { return {x_.data(), y_.data(), z_.data()}; }

    std::size_t cell_count() const { return cell_count_; }
    const CellKeyBits& key_bits() const { return bits_; }
    Key cell_key(std::size_t cell) const { return keys_[cell]; }  // past the last cell: above all keys
    std::uint32_t cell_begin(std::size_t cell) const { return begins_[cell]; }
    std::size_t first_cell_of_block(std::size_t b) const { return first_cells_[b]; }

    std::size_t memory() const {
        return radix_sort_.memory() + entries_.capacity() * sizeof(KeyedIndex<Key>) + keys_.capacity() * sizeof(Key) +
               4 * (particles_.capacity() + x_.capacity() + y_.capacity() + z_.capacity() + begins_.capacity() +
                    first_cells_.capacity());
    }

private:
    static FixedPoint fixed_point(Real scaled) {
        const Real whole = std::floor(scaled);
        const auto fraction = FixedPoint((scaled - whole) * Real(1 << fixed_point_bits));
        return (FixedPoint(std::int64_t(whole)) << fixed_point_bits) + fraction;
    }

    void place_particles(std::span<const Vec3> positions, const CellFrame& frame) {
        for (auto* array : {&particles_, &x_, &y_, &z_}) {
            resize_discarding(*array, count_ + spare);
            std::fill(array->end() - spare, array->end(), 0u);
        }
        parallel_for(count_, [&](std::size_t s) {
            const std::uint32_t i = entries_[s].index;
            const Vec3 t = frame.scaled(positions[i]);
            particles_[s] = i;
            x_[s] = fixed_point(t.x());
            y_[s] = fixed_point(t.y());
            z_[s] = fixed_point(t.z());
        });
    }

    bool starts_cell(std::size_t s) const { return s == 0 || entries_[s].key != entries_[s - 1].key; }

    // The number of cells, and of those that start before each block.
    void count_cells() {
        resize_discarding(first_cells_, block_count(count_, block));
        parallel_blocks(count_, block, [&](std::size_t begin, std::size_t end) {
            std::uint32_t starts = 0;
            for (std::size_t s = begin; s < end; ++s) starts += starts_cell(s);
            first_cells_[begin / block] = starts;
        });
        std::uint32_t total = 0;
        for (std::uint32_t& starts : first_cells_) total += std::exchange(starts, total);
        cell_count_ = total;
    }

    void list_cells() {
        resize_discarding(keys_, cell_count_ + 1);
        resize_discarding(begins_, cell_count_ + 1);
        keys_[cell_count_] = ~Key(0);
        begins_[cell_count_] = std::uint32_t(count_);
        parallel_blocks(count_, block, [&](std::size_t begin, std::size_t end) {
            std::uint32_t& first = first_cells_[begin / block];
            std::uint32_t cell = first;
            if (!starts_cell(begin)) --first;  // the block begins inside a cell
            for (std::size_t s = begin; s < end; ++s) {
                if (!starts_cell(s)) continue;
                keys_[cell] = entries_[s].key;
                begins_[cell++] = std::uint32_t(s);
            }
        });
    }

    std::size_t count_ = 0, cell_count_ = 0;
    CellKeyBits bits_{CellIndex{0, 0, 0}};
    RadixSort<Key> radix_sort_;
    RawVector<KeyedIndex<Key>> entries_;
    RawVector<std::uint32_t> particles_, begins_, first_cells_;
    RawVector<FixedPoint> x_, y_, z_;
    RawVector<Key> keys_;
};

}  // namespace pliant
