// First pass of the neighbour search: for each particle, a bit for each candidate of its cell's window, set where the
// candidate is within reach. A bit costs a thirty-second of an index, so that the lists themselves are written once,
// at their final place.
#pragma once

#include <fmt/core.h>

#include "pliant/base/error.h"
#include "pliant/geometry/cell_window.h"
#include "pliant/geometry/neighbours.h"

namespace pliant {

// Cells are a little larger than the radius, so that rounding at 10^12 cells from the origin (10^-4 of a cell) never
// puts neighbours two cells apart.
constexpr Real cell_per_radius = 1.001;

inline std::size_t mask_bytes(std::size_t candidates) {
    return (candidates + 7) / 8;
}

[[noreturn]] inline void complain_of_crowding(std::uint64_t neighbours, std::uint64_t most) {
    throw SimulationError(
        fmt::format("the particles have at least {} neighbours in all, more than the {} allowed: they have collapsed "
                    "onto each other, or the search radius is far larger than their spacing",
                    neighbours, most));
}

template <class Key>
class CandidateMarks {
public:
    void mark(const SortedCells<Key>& cells, std::span<const Vec3> positions, Real radius, const CellFrame& frame,
              std::uint64_t most_neighbours) {
        size_masks(cells, most_neighbours);
        resize_discarding(counts_, cells.particle_count());
        const Search search{cells, positions, radius, reach(frame)};
        parallel_blocks(cells.particle_count(), block,
                        [&](std::size_t begin, std::size_t end) { mark_block(search, begin, end); });
    }

    // A row of mask_bytes(candidates) for each particle of the block, in sorted order.
    const std::uint8_t* masks_of_block(std::size_t b) const { return masks_.data() + mask_begin(b); }
    std::uint32_t count(std::size_t place) const { return counts_[place]; }  // of neighbours

    std::size_t memory() const {
        return masks_.capacity() + sizeof(BlockSize) * block_sizes_.capacity() +
               sizeof(std::uint32_t) * counts_.capacity();
    }

private:
    static constexpr std::size_t block = SortedCells<Key>::block;

    struct Search {
        const SortedCells<Key>& cells;
        std::span<const Vec3> positions;
        Real radius;
        Reach reach;

        const Vec3& position(std::size_t place) const { return positions[cells.particles()[place]]; }
    };

    // Candidates [from, to) of a window.
    struct Range {
        const CellWindow& window;
        std::size_t from, to;
    };

    struct BlockSize {
        std::uint64_t mask_end;           // bytes of masks up to this block's end
        std::uint64_t fewest_neighbours;  // that its particles have
    };

    // Bounds in float on the squared distance, in fixed-point units. A coordinate difference is off by at most 2^-22.5
    // of a cell from rounding to fixed point and to float, and by 2^-52 of the distance to the origin from scaling;
    // the margin is three times what follows for the square.
    static Reach reach(const CellFrame& frame) {
        const Real squared = square(Real(1 << fixed_point_bits) / cell_per_radius);
        const Real margin = 4e-6 + frame.largest * 0x1p-48;
        return {float(squared * (1 - margin)), float(squared * (1 + margin))};
    }

    // m particles in a cell make at least m^2 / 8 - m neighbours, for those in the same eighth of it are all within
    // reach of each other: a collapse is found before the time is spent to count it.
    void size_masks(const SortedCells<Key>& cells, std::uint64_t most_neighbours) {
        resize_discarding(block_sizes_, block_count(cells.particle_count(), block));
        parallel_blocks(cells.particle_count(), block, [&](std::size_t begin, std::size_t end) {
            BlockSize size = {};
            for_cells_of_block(cells, begin, end, [&](const CellPart& part, const CellWindow& window) {
                size.mask_end += part.size() * mask_bytes(window.candidate_count());
                size.fewest_neighbours += part.size() * (std::max(part.cell_size, 8u) / 8 - 1);
            });
            block_sizes_[begin / block] = size;
        });
        BlockSize total = {};
        for (BlockSize& size : block_sizes_) {
            total.fewest_neighbours += size.fewest_neighbours;
            total.mask_end += size.mask_end;
            size.mask_end = total.mask_end;
        }
        if (total.fewest_neighbours > most_neighbours) complain_of_crowding(total.fewest_neighbours, most_neighbours);
        resize_discarding(masks_, total.mask_end);
    }

