#include "pliant/methods/mpm/node_matrix.h"

#include <algorithm>

#include "pliant/base/parallel.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

constexpr int W = SparseGrid::window_width;
constexpr std::size_t padded = 32;  // 27 nodes, in packs of 8

// What the particles of one cell have in common: the entries between its 27 nodes, the upper half of them.
struct CellMatrix {
    alignas(32) float entry[27][padded];

    void clear() { std::fill_n(&entry[0][0], 27 * padded, 0.0f); }

    void add(const PlaceWeights& w, const NodeMatrix::Symmetric& S) {
        alignas(32) float q[3][padded] = {}, r[3][padded];
        for (int i = 0; i < 27; ++i) {
            const auto& [x, y, z] = w.axis;
            const int a = i / 9, b = i / 3 % 3, c = i % 3;
            q[0][i] = static_cast<float>(x.moment[a] * y.weight[b] * z.weight[c]);
            q[1][i] = static_cast<float>(x.weight[a] * y.moment[b] * z.weight[c]);
            q[2][i] = static_cast<float>(x.weight[a] * y.weight[b] * z.moment[c]);
        }
        const float* s = S.number;
        for (std::size_t k = 0; k < padded; k += 8) {
            using namespace simd;
            const auto x = load_aligned<Float8>(&q[0][k]), y = load_aligned<Float8>(&q[1][k]),
                       z = load_aligned<Float8>(&q[2][k]);
            store_aligned(&r[0][k], fma(z, Float8(s[4]), fma(y, Float8(s[3]), x * Float8(s[0]))));
            store_aligned(&r[1][k], fma(z, Float8(s[5]), fma(y, Float8(s[1]), x * Float8(s[3]))));
            store_aligned(&r[2][k], fma(z, Float8(s[2]), fma(y, Float8(s[5]), x * Float8(s[4]))));
        }
        for (std::size_t i = 0; i < 27; ++i) {
            using namespace simd;
            const Float8 x(q[0][i]), y(q[1][i]), z(q[2][i]);
            for (std::size_t k = i / 8 * 8; k < padded; k += 8) {
                const Float8 sum = fma(x, load_aligned<Float8>(&r[0][k]),
                                       fma(y, load_aligned<Float8>(&r[1][k]),
                                           fma(z, load_aligned<Float8>(&r[2][k]), load_aligned<Float8>(&entry[i][k]))));
                store_aligned(&entry[i][k], sum);
            }
        }
    }
};

constexpr std::size_t offset_of(int i, int j) {  // of node j in the row of node i, both of a cell's 27
    const int x = j / 9 - i / 9 + 2, y = j / 3 % 3 - i / 3 % 3 + 2, z = j % 3 - i % 3 + 2;
    return static_cast<std::size_t>((x * 5 + y) * 5 + z);
}

constexpr auto offsets = [] {
    std::array<std::array<std::uint8_t, 27>, 27> table{};
    for (int i = 0; i < 27; ++i) {
        for (int j = 0; j < 27; ++j) table[std::size_t(i)][std::size_t(j)] = std::uint8_t(offset_of(i, j));
    }
    return table;
}();

}  // namespace

void NodeMatrix::assemble(const SparseGrid& grid, std::span<const Real> mass, std::span<const Symmetric> S) {
    const std::size_t n = grid.node_count();
    resize_discarding(rows_, n * row_size);
    parallel_for(n, [&](std::size_t i) {
        std::fill_n(&rows_[i * row_size], row_size, 0.0f);
        rows_[i * row_size + row_size / 2] = static_cast<float>(mass[i]);
    });
    grid.each_block_apart([&](std::size_t b) {
        CellMatrix cell;
        const auto& home = grid.home(b);
        for (std::size_t k = home.first; k < home.last;) {
            const std::int32_t base = grid.place(k).base;
            cell.clear();
            for (; k < home.last && (grid.place(k).base == base || grid.particle(k) == SparseGrid::nobody); ++k) {
                if (grid.particle(k) == SparseGrid::nobody) continue;
                cell.add(PlaceWeights(grid.place(k), grid.cell()), S[k]);
            }
            for (int i = 0; i < 27; ++i) {
                const auto node = [&](int e) {
                    return grid.window_node(b, std::size_t(base + (e / 9 * W + e / 3 % 3) * W + e % 3));
                };
                float* row = &rows_[node(i) * row_size];
                for (int j = 0; j < 27; ++j) {
                    row[offsets[std::size_t(i)][std::size_t(j)]] += cell.entry[std::min(i, j)][std::max(i, j)];
                }
            }
        }
    });
}

void NodeMatrix::multiply(const SparseGrid& grid, std::span<const Vec3> x, std::span<Vec3> result) const {
    typedef float Quarter __attribute__((vector_size(16)));
    constexpr int V = SparseGrid::view_width;
    grid.each_node_block([&](std::size_t b) {
        alignas(32) Quarter view[V * V * V];
        const std::uint32_t* index = grid.view(b);
        for (int i = 0; i < V * V * V; ++i) {
            const Vec3& v = x[index[i]];
            view[i] = Quarter{float(v.x()), float(v.y()), float(v.z()), 0};
        }
        std::uint32_t node = grid.node_block(b).first;
        for (std::uint64_t left = grid.node_block(b).nodes; left != 0; left &= left - 1, ++node) {
            const int bit = std::countr_zero(left);
            const int lowest = ((bit >> 4) * V + (bit >> 2 & 3)) * V + (bit & 3);
            const float* row = &rows_[node * row_size];
            Quarter sum[5] = {};
            for (int i = 0; i < 5; ++i) {
                for (int j = 0; j < 5; ++j) {
                    const Quarter* v = &view[lowest + (i * V + j) * V];
                    for (int k = 0; k < 5; ++k, ++row) {
                        const Quarter a = {*row, *row, *row, *row};
                        sum[k] += a * v[k];
                    }
                }
            }
            const Quarter total = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + sum[4];
            result[node] = Vec3(total[0], total[1], total[2]);
        }
    });
    result[grid.node_count()].setZero();
}

}  // namespace pliant
