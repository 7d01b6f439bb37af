#include "pliant/methods/mpm/light_nodes.h"

#include <Eigen/LU>
#include <algorithm>
#include <bit>

#include "pliant/base/parallel_phases.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

constexpr int V = SparseGrid::view_width;
// Of the matter around the fullest node near by: a sixth is where a node is half a cell outside of a flat surface. With
// a tenth some are left that spoil the matrix, and with a third too few to follow are left at edges.
constexpr float light_share = 0.2f;
constexpr Real least_spread = 0.05;  // of the nodes that are followed, along any axis, squared, in cells
constexpr int furthest = 6;          // of them, squared, in cells
constexpr int most_near = 125;
constexpr std::size_t groups_at_once = 4;

// body(node, others) for the nodes of a block; others(x, y, z) is the node so many nodes away, up to two on each axis.
template <class Body>
void each_node(const SparseGrid& grid, std::size_t block, Body&& body) {
    std::uint32_t view[V * V * V];
    grid.find_view(block, view);
    std::uint32_t node = grid.node_block(block).first;
    for (std::uint64_t left = grid.node_block(block).nodes; left != 0; left &= left - 1, ++node) {
        const int bit = std::countr_zero(left);
        const std::uint32_t* at = view + (((bit >> 4) + 2) * V + (bit >> 2 & 3) + 2) * V + (bit & 3) + 2;
        body(node, [at](int x, int y, int z) { return at[(x * V + y) * V + z]; });
    }
}
template <class Body>
void each_near(Body&& body) {
    for (int i = 0; i < most_near; ++i) body(i / 25 - 2, i / 5 % 5 - 2, i % 5 - 2);
}

// Weights of nodes at d_k, in cells from here, by which a field that is linear there is continued to here: a fit by
// least squares with the nearer ones first.
struct Continuation {
    std::uint32_t node[most_near];
    Vec3 d[most_near];
    Real weight[most_near];
    int count = 0;

    void add(std::uint32_t from, const Vec3& at) {
        node[count] = from;
        d[count] = at;
        weight[count++] = 1 / at.squaredNorm();
    }
    bool solve() {
        Real total = 0;
        Vec3 mean = Vec3::Zero();
        for (int k = 0; k < count; ++k) {
            total += weight[k];
            mean += weight[k] * d[k];
        }
        if (count < 4) return false;
        mean /= total;
        Mat3 spread = Mat3::Zero();
        for (int k = 0; k < count; ++k) spread += weight[k] / total * (d[k] - mean) * (d[k] - mean).transpose();
        const Mat3 inverse = spread.inverse();
        if (!(inverse.norm() < 1 / least_spread)) return false;  // on a plane, or nearly
        const Vec3 slope = inverse * mean;
        for (int k = 0; k < count; ++k) weight[k] *= (1 - (d[k] - mean).dot(slope)) / total;
        return true;
    }
};

// Volume of matter around nodes, of all of it and of what may come apart [m^3].
struct Around {
    float all = 0, loose = 0;
};
std::vector<Around> volume_around(const SparseGrid& grid, const ParticleState& state,
                                  std::span<const std::uint8_t> comes_apart) {
    std::vector<Around> volume(grid.node_count() + 1);
    grid.each_block_apart([&](std::size_t b) {
        SparseGrid::Window window;
        window.fill(NodeVector(0.0));
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; ++k) {
            const std::uint32_t p = grid.particle(k);
            if (p == SparseGrid::nobody) continue;
            const NodeVector none(0.0);
            const SparseGrid::Place& place = grid.place(k);
            const Real all = state.rest_volume[p], loose = comes_apart[state.body[p]] ? all : 0;
            scatter({node_vector(Vec3(all, loose, 0)), none, none, none}, window, place,
                    PlaceWeights(place, grid.cell()));
        }
        grid.each_window_node(b, [&](std::size_t i, std::uint32_t node) {
            volume[node].all += static_cast<float>(window[i][0]);
            volume[node].loose += static_cast<float>(window[i][1]);
        });
    });
    return volume;
}

// Light nodes follow full ones. Those that what may come apart reaches do neither.
enum class Kind : std::uint8_t { full, light, loose };

std::vector<Kind> kinds_of(const SparseGrid& grid, const ParticleState& state,
                           std::span<const std::uint8_t> comes_apart) {
    const std::vector<Around> volume = volume_around(grid, state, comes_apart);
    std::vector<Kind> kinds(volume.size(), Kind::full);
    grid.each_node_block([&](std::size_t b) {
        each_node(grid, b, [&](std::uint32_t node, auto&& other) {
            float fullest = 0;
            each_near([&](int x, int y, int z) { fullest = std::max(fullest, volume[other(x, y, z)].all); });
            const bool is_light = volume[node].all < light_share * fullest;
            kinds[node] = volume[node].loose > 0 ? Kind::loose : is_light ? Kind::light : Kind::full;
        });
    });
    return kinds;
}

}  // namespace

