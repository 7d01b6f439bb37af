// Neighbour search on sorted cells, in two passes. The first marks, a bit a candidate, who is within reach, and counts;
// the second turns the bits into indices at their final place. Candidates are tested in float with the rounding error
// allowed for, and those too close to call once more in double.
#include "pliant/geometry/neighbours.h"

#include <fmt/core.h>

#include <cmath>

#include "pliant/base/error.h"
#include "pliant/geometry/neighbour_kernel.h"
#include "pliant/geometry/row_sort.h"
#include "pliant/geometry/sorted_cells.h"

namespace pliant {

namespace {

// Cells are a little larger than the radius, so that rounding at 10^12 cells from the origin (10^-4 of a cell) never
// puts neighbours two cells apart.
constexpr Real cell_per_radius = 1.001;

constexpr std::size_t block = 1024;
#ifndef PP
#define PP 2
#endif

std::size_t mask_bytes(std::size_t candidates) { return (candidates + 7) / 8; }

// Bounds on the squared distance in float, in fixed-point units. Each coordinate difference is off by at most 2^-22.5
// of a cell from rounding to fixed point and float, and by 2^-52 of the distance to the origin from scaling; this
// makes less than a third of the margin below.
Reach reach(const CellFrame& frame) {
    const Real squared = square(Real(1 << fixed_point_bits) / cell_per_radius);
    const Real margin = 4e-6 + frame.largest * 0x1p-48;
    return {float(squared * (1 - margin)), float(squared * (1 + margin))};
}

// The part of a block that lies in one cell.
struct CellPart {
    std::size_t cell;
    std::uint32_t begin, end;  // sorted particles
};

template <class Key, class Visit>
void for_cells_of_block(const SortedCells<Key>& cells, std::size_t begin, std::size_t end, Visit&& visit) {
    std::size_t cell = cells.first_cell_of_block(begin / block);
    WindowWalk<Key> walk(cells, cell);
    for (; cell < cells.cell_count() && cells.cell_begin(cell) < end; ++cell) {
        const CellPart part{cell, std::max(cells.cell_begin(cell), std::uint32_t(begin)),
                            std::min(cells.cell_begin(cell + 1), std::uint32_t(end))};
        visit(part, walk.move_to(cell));
    }
}

// Calls copy(source, destination, length) for the runs of the candidates [begin, end) of a window.
template <class Copy>
void for_runs(const CellWindow& window, std::size_t begin, std::size_t end, Copy&& copy) {
    std::size_t run_begin = 0;
    for (int k = 0; k < CellWindow::runs; ++k) {
        const std::size_t run_end = run_begin + (window.end[k] - window.begin[k]);
        const std::size_t from = std::max(begin, run_begin), to = std::min(end, run_end);
        if (from < to) copy(window.begin[k] + (from - run_begin), from - begin, to - from);
        run_begin = run_end;
    }
}

}  // namespace

bool is_within(const Vec3& a, const Vec3& b, Real radius) {
    const Vec3 d = a - b;
    return std::fma(d.x(), d.x(), std::fma(d.y(), d.y(), d.z() * d.z())) <= radius * radius;
}

std::size_t NeighbourLists::memory() const {
    return offsets.capacity() * sizeof(std::uint64_t) + indices.capacity() * sizeof(std::uint32_t);
}

namespace {

inline void copy_row(const std::uint32_t* from, std::size_t n, std::uint32_t* to) {
    if (n < 8) {
        for (std::size_t k = 0; k < n; ++k) to[k] = from[k];
        return;
    }
    for (std::size_t k = 0; k + 8 < n; k += 8) _mm256_storeu_si256((__m256i*)(to + k), _mm256_loadu_si256((const __m256i*)(from + k)));
    _mm256_storeu_si256((__m256i*)(to + n - 8), _mm256_loadu_si256((const __m256i*)(from + n - 8)));
}

template <class Key>
struct Search {
    SortedCells<Key> cells;
    RawVector<std::uint64_t> mask_begin;
    RawVector<std::uint8_t> masks;
    RawVector<std::uint32_t> counts;

