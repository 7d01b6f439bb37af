#include "pliant/methods/mpm/sparse_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "pliant/base/error.h"

namespace pliant {
namespace {

constexpr int most_bits = 19;      // an axis: three and the 6 of a cell fit into 63
constexpr Real farthest = 0x1p29;  // nodes from the origin
constexpr int W = SparseGrid::window_width;
constexpr int cells = 64;  // of a block
constexpr std::size_t few_homes = 64;

std::uint64_t spread(std::uint64_t x) {  // two zero bits between each two
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    x = (x | x << 2) & 0x1249249249249249;
    return x;
}

std::int64_t base_node(Real scaled) {
    return static_cast<std::int64_t>(std::floor(scaled - 0.5));
}

}  // namespace

std::uint64_t SparseGrid::key_of(const std::array<std::int32_t, 3>& at) const {
    return spread(std::uint64_t(at[0] - lowest_[0])) << 2 | spread(std::uint64_t(at[1] - lowest_[1])) << 1 |
           spread(std::uint64_t(at[2] - lowest_[2]));
}

void SparseGrid::build(std::span<const Vec3> positions) {
    find_bounds(positions);
    sort_particles(positions);
    fill_places(positions);
    make_blocks();
    number_nodes();
}

// Blocks from one below the lowest in use: windows only reach upwards, so all keys are of positive numbers.
void SparseGrid::find_bounds(std::span<const Vec3> positions) {
    struct Extent {
        Vec3 low = Vec3::Constant(1e300), high = Vec3::Constant(-1e300);
        std::size_t bad = std::size_t(-1);
    };
    const Real scale = 1 / cell_;
    const Extent extent = parallel_reduce(
        positions.size(), Extent{},
        [&](std::size_t i) {
            const Vec3 x = scale * positions[i];
            const bool is_good = (x.array().abs() < farthest).all();  // false for what is not a number
            return is_good ? Extent{x, x, std::size_t(-1)} : Extent{Vec3::Zero(), Vec3::Zero(), i};
        },
        [](const Extent& a, const Extent& b) {
            return Extent{a.low.cwiseMin(b.low), a.high.cwiseMax(b.high), std::min(a.bad, b.bad)};
        },
        4096);
    if (extent.bad < positions.size()) {
        throw SimulationError(
            fmt::format("particle {} has left the range of the grid: it is lost or too far away", extent.bad));
    }
    std::int64_t widest = 1;
    for (int a = 0; a < 3; ++a) {
        lowest_[a] = base_node(extent.low[a]) >> 2;
        widest = std::max(widest, (base_node(extent.high[a]) >> 2) - lowest_[a] + 2);
    }
    bits_ = std::bit_width(std::uint64_t(widest));
    if (bits_ > most_bits) {
        throw SimulationError(
            fmt::format("the particles are {:.3g} m apart, farther than the grid of {:.3g} m cells can span: some fall "
                        "without end; add a floor, or shorten the simulation",
                        Real(widest) * block_width * cell_, cell_));
    }
}

void SparseGrid::sort_particles(std::span<const Vec3> positions) {
    const std::size_t n = positions.size();
    resize_discarding(entries_, n);
    const Real scale = 1 / cell_;
    parallel_for(
        n,
        [&](std::size_t i) {
            std::array<std::int32_t, 3> at;
            std::uint64_t local = 0;
            for (int a = 0; a < 3; ++a) {
                const std::int64_t b = base_node(scale * positions[i][a]);
                at[a] = static_cast<std::int32_t>(b >> 2);
                local = local << 2 | std::uint64_t(b & 3);
            }
            entries_[i] = {key_of(at) << 6 | local, static_cast<std::uint32_t>(i)};
        },
        4096);
    sort_.sort(entries_, 3 * bits_ + 6);
}

void SparseGrid::fill_places(std::span<const Vec3> positions) {
    homes_.clear();
    occupied_.clear();
    const std::size_t n = entries_.size();
    std::vector<std::uint32_t> start;  // of each home's entries
    std::uint32_t places = 0;
    for (std::size_t i = 0; i < n;) {
        const std::uint64_t key = entries_[i].key >> 6;
        std::size_t j = i;
        std::uint64_t mask = 0;
        for (; j < n && entries_[j].key >> 6 == key; ++j) mask |= std::uint64_t(1) << (entries_[j].key & 63);
        Home home{};
        home.first = places;
        places += static_cast<std::uint32_t>((j - i + 3) / 4 * 4);
        home.last = places;
        homes_.push_back(home);
        occupied_.push_back(mask);
        start.push_back(static_cast<std::uint32_t>(i));
        i = j;
    }
    start.push_back(static_cast<std::uint32_t>(n));
    resize_discarding(particle_, places);
    resize_discarding(place_, places);
    const Real scale = 1 / cell_;
    each_block([&](std::size_t h) {
        Home& home = homes_[h];
        const Vec3& any = positions[entries_[start[h]].index];
        for (int a = 0; a < 3; ++a) home.at[a] = static_cast<std::int32_t>(base_node(scale * any[a]) >> 2);
        const std::uint32_t count = start[h + 1] - start[h];
        for (std::uint32_t k = 0; k < home.last - home.first; ++k) {
            Place& place = place_[home.first + k];
            if (k >= count) {
                particle_[home.first + k] = nobody;
                place = {{1, 1, 1}, 0};
                continue;
            }
            const std::uint32_t p = entries_[start[h] + k].index;
            particle_[home.first + k] = p;
            place.base = 0;
            for (int a = 0; a < 3; ++a) {
                const Real u = scale * positions[p][a];
                const std::int64_t b = base_node(u);
                place.f[a] = u - Real(b);
                place.base = place.base * W + static_cast<std::int32_t>(b & 3);
            }
        }
    });
}

void SparseGrid::make_blocks() {
    blocks_.clear();
    for (const Home& home : homes_) {
        for (int k = 0; k < 8; ++k) {
            const std::array<std::int32_t, 3> at = {home.at[0] + (k >> 2), home.at[1] + (k >> 1 & 1),
                                                    home.at[2] + (k & 1)};
            blocks_.push_back({key_of(at), at});
        }
    }
    std::sort(blocks_.begin(), blocks_.end(), [](const NodeBlock& a, const NodeBlock& b) { return a.key < b.key; });
    blocks_.erase(std::unique(blocks_.begin(), blocks_.end(),
                              [](const NodeBlock& a, const NodeBlock& b) { return a.key == b.key; }),
                  blocks_.end());

    std::array<std::vector<std::uint32_t>, 8> colours;
    for (std::size_t h = 0; h < homes_.size(); ++h) {
        const auto& at = homes_[h].at;
        colours[std::size_t((at[0] & 1) << 2 | (at[1] & 1) << 1 | (at[2] & 1))].push_back(std::uint32_t(h));
    }
    coloured_.clear();
    for (std::size_t c = 0; c < 8; ++c) {
        colour_start_[c] = coloured_.size();
        // The fullest first, so that threads end together; where there are many it does not matter.
        if (colours[c].size() <= few_homes) {
            std::stable_sort(colours[c].begin(), colours[c].end(), [&](std::uint32_t a, std::uint32_t b) {
                return homes_[a].last - homes_[a].first > homes_[b].last - homes_[b].first;
            });
        }
        coloured_.insert(coloured_.end(), colours[c].begin(), colours[c].end());
    }
    colour_start_[8] = coloured_.size();
}

std::uint32_t SparseGrid::find(const std::array<std::int32_t, 3>& at) const {
    const std::uint64_t key = key_of(at);
    const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), key,
                                        [](const NodeBlock& b, std::uint64_t k) { return b.key < k; });
    return static_cast<std::uint32_t>(found - blocks_.begin());
}

