// Neighbour search on sorted cells, in two passes: candidate_marks.h finds who is within reach, and what is here turns
// the marks into lists.
#include "pliant/geometry/neighbours.h"

#include <cmath>

#include "pliant/geometry/candidate_marks.h"
#include "pliant/geometry/row_sort.h"

namespace pliant {

bool is_within(const Vec3& a, const Vec3& b, Real radius) {
    const Vec3 d = a - b;
    return std::fma(d.x(), d.x(), std::fma(d.y(), d.y(), d.z() * d.z())) <= radius * radius;
}

std::size_t NeighbourLists::memory() const {
    return offsets.capacity() * sizeof(std::uint64_t) + indices.capacity() * sizeof(std::uint32_t);
}

namespace {

// A search with cell keys of one type.
template <class Key>
class KeyedSearch {
public:
    void find(std::span<const Vec3> positions, Real radius, const CellFrame& frame, std::uint64_t most_neighbours,
              NeighbourLists& lists) {
        cells_.sort(positions, frame);
        marks_.mark(cells_, positions, radius, frame, most_neighbours);
        place_rows(most_neighbours, lists);
        list_marked(lists);
    }

    std::size_t memory() const { return cells_.memory() + marks_.memory(); }

private:
    static constexpr std::size_t block = SortedCells<Key>::block;

    void place_rows(std::uint64_t most_neighbours, NeighbourLists& lists) {
        const std::size_t n = cells_.particle_count();
        resize_discarding(lists.offsets, n + 1);
        lists.offsets[0] = 0;
        parallel_for(n, [&](std::size_t s) { lists.offsets[cells_.particles()[s] + 1] = marks_.count(s); });
        for (std::size_t i = 0; i < n; ++i) lists.offsets[i + 1] += lists.offsets[i];
        if (lists.offsets[n] > most_neighbours) complain_of_crowding(lists.offsets[n], most_neighbours);
        resize_discarding(lists.indices, lists.offsets[n]);
    }

    // Rows are chosen for a few particles before they are sorted: what was just stored in pieces is slow to load.
    static constexpr std::uint32_t rows_at_once = 8;
    struct RowTile {
        alignas(32) std::uint32_t candidates[CandidateTile::capacity + 8];
        alignas(32) std::uint32_t rows[rows_at_once][CandidateTile::capacity + 32];
        std::uint32_t scratch[CandidateTile::capacity];
    };

    void list_marked(NeighbourLists& lists) {
        parallel_blocks(cells_.particle_count(), block, [&](std::size_t begin, std::size_t end) {
            const std::uint8_t* mask = marks_.masks_of_block(begin / block);
            RowTile tile;
            for_cells_of_block(cells_, begin, end, [&](const CellPart& part, const CellWindow& window) {
                const std::size_t candidates = window.candidate_count();
                if (candidates <= CandidateTile::capacity) {
                    list_part(part, window, mask, tile, lists);
                } else {
                    list_crowded_part(part, window, mask, tile, lists);
                }
                mask += part.size() * mask_bytes(candidates);
            });
        });
    }

    void gather_candidates(const CellWindow& window, std::size_t from, std::size_t to, RowTile& tile) const {
        window.for_runs(from, to, [&](std::size_t place, std::size_t number, std::size_t length) {
            copy_loosely(cells_.particles() + place, length, tile.candidates + (number - from));
        });
    }

    void list_part(const CellPart& part, const CellWindow& window, const std::uint8_t* mask, RowTile& tile,
                   NeighbourLists& lists) const {
        const std::size_t candidates = window.candidate_count(), stride = mask_bytes(candidates);
        gather_candidates(window, 0, candidates, tile);
        std::uint32_t* destination[rows_at_once];
        for (std::uint32_t first = part.begin; first < part.end; first += rows_at_once) {
            const std::uint32_t rows = std::min(rows_at_once, part.end - first);
            for (std::uint32_t r = 0; r < rows; ++r) destination[r] = row_of(first + r, lists);
            for (std::uint32_t r = 0; r < rows; ++r, mask += stride) {
                const std::size_t count = choose_marked(mask, stride, tile.candidates, tile.rows[r]);
                for (std::size_t k = 0; k < count; k += 16) __builtin_prefetch(destination[r] + k, 1);
            }
            for (std::uint32_t r = 0; r < rows; ++r) {
                const std::uint32_t count = marks_.count(first + r);
                if (count <= longest_short_row) {
                    sort_short_row(tile.rows[r], count);
                } else {
                    sort_long_row(tile.rows[r], count, tile.scratch);
                }
                copy_exactly(tile.rows[r], count, destination[r]);
            }
        }
    }

    // More candidates than a tile holds: row by row, tile by tile.
    void list_crowded_part(const CellPart& part, const CellWindow& window, const std::uint8_t* mask, RowTile& tile,
                           NeighbourLists& lists) const {
        const std::size_t candidates = window.candidate_count(), stride = mask_bytes(candidates);
        RawVector<std::uint32_t> scratch;
        for (std::uint32_t s = part.begin; s < part.end; ++s, mask += stride) {
            std::uint32_t *const row = row_of(s, lists), *next = row;
            for (std::size_t from = 0; from < candidates; from += CandidateTile::capacity) {
                const std::size_t to = std::min(candidates, from + CandidateTile::capacity);
                gather_candidates(window, from, to, tile);
                const std::size_t count =
                    choose_marked(mask + from / 8, mask_bytes(to - from), tile.candidates, tile.rows[0]);
                copy_exactly(tile.rows[0], count, next);
                next += count;
            }
            resize_discarding(scratch, marks_.count(s));
            sort_long_row(row, marks_.count(s), scratch.data());
        }
    }

    std::uint32_t* row_of(std::uint32_t s, NeighbourLists& lists) const {
        return lists.indices.data() + lists.offsets[cells_.particles()[s]];
    }

    SortedCells<Key> cells_;
    CandidateMarks<Key> marks_;
};

}  // namespace

struct NeighbourSearch::Workspace {
    CellFrameFinder frame_finder;
    KeyedSearch<std::uint32_t> compact;
    KeyedSearch<std::uint64_t> usual;
    KeyedSearch<unsigned __int128> wide;
};

NeighbourSearch::NeighbourSearch() : workspace_(std::make_unique<Workspace>()) {}
NeighbourSearch::~NeighbourSearch() = default;
NeighbourSearch::NeighbourSearch(NeighbourSearch&&) noexcept = default;
NeighbourSearch& NeighbourSearch::operator=(NeighbourSearch&&) noexcept = default;

void NeighbourSearch::find(std::span<const Vec3> positions, Real radius, NeighbourLists& lists) {
    const CellFrame frame = workspace_->frame_finder.find(positions, cell_per_radius * radius);
    const int bits = CellKeyBits(frame.extent).total();
    if (bits < 32) {
        workspace_->compact.find(positions, radius, frame, most_neighbours, lists);
    } else if (bits < 64) {
        workspace_->usual.find(positions, radius, frame, most_neighbours, lists);
    } else {
        workspace_->wide.find(positions, radius, frame, most_neighbours, lists);
    }
}

std::size_t NeighbourSearch::memory() const {
    return workspace_->compact.memory() + workspace_->usual.memory() + workspace_->wide.memory();
}

}  // namespace pliant