    void count_candidates() {
        resize_discarding(mask_begin, block_count(cells.particle_count(), block) + 1);
        mask_begin[0] = 0;
        parallel_blocks(cells.particle_count(), block, [&](std::size_t begin, std::size_t end) {
            std::uint64_t bytes = 0;
            for_cells_of_block(cells, begin, end, [&](const CellPart& part, const CellWindow& window) {
                bytes += (part.end - part.begin) * mask_bytes(window.size());
            });
            mask_begin[begin / block + 1] = bytes;
        });
        for (std::size_t b = 1; b < mask_begin.size(); ++b) mask_begin[b] += mask_begin[b - 1];
    }

    void gather(const CellWindow& window, std::size_t begin, std::size_t end, std::uint32_t origin, CandidateTile& tile) {
        const FixedPoint x0 = cells.x()[origin], y0 = cells.y()[origin], z0 = cells.z()[origin];
        for_runs(window, begin, end, [&](std::size_t s, std::size_t k, std::size_t length) {
            const FixedPoint *x = cells.x() + s, *y = cells.y() + s, *z = cells.z() + s;
#pragma GCC ivdep
            for (std::size_t i = 0; i < (length + 7) / 8 * 8; ++i) {
                tile.x[k + i] = float(std::int32_t(x[i] - x0));
                tile.y[k + i] = float(std::int32_t(y[i] - y0));
                tile.z[k + i] = float(std::int32_t(z[i] - z0));
            }
        });
        for (std::size_t k = end - begin; k % 8 != 0; ++k) tile.x[k] = tile.y[k] = tile.z[k] = 1e18f;
    }

    [[gnu::noinline]] void settle(std::span<const Vec3> positions, Real radius, Reach reach, const CellWindow& window, std::size_t from, std::size_t to, const CandidateTile& tile, std::uint32_t s, float x, float y, float z, std::uint8_t* bits, Marked& marked) {
        const Vec3& p = positions[cells.particles()[s]];
        for_runs(window, from, to, [&](std::size_t other, std::size_t k, std::size_t length) {
            for (std::size_t i = 0; i < length; ++i) {
                const float d2 = squared_distance(tile, k + i, x, y, z);
                if (d2 < reach.lower || d2 > reach.upper) continue;
                if (!is_within(p, positions[cells.particles()[other + i]], radius)) {
                    bits[(k + i) / 8] &= std::uint8_t(~(1u << (k + i) % 8));
                    --marked.count;
                }
            }
        });
    }

    void mark(std::span<const Vec3> positions, Real radius, Reach reach) {
        resize_discarding(masks, mask_begin.back());
        resize_discarding(counts, cells.particle_count());
        parallel_blocks(cells.particle_count(), block, [&](std::size_t begin, std::size_t end) {
            CandidateTile tile;
            std::uint8_t* mask = masks.data() + mask_begin[begin / block];
            std::fill(&counts[begin], &counts[begin] + (end - begin), 0u);
            for_cells_of_block(cells, begin, end, [&](const CellPart& part, const CellWindow& window) {
                const std::size_t size = window.size(), row = mask_bytes(size);
                std::size_t self = part.begin - window.begin[CellWindow::own_run];
                for (int k = 0; k < CellWindow::own_run; ++k) self += window.end[k] - window.begin[k];
                for (std::size_t from = 0; from < size; from += CandidateTile::capacity) {
                    const std::size_t to = std::min(size, from + CandidateTile::capacity);
                    gather(window, from, to, part.begin, tile);
                    const std::size_t n = (to - from + 7) / 8;
                    std::uint32_t s = part.begin;
                    const auto one = [&]<int P>(std::integral_constant<int, P>) {
                        float x[P], y[P], z[P];
                        Marked marked[P];
                        for (int p = 0; p < P; ++p) {
                            x[p] = float(std::int32_t(cells.x()[s + p] - cells.x()[part.begin]));
                            y[p] = float(std::int32_t(cells.y()[s + p] - cells.y()[part.begin]));
                            z[p] = float(std::int32_t(cells.z()[s + p] - cells.z()[part.begin]));
                        }
                        std::uint8_t* bits = mask + (s - part.begin) * row + from / 8;
                        mark_near<P>(tile, 8 * n, x, y, z, reach, bits, row, marked);
                        for (int p = 0; p < P; ++p) {
                            if (marked[p].unsure) settle(positions, radius, reach, window, from, to, tile, s + p, x[p], y[p], z[p], bits + p * row, marked[p]);
                            const std::size_t me = self + (s + p - part.begin);
                            if (me >= from && me < to) bits[p * row + (me - from) / 8] &= std::uint8_t(~(1u << (me - from) % 8)), --marked[p].count;
                            counts[s + p] += marked[p].count;
                        }
                        s += P;
                    };
                    while (s + PP <= part.end) one(std::integral_constant<int, PP>());
                    while (s < part.end) one(std::integral_constant<int, 1>());
                }
                mask += (part.end - part.begin) * row;
            });
        });
    }