// A node exists where one of the 27 base nodes below it has a particle.
void SparseGrid::number_nodes() {
    near_.resize(homes_.size() * 8);
    parallel_for(homes_.size(), [&](std::size_t h) {
        const auto& at = homes_[h].at;
        for (int k = 0; k < 8; ++k) {
            near_[h * 8 + std::size_t(k)] = find({at[0] + (k >> 2), at[1] + (k >> 1 & 1), at[2] + (k & 1)});
        }
    });
    each_block_apart([&](std::size_t h) {  // homes apart share no blocks either
        bool reached[W][W][W] = {};
        for (int c = 0; c < cells; ++c) {
            if (!(occupied_[h] >> c & 1)) continue;
            for (int i = 0; i < 27; ++i) reached[(c >> 4) + i / 9][(c >> 2 & 3) + i / 3 % 3][(c & 3) + i % 3] = true;
        }
        for (int i = 0; i < SparseGrid::window_size; ++i) {
            const int x = i / (W * W), y = i / W % W, z = i % W;
            if (!reached[x][y][z]) continue;
            NodeBlock& block = blocks_[near_[h * 8 + std::size_t((x >> 2) << 2 | (y >> 2) << 1 | (z >> 2))]];
            block.nodes |= std::uint64_t(1) << ((x & 3) << 4 | (y & 3) << 2 | (z & 3));
        }
    });
    std::uint32_t count = 0;
    for (NodeBlock& block : blocks_) {
        block.first = count;
        count += static_cast<std::uint32_t>(std::popcount(block.nodes));
    }
    node_count_ = count;
    resize_discarding(window_node_, homes_.size() * window_size);
    each_block([&](std::size_t h) {
        for (int i = 0; i < window_size; ++i) {
            const int x = i / (W * W), y = i / W % W, z = i % W;
            const NodeBlock& block = blocks_[near_[h * 8 + std::size_t((x >> 2) << 2 | (y >> 2) << 1 | (z >> 2))]];
            const int bit = (x & 3) << 4 | (y & 3) << 2 | (z & 3);
            const std::uint64_t below = block.nodes & ((std::uint64_t(1) << bit) - 1);
            window_node_[h * window_size + std::size_t(i)] =
                block.nodes >> bit & 1 ? block.first + static_cast<std::uint32_t>(std::popcount(below))
                                       : static_cast<std::uint32_t>(node_count_);
        }
    });
}