    std::size_t mask_begin(std::size_t b) const { return b == 0 ? 0 : block_sizes_[b - 1].mask_end; }

    void mark_block(const Search& search, std::size_t begin, std::size_t end) {
        std::uint8_t* mask = masks_.data() + mask_begin(begin / block);
        std::fill(counts_.data() + begin, counts_.data() + end, 0u);
        CandidateTile tile;
        for_cells_of_block(search.cells, begin, end, [&](const CellPart& part, const CellWindow& window) {
            const std::size_t candidates = window.candidate_count(), stride = mask_bytes(candidates);
            for (std::size_t from = 0; from < candidates; from += CandidateTile::capacity) {
                const Range range{window, from, std::min(candidates, from + CandidateTile::capacity)};
                mark_range(search, part, range, tile, mask + from / 8, stride);
            }
            mask += part.size() * stride;
        });
    }

    // The particles of a cell against a range of candidates; rows of masks are `stride` bytes apart.
    void mark_range(const Search& search, const CellPart& part, const Range& range, CandidateTile& tile,
                    std::uint8_t* mask, std::size_t stride) {
        const FixedPositions fixed = search.cells.fixed_positions();
        const std::size_t origin = part.begin, size = range.to - range.from;
        range.window.for_runs(range.from, range.to, [&](std::size_t place, std::size_t number, std::size_t length) {
            gather_offsets(fixed, place, length, origin, tile, number - range.from);
        });
        pad_tile(tile, size);
        std::size_t own = range.window.candidate_number(part.begin) - range.from;  // wraps if it lies before
        for (std::uint32_t s = part.begin; s < part.end; ++s, ++own, mask += stride) {
            const std::array<float, 3> centre = {offset(fixed.x[origin], fixed.x[s]),
                                                 offset(fixed.y[origin], fixed.y[s]),
                                                 offset(fixed.z[origin], fixed.z[s])};
            const Marked marked = mark_near(tile, mask_bytes(size), centre, search.reach, mask);
            counts_[s] += marked.count;
            if (marked.has_unsure) counts_[s] -= clear_unsure(search, s, range, tile, centre, mask);
            if (own >= size) continue;
            clear_bit(mask, own);
            --counts_[s];
        }
    }

    // Clears the bits of candidates near the edge of reach that double precision puts outside; returns how many.
    static std::uint32_t clear_unsure(const Search& search, std::uint32_t s, const Range& range,
                                      const CandidateTile& tile, const std::array<float, 3>& centre,
                                      std::uint8_t* mask) {
        const float sure = search.reach.lower * (1 - 1e-6f);  // this sum may round otherwise than the vectors' did
        std::uint32_t cleared = 0;
        range.window.for_runs(range.from, range.to, [&](std::size_t place, std::size_t number, std::size_t length) {
            for (std::size_t i = 0; i < length; ++i) {
                const std::size_t k = number - range.from + i;
                const bool is_marked = mask[k / 8] >> k % 8 & 1;
                if (!is_marked || squared_distance(tile, k, centre) < sure) continue;
                if (is_within(search.position(s), search.position(place + i), search.radius)) continue;
                clear_bit(mask, k);
                ++cleared;
            }
        });
        return cleared;
    }

    static void clear_bit(std::uint8_t* mask, std::size_t k) { mask[k / 8] &= std::uint8_t(~(1u << k % 8)); }

    RawVector<BlockSize> block_sizes_;
    RawVector<std::uint8_t> masks_;
    RawVector<std::uint32_t> counts_;
};

}  // namespace pliant