    void place_rows(NeighbourLists& lists) {
        const std::size_t n = cells.particle_count();
        resize_discarding(lists.offsets, n + 1);
        lists.offsets[0] = 0;
        parallel_for(n, [&](std::size_t s) { lists.offsets[cells.particles()[s] + 1] = counts[s]; });
        for (std::size_t i = 0; i < n; ++i) lists.offsets[i + 1] += lists.offsets[i];
        resize_discarding(lists.indices, lists.offsets[n]);
    }

    void list(NeighbourLists& lists) {
        parallel_blocks(cells.particle_count(), block, [&](std::size_t begin, std::size_t end) {
            alignas(32) std::uint32_t candidates[CandidateTile::capacity + 8];
            alignas(32) std::uint32_t chosen[8][CandidateTile::capacity + 32];
            const std::uint8_t* mask = masks.data() + mask_begin[begin / block];
            for_cells_of_block(cells, begin, end, [&](const CellPart& part, const CellWindow& window) {
                const std::size_t size = window.size(), row = mask_bytes(size);
                for (std::size_t from = 0; from < size; from += CandidateTile::capacity) {
                    const std::size_t to = std::min(size, from + CandidateTile::capacity);
                    for_runs(window, from, to, [&](std::size_t s, std::size_t k, std::size_t length) {
                        const std::uint32_t* particles = cells.particles() + s;
                        #pragma GCC ivdep
                        for (std::size_t i = 0; i < (length + 7) / 8 * 8; ++i) candidates[k + i] = particles[i];
                    });
                    for (std::uint32_t s0 = part.begin; s0 < part.end; s0 += 8) {
                        const std::uint32_t s1 = std::min(s0 + 8, part.end);
                        for (std::uint32_t s = s0; s < s1; ++s) {
                            const std::uint8_t* bits = mask + (s - part.begin) * row + from / 8;
                            choose_marked(bits, (to - from + 7) / 8, candidates, chosen[s - s0]);
                        }
                        for (std::uint32_t s = s0; s < s1; ++s) {
                            const std::size_t n = counts[s];
                            sort_row(chosen[s - s0], n);
                            copy_row(chosen[s - s0], n, lists.indices.data() + lists.offsets[cells.particles()[s]]);
                        }
                    }
                }
                mask += (part.end - part.begin) * row;
            });
        });
    }

    void find(std::span<const Vec3> positions, Real radius, const CellFrame& frame, NeighbourLists& lists) {
        cells.sort(positions, frame);
        count_candidates();
        mark(positions, radius, reach(frame));
        place_rows(lists);
        list(lists);
    }
};

}  // namespace

struct NeighbourSearch::Workspace {
    CellFrameFinder frame_finder;
    Search<std::uint64_t> usual;
    Search<unsigned __int128> wide;
};

NeighbourSearch::NeighbourSearch() : workspace_(std::make_unique<Workspace>()) {}
NeighbourSearch::~NeighbourSearch() = default;
NeighbourSearch::NeighbourSearch(NeighbourSearch&&) noexcept = default;
NeighbourSearch& NeighbourSearch::operator=(NeighbourSearch&&) noexcept = default;

void NeighbourSearch::find(std::span<const Vec3> positions, Real radius, NeighbourLists& lists) {
    const CellFrame frame = workspace_->frame_finder.find(positions, cell_per_radius * radius);
    if (SortedCells<std::uint64_t>::key_bits(frame) <= 63) workspace_->usual.find(positions, radius, frame, lists);
    else workspace_->wide.find(positions, radius, frame, lists);
}

}  // namespace pliant
