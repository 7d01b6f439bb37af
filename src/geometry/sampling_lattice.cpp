#include "pliant/geometry/sampling_lattice.h"

#include <bit>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/geometry/sampling_blocks.h"

namespace pliant {

namespace {

using Index = std::array<std::int64_t, 3>;

constexpr std::int64_t block_sites = 8;  // along an axis

// A block of 8^3 sites, with a bit for each that is taken: x in the byte, y the byte, z the word.
struct TakenSites {
    Index first;
    std::array<std::uint64_t, 8> bits;

    std::size_t count() const {
        std::size_t total = 0;
        for (const std::uint64_t word : bits) total += std::size_t(std::popcount(word));
        return total;
    }
};

bool exists(const Lattice& lattice, const Index& site) {
    for (int axis = 0; axis < 3; ++axis) {
        if (site[axis] >= lattice.count[axis]) return false;
    }
    if (!lattice.is_body_centred) return true;
    const auto is_odd = [&](int axis) { return (site[axis] - (lattice.count[axis] - 1) / 2) & 1; };
    return is_odd(0) == is_odd(1) && is_odd(1) == is_odd(2);
}

// Calls visit(site, word, bit) for the sites of a block.
template <class Visit>
void for_sites(const Index& first, Visit&& visit) {
    for (int z = 0; z < block_sites; ++z) {
        for (int y = 0; y < block_sites; ++y) {
            for (int x = 0; x < block_sites; ++x) visit(Index{first[0] + x, first[1] + y, first[2] + z}, z, 8 * y + x);
        }
    }
}

std::vector<TakenSites> take_sites(const Shape& shape, const Lattice& lattice, Real depth) {
    BlockGrid grid;
    grid.size = Real(block_sites) * lattice.step;
    grid.origin = lattice.first - Vec3::Constant(lattice.step / 2);
    for (int axis = 0; axis < 3; ++axis) grid.count[axis] = (lattice.count[axis] + block_sites - 1) / block_sites;
    const std::vector<ShapeBlock> blocks = blocks_within(shape, grid, depth);
    std::vector<TakenSites> taken(blocks.size());
    parallel_for(
        blocks.size(),
        [&](std::size_t b) {
            const Index& i = blocks[b].index;
            taken[b] = {{block_sites * i[0], block_sites * i[1], block_sites * i[2]}, {}};
            for_sites(taken[b].first, [&](const Index& site, int word, int bit) {
                if (!exists(lattice, site)) return;
                const bool is_taken = blocks[b].is_inside || shape.distance(lattice.site(site)) <= -depth;
                taken[b].bits[word] |= std::uint64_t(is_taken) << bit;
            });
        },
        8);
    return taken;
}

}  // namespace

Lattice cubic_lattice(const Box& bounds, Real spacing, Real depth) {
    Lattice lattice;
    lattice.step = spacing;
    for (int axis = 0; axis < 3; ++axis) {
        const Real room = bounds.sizes()[axis] - 2 * depth;
        lattice.count[axis] = room >= 0 ? std::int64_t(room / spacing) + 1 : 0;
        lattice.first[axis] = bounds.center()[axis] - spacing * Real(lattice.count[axis] - 1) / 2;
    }
    return lattice;
}

Lattice body_centred_lattice(const Box& bounds, Real spacing, Real depth) {
    Lattice lattice;
    lattice.is_body_centred = true;
    lattice.step = std::cbrt(2.0) / 2 * spacing;  // two sites in a cell of edge 2 step: (2 step)^3 = 2 spacing^3
    for (int axis = 0; axis < 3; ++axis) {
        const Real room = bounds.sizes()[axis] / 2 - depth;  // on either side of a layer through the middle
        lattice.count[axis] = room >= 0 ? 2 * std::int64_t(room / lattice.step) + 1 : 0;
        lattice.first[axis] = bounds.center()[axis] - lattice.step * Real((lattice.count[axis] - 1) / 2);
    }
    return lattice;
}

std::vector<Vec3> lattice_sites(const Shape& shape, const Lattice& lattice, Real depth) {
    const std::vector<TakenSites> taken = take_sites(shape, lattice, depth);
    std::vector<std::size_t> begin(taken.size() + 1, 0);
    for (std::size_t b = 0; b < taken.size(); ++b) begin[b + 1] = begin[b] + taken[b].count();
    std::vector<Vec3> sites(begin.back());
    parallel_for(
        taken.size(),
        [&](std::size_t b) {
            std::size_t next = begin[b];
            for_sites(taken[b].first, [&](const Index& site, int word, int bit) {
                if (taken[b].bits[word] >> bit & 1) sites[next++] = lattice.site(site);
            });
        },
        8);
    return sites;
}

std::size_t count_lattice_sites(const Shape& shape, const Lattice& lattice, Real depth) {
    std::size_t total = 0;
    for (const TakenSites& block : take_sites(shape, lattice, depth)) total += block.count();
    return total;
}

}  // namespace pliant
