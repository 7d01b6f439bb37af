#include "pliant/methods/mpm/particle_nodes.h"

#include <algorithm>

#include "pliant/base/parallel.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {

void ParticleNodes::lay(const SparseGrid& grid) {
    home_.resize(grid.place_count());
    grid.each_block([&](std::size_t b) {
        for (std::uint32_t k = grid.home(b).first; k < grid.home(b).last; ++k) {
            const std::uint32_t p = grid.particle(k);
            if (p != SparseGrid::nobody) home_[p] = {std::uint32_t(b), k};
        }
    });
}

void ParticleNodes::choose(const SparseGrid& grid, std::span<const std::uint32_t> particles) {
    constexpr int W = SparseGrid::window_width;
    rows_.resize(particles.size());
    shares_.resize(27 * rows_.size());
    parallel_for(rows_.size(), [&](std::size_t r) {
        const Home& home = home_[particles[r]];
        const SparseGrid::Place& place = grid.place(home.place);
        const PlaceWeights w(place, grid.cell());
        for (int n = 0; n < 27; ++n) {
            const int i = n / 9, j = n / 3 % 3, k = n % 3;
            const std::uint32_t node = grid.window_node(home.block, std::size_t(place.base + (i * W + j) * W + k));
            const Real weight = w.axis[0].weight[i] * w.axis[1].weight[j] * w.axis[2].weight[k];
            rows_[r].node[std::size_t(n)] = node;
            rows_[r].weight[std::size_t(n)] = weight;
            shares_[27 * r + std::size_t(n)] = {node, std::uint32_t(r), weight};
        }
    });
    std::sort(shares_.begin(), shares_.end(),
              [](const Share& a, const Share& b) { return std::pair(a.node, a.row) < std::pair(b.node, b.row); });
    begin_.clear();
    for (std::uint32_t s = 0; s < shares_.size(); ++s) {
        if (s == 0 || shares_[s].node != shares_[s - 1].node) begin_.push_back(s);
    }
    begin_.push_back(std::uint32_t(shares_.size()));
}

void ParticleNodes::gather(std::span<const Vec3> nodes, std::span<Vec3> values) const {
    parallel_for(rows_.size(), [&](std::size_t r) {
        const Row& row = rows_[r];
        Vec3 sum = Vec3::Zero();
        for (std::size_t n = 0; n < 27; ++n) sum += row.weight[n] * nodes[row.node[n]];
        values[r] = sum;
    });
}

// give(node, sum over its particles of weight(w) f)
template <class Weight, class Give>
void ParticleNodes::each_node(std::span<const Vec3> values, Weight&& weight, Give&& give) const {
    parallel_for(begin_.size() - 1, [&](std::size_t k) {
        Vec3 sum = Vec3::Zero();
        for (std::uint32_t s = begin_[k]; s < begin_[k + 1]; ++s)
            sum += weight(shares_[s].weight) * values[shares_[s].row];
        give(shares_[begin_[k]].node, sum);
    });
}

void ParticleNodes::scatter(std::span<const Vec3> values, std::span<Vec3> nodes) const {
    each_node(
        values, [](Real w) { return w; }, [&](std::uint32_t i, const Vec3& f) { nodes[i] += f; });
}

void ParticleNodes::scatter_squares(std::span<const Vec3> values, std::span<Vec3> nodes) const {
    each_node(
        values, [](Real w) { return w * w; }, [&](std::uint32_t i, const Vec3& f) { nodes[i] += f; });
}

void ParticleNodes::push(std::span<const Vec3> impulses, std::span<const Real> mass, std::span<Vec3> velocity) const {
    each_node(
        impulses, [](Real w) { return w; },
        [&](std::uint32_t i, const Vec3& J) {
            if (mass[i] > 0) velocity[i] += J / mass[i];
        });
}

std::size_t ParticleNodes::bytes() const {
    return home_.capacity() * sizeof(Home) + rows_.capacity() * sizeof(Row) + shares_.capacity() * sizeof(Share) +
           begin_.capacity() * sizeof(std::uint32_t);
}

}  // namespace pliant
