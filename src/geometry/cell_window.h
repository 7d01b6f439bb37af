// The walk over sorted cells with their neighbourhoods: the 27 cells around one are nine runs of consecutive particles.
#pragma once

#include "pliant/geometry/sorted_cells.h"

namespace pliant {

// Runs of sorted places. The candidates of a window are numbered through its runs.
struct CellWindow {
    static constexpr int runs = 9, own_run = 4;
    std::array<std::uint32_t, runs> begin, end;

    std::size_t candidate_count() const {
        std::size_t total = 0;
        for (int k = 0; k < runs; ++k) total += end[k] - begin[k];
        return total;
    }

    // The number of a particle of the middle cell among the candidates.
    std::size_t candidate_number(std::uint32_t place) const {
        std::size_t number = place - begin[own_run];
        for (int k = 0; k < own_run; ++k) number += end[k] - begin[k];
        return number;
    }

    // Calls visit(place, number, length) for the runs of the candidates from number `from` to `to`.
    template <class Visit>
    void for_runs(std::size_t from, std::size_t to, Visit&& visit) const {
        std::size_t number = 0;
        for (int k = 0; k < runs; ++k) {
            const std::size_t run_end = number + (end[k] - begin[k]);
            const std::size_t first = std::max(from, number), last = std::min(to, run_end);
            if (first < last) visit(begin[k] + (first - number), first, last - first);
            number = run_end;
        }
    }
};

// Visits cells in ascending order. Each run has two cursors that only move forward, so that a whole walk touches each
// cell some twenty times and needs neither a hash table nor, but at its start, a search.
template <class Key>
class WindowWalk {
public:
    WindowWalk(const SortedCells<Key>& cells, std::size_t first_cell) : cells_(cells) {
        for (int k = 0; k < CellWindow::runs; ++k) {
            step_[k] = cells.key_bits().template step<Key>(k % 3 - 1, k / 3 - 1);
            first_[k] = last_[k] = first_not_below(cells.cell_key(first_cell) + step_[k] - 1);
        }
    }

    CellWindow move_to(std::size_t cell) {
        CellWindow window;
        for (int k = 0; k < CellWindow::runs; ++k) {
            const Key middle = cells_.cell_key(cell) + step_[k];
            while (cells_.cell_key(first_[k]) < middle - 1) ++first_[k];
            while (cells_.cell_key(last_[k]) <= middle + 1) ++last_[k];
            window.begin[k] = cells_.cell_begin(first_[k]);
            window.end[k] = cells_.cell_begin(last_[k]);
        }
        return window;
    }

private:
    std::size_t first_not_below(Key key) const {
        std::size_t low = 0, high = cells_.cell_count();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (cells_.cell_key(middle) < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    const SortedCells<Key>& cells_;
    std::array<Key, CellWindow::runs> step_;
    std::array<std::size_t, CellWindow::runs> first_, last_;
};

// The sorted places of one cell that belong to a block.
struct CellPart {
    std::uint32_t begin, end;
    std::uint32_t cell_size;  // of the whole cell
    std::uint32_t size() const { return end - begin; }
};

// Calls visit(part, window) for each cell that a block of sorted places touches.
template <class Key, class Visit>
void for_cells_of_block(const SortedCells<Key>& cells, std::size_t begin, std::size_t end, Visit&& visit) {
    std::size_t cell = cells.first_cell_of_block(begin / SortedCells<Key>::block);
    WindowWalk<Key> walk(cells, cell);
    for (; cell < cells.cell_count() && cells.cell_begin(cell) < end; ++cell) {
        const std::uint32_t cell_begin = cells.cell_begin(cell), cell_end = cells.cell_begin(cell + 1);
        const CellPart part{std::max(cell_begin, std::uint32_t(begin)), std::min(cell_end, std::uint32_t(end)),
                            cell_end - cell_begin};
        visit(part, walk.move_to(cell));
    }
}

}  // namespace pliant