void SparseGrid::find_views() {
    constexpr int V = view_width;
    resize_discarding(view_node_, blocks_.size() * V * V * V);
    each_node_block([&](std::size_t b) { find_view(b, &view_node_[b * V * V * V]); });
}

void SparseGrid::find_view(std::size_t b, std::uint32_t* view) const {
    constexpr int V = view_width;
    const NodeBlock* near[27];
    for (int k = 0; k < 27; ++k) {
        std::array<std::int32_t, 3> at = blocks_[b].at;
        at[0] += k / 9 - 1, at[1] += k / 3 % 3 - 1, at[2] += k % 3 - 1;
        near[k] = nullptr;
        if (at[0] < lowest_[0] || at[1] < lowest_[1] || at[2] < lowest_[2]) continue;
        const std::uint32_t found = find(at);
        if (found < blocks_.size() && blocks_[found].at == at) near[k] = &blocks_[found];
    }
    for (int i = 0; i < V * V * V; ++i) {
        const int x = i / (V * V) + 2, y = i / V % V + 2, z = i % V + 2;  // from the lowest of the first block
        const NodeBlock* block = near[(x >> 2) * 9 + (y >> 2) * 3 + (z >> 2)];
        const int bit = (x & 3) << 4 | (y & 3) << 2 | (z & 3);
        view[i] = static_cast<std::uint32_t>(node_count_);
        if (block != nullptr && (block->nodes >> bit & 1)) {
            const std::uint64_t below = block->nodes & ((std::uint64_t(1) << bit) - 1);
            view[i] = block->first + static_cast<std::uint32_t>(std::popcount(below));
        }
    }
}

Vec3 SparseGrid::node_position(std::size_t node) const {
    const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), node,
                                        [](std::size_t i, const NodeBlock& b) { return i < b.first; });
    // Blocks without nodes have the number of the next: the last of those with this number or less has it.
    const NodeBlock& block = *std::prev(after);
    std::uint64_t left = block.nodes;
    for (std::size_t k = block.first; k < node; ++k) left &= left - 1;
    const int bit = std::countr_zero(left);
    return cell_ * Vec3(block.at[0] * block_width + (bit >> 4), block.at[1] * block_width + (bit >> 2 & 3),
                        block.at[2] * block_width + (bit & 3));
}

std::vector<std::uint32_t> SparseGrid::order() const {
    std::vector<std::uint32_t> result;
    result.reserve(entries_.size());
    for (const auto& entry : entries_) result.push_back(entry.index);
    return result;
}

void SparseGrid::release_sort() {
    entries_ = RawVector<KeyedIndex<std::uint64_t>>();
    sort_ = RadixSort<std::uint64_t>();
}

std::size_t SparseGrid::bytes() const {
    return entries_.capacity() * sizeof(entries_[0]) + sort_.memory() + particle_.capacity() * sizeof(std::uint32_t) +
           place_.capacity() * sizeof(Place) + homes_.capacity() * sizeof(Home) +
           blocks_.capacity() * sizeof(NodeBlock) +
           (window_node_.capacity() + view_node_.capacity()) * sizeof(std::uint32_t) +
           (near_.capacity() + coloured_.capacity()) * 4;
}

}  // namespace pliant
