// Particles sorted by cells, and the walk over cells with their neighbourhoods. Cells follow each other along x, then
// y, then z, so that the cells within reach of one are nine runs of consecutive particles.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>

#include "pliant/base/parallel.h"
#include "pliant/geometry/cell_frame.h"
#include "pliant/geometry/radix_sort.h"

namespace pliant {

// Positions as whole multiples of cell / 2^26, modulo 2^32: the difference of two particles within 32 cells of each
// other is exact in wrapping arithmetic, wherever in space they are.
constexpr int fixed_point_bits = 26;
using FixedPoint = std::uint32_t;

#ifndef FX
#define FX 2
#endif
constexpr int slices = FX;

template <class Key>
class SortedCells {
public:
    static constexpr std::size_t block = 1024;  // sorted particles that are worked on together
    static constexpr std::size_t padding = 8;   // entries past the end that may be read

    void sort(std::span<const Vec3> positions, const CellFrame& frame) {
        count_ = positions.size();
        // A free cell at either end of each axis keeps a neighbour's key from running over into the next axis.
        bits_ = {};
        for (int axis = 0; axis < 3; ++axis) bits_[axis] = std::bit_width(std::uint64_t((axis==0?slices:1)*(frame.extent[axis] + 1)+slices));
        resize_discarding(entries_, count_);
        parallel_for(count_, [&](std::size_t i) {
            entries_[i] = {key2(frame, frame.scaled(positions[i])), std::uint32_t(i)};
        });
        radix_sort_.sort(entries_, bits_[0] + bits_[1] + bits_[2]);
        place_particles(positions, frame);
        list_cells();
    }

    static int key_bits(const CellFrame& frame) {
        int bits = 0;
        for (int axis = 0; axis < 3; ++axis) bits += std::bit_width(std::uint64_t((axis==0?slices:1)*(frame.extent[axis] + 1)+slices));
        return bits;
    }

    std::size_t particle_count() const { return count_; }
    std::size_t cell_count() const { return cell_count_; }
    Key cell_key(std::size_t cell) const { return keys_[cell]; }  // that of cell_count() is above all others
    std::uint32_t cell_begin(std::size_t cell) const { return begins_[cell]; }
    std::size_t first_cell_of_block(std::size_t b) const { return first_cell_[b]; }
    // The key of the cell dy and dz away in the same place along x is key + row_step, in wrapping arithmetic.
    Key row_step(int dy, int dz) const {
        return Key(std::int64_t(dy)) * (Key(1) << bits_[0]) + Key(std::int64_t(dz)) * (Key(1) << (bits_[0] + bits_[1]));
    }
    const std::uint32_t* particles() const { return particles_.data(); }  // particle at each sorted place
    const FixedPoint* x() const { return x_.data(); }
    const FixedPoint* y() const { return y_.data(); }
    const FixedPoint* z() const { return z_.data(); }

private:
    Key key2(const CellFrame& frame, const Vec3& t) const { auto c = frame.relative_cell(t); c[0] = std::int64_t(std::floor(slices * t.x())) - slices * frame.lowest[0] + slices - 1; return key(c); }
    Key key(const CellIndex& cell) const {
        return Key(cell[0] + 1) | Key(cell[1] + 1) << bits_[0] | Key(cell[2] + 1) << (bits_[0] + bits_[1]);
    }

    static FixedPoint fixed_point(Real scaled) {
        const Real whole = std::floor(scaled);
        const auto fraction = FixedPoint((scaled - whole) * Real(1 << fixed_point_bits));
        return (FixedPoint(std::int64_t(whole)) << fixed_point_bits) + fraction;
    }

    void place_particles(std::span<const Vec3> positions, const CellFrame& frame) {
        for (auto* array : {&particles_, &x_, &y_, &z_}) {
            resize_discarding(*array, count_ + padding);
            std::fill(array->end() - padding, array->end(), 0u);
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

    void list_cells() {
        const std::size_t blocks = block_count(count_, block);
        resize_discarding(first_cell_, blocks);
        parallel_blocks(count_, block, [&](std::size_t begin, std::size_t end) {
            std::uint32_t starts = 0;
            for (std::size_t s = begin; s < end; ++s) starts += starts_cell(s);
            first_cell_[begin / block] = starts;
        });
        std::uint32_t total = 0;
        for (auto& starts : first_cell_) total += std::exchange(starts, total);
        cell_count_ = total;
        resize_discarding(keys_, cell_count_ + 1);
        resize_discarding(begins_, cell_count_ + 1);
        keys_[cell_count_] = ~Key(0);
        begins_[cell_count_] = std::uint32_t(count_);
        parallel_blocks(count_, block, [&](std::size_t begin, std::size_t end) {
            std::uint32_t& first = first_cell_[begin / block];
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
    std::array<int, 3> bits_ = {};
    RadixSort<Key> radix_sort_;
    RawVector<KeyedIndex<Key>> entries_;
    RawVector<std::uint32_t> particles_;
    RawVector<FixedPoint> x_, y_, z_;
    RawVector<Key> keys_;
    RawVector<std::uint32_t> begins_, first_cell_;
};

// The runs of sorted particles in the 27 cells around a cell.
struct CellWindow {
    static constexpr int runs = 9, own_run = 4;
    std::array<std::uint32_t, runs> begin, end;

    std::size_t size() const {
        std::size_t total = 0;
        for (int k = 0; k < runs; ++k) total += end[k] - begin[k];
        return total;
    }
};

// Walks over cells in ascending order. Each run has two cursors that only move forward, so that a whole walk touches
// each cell some twenty times and needs neither a hash table nor a search.
template <class Key>
class WindowWalk {
public:
    WindowWalk(const SortedCells<Key>& cells, std::size_t first_cell) : cells_(cells) {
        for (int k = 0; k < CellWindow::runs; ++k) {
            step_[k] = cells.row_step(k % 3 - 1, k / 3 - 1);
            first_[k] = last_[k] = lower_bound(cells.cell_key(first_cell) + step_[k] - slices);
        }
    }

    CellWindow move_to(std::size_t cell) {
        CellWindow window;
        for (int k = 0; k < CellWindow::runs; ++k) {
            const Key centre = cells_.cell_key(cell) + step_[k];
            while (cells_.cell_key(first_[k]) < centre - slices) ++first_[k];
            while (cells_.cell_key(last_[k]) <= centre + slices) ++last_[k];
            window.begin[k] = cells_.cell_begin(first_[k]);
            window.end[k] = cells_.cell_begin(last_[k]);
        }
        return window;
    }

private:
    std::size_t lower_bound(Key key) const {
        std::size_t low = 0, high = cells_.cell_count();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (cells_.cell_key(middle) < key)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    const SortedCells<Key>& cells_;
    std::array<Key, CellWindow::runs> step_;
    std::array<std::size_t, CellWindow::runs> first_, last_;
};

}  // namespace pliant
