// The background grid: blocks of 4 x 4 x 4 nodes wherever there is matter, and the particles sorted into them.
//
// A particle reaches the 27 nodes from its base node on (see GridWeights); it belongs to the block of its base node.
// The particles of a block thus see 6 x 6 x 6 nodes, a window that fits into the nearest cache: loops load it, work
// through the block's particles, and put it back. Blocks whose windows overlap have different colours, so that
// scattering needs no locks and sums come in the same order at any number of threads.
//
// Nodes that no particle reaches do not exist: the others are numbered block by block, and arrays over nodes are dense.
// Particles are given places four by four, so that each pack of four is of one block; places left over hold nobody.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/base/parallel_phases.h"
#include "pliant/geometry/radix_sort.h"
#include "pliant/geometry/raw_vector.h"
#include "pliant/math/simd.h"
#include "pliant/math/types.h"

namespace pliant {

// Three numbers a node, and a fourth for whoever needs it.
using NodeVector = Double4;

class SparseGrid {
public:
    static constexpr int block_width = 4, window_width = block_width + 2;
    static constexpr int window_size = window_width * window_width * window_width;
    static constexpr std::uint32_t nobody = 0xffffffff;

    using Window = std::array<NodeVector, window_size>;

    // Where a particle is: its base node within the block's window, and how far behind it, 1/2 <= f <= 3/2.
    struct Place {
        Real f[3];
        std::int32_t base;
    };

    explicit SparseGrid(Real cell = 1) : cell_(cell) {}
    Real cell() const { return cell_; }

    // Sorts particles into blocks and numbers the nodes they reach. SimulationError, with the particle's number, if one
    // is too far away.
    void build(std::span<const Vec3> positions);

    std::size_t node_count() const { return node_count_; }
    std::size_t place_count() const { return particle_.size(); }
    std::size_t block_count() const { return homes_.size(); }  // with particles
    std::uint32_t particle(std::size_t place) const { return particle_[place]; }
    std::span<const std::uint32_t> particles() const { return particle_; }
    const Place& place(std::size_t k) const { return place_[k]; }
    Vec3 node_position(std::size_t node) const;
    // The order of particles in which they lie in blocks; until what sorted them is released.
    std::vector<std::uint32_t> order() const;
    void release_sort();

    struct Home {
        std::array<std::int32_t, 3> at;  // block's lowest node over 4
        std::uint32_t first, last;       // its places, multiples of 4
    };
    const Home& home(std::size_t block) const { return homes_[block]; }

    // body(block) for every block with particles, in parallel.
    template <class Body>
    void each_block(Body&& body) const {
        parallel_for(homes_.size(), body, 1);
    }
    // As above, such that blocks that run at the same time share no nodes, and that share some run in a fixed order.
    template <class Body>
    void each_block_apart(Body&& body) const {
        parallel_phases(colour_start_, [&](std::size_t i) { body(std::size_t(coloured_[i])); });
    }

    // Arrays over nodes have one entry more than there are nodes: what windows hold where there is none. It is read as
    // zero; loops over blocks never write it, for it would be the one that all threads share.
    void load(std::size_t block, std::span<const Vec3> nodes, Window& window) const {
        const std::uint32_t* index = &window_node_[block * window_size];
        for (std::size_t i = 0; i < window_size; ++i) {
            const Vec3& v = nodes[index[i]];
            window[i] = NodeVector(NodeVector::Vector{v.x(), v.y(), v.z(), 0});
        }
    }
    void add(std::size_t block, const Window& window, std::span<Vec3> nodes) const {
        each_window_node(block, [&](std::size_t i, std::uint32_t node) {
            nodes[node] += Vec3(window[i][0], window[i][1], window[i][2]);
        });
    }
    // body(i, node) for the entries i of a block's window where there is a node.
    template <class Body>
    void each_window_node(std::size_t block, Body&& body) const {
        const std::uint32_t* index = &window_node_[block * window_size];
        for (std::size_t i = 0; i < window_size; ++i) {
            if (index[i] != node_count_) body(i, index[i]);
        }
    }
    std::uint32_t window_node(std::size_t block, std::size_t i) const { return window_node_[block * window_size + i]; }

    // Blocks by the nodes they hold, with or without particles.
    struct NodeBlock {
        std::uint64_t key;
        std::array<std::int32_t, 3> at;
        std::uint64_t nodes = 0;  // which of its 64 exist
        std::uint32_t first = 0;  // number of the first
    };
    std::size_t node_block_count() const { return blocks_.size(); }
    const NodeBlock& node_block(std::size_t b) const { return blocks_[b]; }
    template <class Body>
    void each_node_block(Body&& body) const {
        parallel_for(blocks_.size(), body, 1);
    }
    // What the nodes of a block see up to two nodes away: 8 x 8 x 8 nodes from two below its lowest, as window_node().
    static constexpr int view_width = block_width + 4;
    void find_views();
    void find_view(std::size_t b, std::uint32_t* view) const;  // of one block, which is not kept
    const std::uint32_t* view(std::size_t b) const { return &view_node_[b * view_width * view_width * view_width]; }

    std::size_t bytes() const;

private:
    std::uint32_t find(const std::array<std::int32_t, 3>& at) const;  // index into blocks_, or nobody
    std::uint64_t key_of(const std::array<std::int32_t, 3>& at) const;
    void find_bounds(std::span<const Vec3> positions);
    void sort_particles(std::span<const Vec3> positions);
    void fill_places(std::span<const Vec3> positions);
    void make_blocks();
    void number_nodes();

    Real cell_;
    std::array<std::int64_t, 3> lowest_{};  // block
    int bits_ = 0;                          // an axis
    RawVector<KeyedIndex<std::uint64_t>> entries_;
    RadixSort<std::uint64_t> sort_;
    RawVector<std::uint32_t> particle_;
    RawVector<Place> place_;
    std::vector<Home> homes_;
    std::vector<std::uint64_t> occupied_;  // of each home: which of its 64 base nodes have particles
    std::vector<NodeBlock> blocks_;        // by key
    std::vector<std::uint32_t> near_;      // of each home, 8: the blocks its window reaches into
    std::vector<std::uint32_t> coloured_;
    std::array<std::size_t, 9> colour_start_{};
    RawVector<std::uint32_t> window_node_, view_node_;
    std::size_t node_count_ = 0;
};

}  // namespace pliant
