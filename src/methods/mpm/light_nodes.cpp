#include "pliant/methods/mpm/light_nodes.h"

#include <Eigen/LU>
#include <algorithm>
#include <bit>

#include "pliant/base/parallel.h"
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

// body(block, node, others) for all nodes; others(x, y, z) is the node so many nodes away, up to two on each axis.
template <class Body>
void each_node(const SparseGrid& grid, Body&& body) {
    grid.each_node_block([&](std::size_t b) {
        std::uint32_t view[V * V * V];
        grid.find_view(b, view);
        std::uint32_t node = grid.node_block(b).first;
        for (std::uint64_t left = grid.node_block(b).nodes; left != 0; left &= left - 1, ++node) {
            const int bit = std::countr_zero(left);
            const std::uint32_t* at = view + (((bit >> 4) + 2) * V + (bit >> 2 & 3) + 2) * V + (bit & 3) + 2;
            body(b, node, [at](int x, int y, int z) { return at[(x * V + y) * V + z]; });
        }
    });
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

// Volume of matter around nodes [m^3].
std::vector<float> volume_around(const SparseGrid& grid, const ParticleState& state) {
    std::vector<float> volume(grid.node_count() + 1, 0);
    grid.each_block_apart([&](std::size_t b) {
        SparseGrid::Window window;
        window.fill(NodeVector(0.0));
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; ++k) {
            const std::uint32_t p = grid.particle(k);
            if (p == SparseGrid::nobody) continue;
            const NodeVector none(0.0);
            const SparseGrid::Place& place = grid.place(k);
            scatter({NodeVector(state.rest_volume[p]), none, none, none}, window, place,
                    PlaceWeights(place, grid.cell()));
        }
        for (std::size_t i = 0; i < SparseGrid::window_size; ++i) {
            volume[grid.window_node(b, i)] += static_cast<float>(window[i][0]);
        }
    });
    volume.back() = 0;
    return volume;
}

std::vector<std::uint8_t> light_ones(const SparseGrid& grid, const ParticleState& state) {
    const std::vector<float> volume = volume_around(grid, state);
    std::vector<std::uint8_t> is_light(volume.size(), 0);
    each_node(grid, [&](std::size_t, std::uint32_t node, auto&& other) {
        float fullest = 0;
        each_near([&](int x, int y, int z) { fullest = std::max(fullest, volume[other(x, y, z)]); });
        is_light[node] = volume[node] < light_share * fullest;
    });
    return is_light;
}

}  // namespace

void LightNodes::find(const SparseGrid& grid, const ParticleState& state, std::span<const std::uint32_t> touched) {
    const auto n = static_cast<std::uint32_t>(grid.node_count());
    const std::vector<std::uint8_t> is_light = light_ones(grid, state);
    std::vector<std::uint8_t> is_touched(n + 1, 0);
    for (const std::uint32_t i : touched) is_touched[i] = 1;
    struct Found {
        std::vector<Row> rows;
        std::vector<Link> links;
    };
    std::vector<Found> found(grid.node_block_count());
    each_node(grid, [&](std::size_t b, std::uint32_t node, auto&& other) {
        if (!is_light[node] || is_touched[node]) return;
        Continuation E;
        each_near([&](int x, int y, int z) {
            const std::uint32_t j = other(x, y, z);
            if (j != n && !is_light[j] && x * x + y * y + z * z <= furthest) E.add(j, Vec3(x, y, z));
        });
        if (!E.solve()) return;
        auto& [rows, links] = found[b];
        const auto begin = static_cast<std::uint32_t>(links.size());
        for (int k = 0; k < E.count; ++k) links.push_back({E.node[k], E.weight[k]});
        rows.push_back({node, begin, static_cast<std::uint32_t>(links.size())});
    });
    light_.clear();
    followed_.clear();
    for (const Found& f : found) {
        const auto first = static_cast<std::uint32_t>(followed_.size());
        for (const Row& row : f.rows) light_.push_back({row.node, row.begin + first, row.end + first});
        followed_.insert(followed_.end(), f.links.begin(), f.links.end());
    }
}

void LightNodes::follow(std::span<Vec3> velocity) const {
    parallel_for(light_.size(), [&](std::size_t r) {
        Vec3 sum = Vec3::Zero();
        for (std::uint32_t k = light_[r].begin; k < light_[r].end; ++k) {
            sum += followed_[k].weight * velocity[followed_[k].node];
        }
        velocity[light_[r].node] = sum;
    });
}

// One after the other: they are few, and follow the same ones.
void LightNodes::reduce(std::span<Vec3> force) const {
    for (const Row& row : light_) {
        for (std::uint32_t k = row.begin; k < row.end; ++k) {
            force[followed_[k].node] += followed_[k].weight * force[row.node];
        }
        force[row.node].setZero();
    }
}

void LightNodes::add_diagonal(std::span<Vec3> diagonal) const {
    for (const Row& row : light_) {
        for (std::uint32_t k = row.begin; k < row.end; ++k) {
            diagonal[followed_[k].node] += square(followed_[k].weight) * diagonal[row.node];
        }
    }
}

std::size_t LightNodes::bytes() const {
    return light_.capacity() * sizeof(Row) + followed_.capacity() * sizeof(Link);
}

}  // namespace pliant