void LightNodes::find(const SparseGrid& grid, const ParticleState& state, std::span<const std::uint32_t> touched,
                      std::span<const std::uint8_t> comes_apart) {
    const auto n = static_cast<std::uint32_t>(grid.node_count());
    const std::vector<Kind> kinds = kinds_of(grid, state, comes_apart);
    std::vector<std::uint8_t> is_touched(n + 1, 0);
    for (const std::uint32_t i : touched) is_touched[i] = 1;
    // body(j, d) for the nodes j, d away, that a light one may follow.
    const auto each_followed = [&](std::uint32_t node, auto&& other, auto&& body) {
        if (kinds[node] != Kind::light || is_touched[node]) return;
        each_near([&](int x, int y, int z) {
            if (x * x + y * y + z * z > furthest) return;
            const std::uint32_t j = other(x, y, z);
            if (j != n && kinds[j] == Kind::full) body(j, Vec3(x, y, z));
        });
    };
    std::vector<Size> sizes(grid.node_block_count());
    grid.each_node_block([&](std::size_t b) {
        each_node(grid, b, [&](std::uint32_t node, auto&& other) {
            std::uint32_t links = 0;
            each_followed(node, other, [&](std::uint32_t, const Vec3&) { ++links; });
            sizes[b].rows += links > 0;
            sizes[b].links += links;
        });
    });
    lay_out(grid, sizes);

    parallel_for(
        groups_.size(),
        [&](std::size_t g) {
            Group& group = groups_[g];
            std::uint32_t link = group.link;
            group.end = group.begin;
            each_node(grid, group.block, [&](std::uint32_t node, auto&& other) {
                Continuation E;
                each_followed(node, other, [&](std::uint32_t j, const Vec3& d) { E.add(j, d); });
                if (!E.solve()) return;
                rows_[group.end++] = {node, link, link + std::uint32_t(E.count)};
                for (int k = 0; k < E.count; ++k, ++link) {
                    followed_[link] = E.node[k];
                    weight_[link] = E.weight[k];
                }
            });
        },
        1);
    for (const Group& group : groups_) count_ += group.end - group.begin;
}

// Room for all that may follow others, block by block.
void LightNodes::lay_out(const SparseGrid& grid, std::span<const Size> sizes) {
    clear();
    Size total;
    for (int colour = 0; colour < 8; ++colour) {
        colour_start_[std::size_t(colour)] = groups_.size();
        for (std::uint32_t b = 0; b < sizes.size(); ++b) {
            const auto& at = grid.node_block(b).at;
            if (sizes[b].rows == 0 || ((at[0] & 1) << 2 | (at[1] & 1) << 1 | (at[2] & 1)) != colour) continue;
            groups_.push_back({b, total.rows, total.rows, total.links});
            total.rows += sizes[b].rows;
            total.links += sizes[b].links;
        }
    }
    colour_start_[8] = groups_.size();
    resize_discarding(rows_, total.rows);
    resize_discarding(followed_, total.links);
    resize_discarding(weight_, total.links);
}

void LightNodes::clear() {
    groups_.clear();
    count_ = 0;
}

template <class Body>
void LightNodes::each_row_apart(Body&& body) const {
    if (empty()) return;
    parallel_phases(colour_start_, [&](std::size_t g) {
        for (std::uint32_t r = groups_[g].begin; r < groups_[g].end; ++r) body(rows_[r]);
    });
}

void LightNodes::follow(std::span<Vec3> velocity) const {
    parallel_for(
        groups_.size(),
        [&](std::size_t g) {
            for (std::uint32_t r = groups_[g].begin; r < groups_[g].end; ++r) {
                Vec3 sum = Vec3::Zero();
                for (std::uint32_t k = rows_[r].begin; k < rows_[r].end; ++k)
                    sum += weight_[k] * velocity[followed_[k]];
                velocity[rows_[r].node] = sum;
            }
        },
        groups_at_once);
}

void LightNodes::reduce(std::span<Vec3> force) const {
    each_row_apart([&](const Row& row) {
        for (std::uint32_t k = row.begin; k < row.end; ++k) force[followed_[k]] += weight_[k] * force[row.node];
        force[row.node].setZero();
    });
}

void LightNodes::add_diagonal(std::span<Vec3> diagonal) const {
    each_row_apart([&](const Row& row) {
        for (std::uint32_t k = row.begin; k < row.end; ++k) {
            diagonal[followed_[k]] += square(weight_[k]) * diagonal[row.node];
        }
    });
}

std::size_t LightNodes::bytes() const {
    return rows_.capacity() * sizeof(Row) + groups_.capacity() * sizeof(Group) +
           followed_.capacity() * sizeof(std::uint32_t) + weight_.capacity() * sizeof(Real);
}

}  // namespace pliant
