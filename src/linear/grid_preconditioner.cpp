#include "pliant/linear/grid_preconditioner.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real least_stiffness = 1e-8;  // of the largest diagonal entry, for nodes that hardly any point touches
constexpr std::size_t cells_a_block = 8;

constexpr int pair_index(int a, int b) {  // a <= b
    return a * 8 - a * (a - 1) / 2 + (b - a);
}

// Trilinear weights of the corners of a cell, and their gradients with respect to u.
template <class T>
void weights(const T* u, T* N) {
    const T x[2] = {T(1) - u[0], u[0]}, y[2] = {T(1) - u[1], u[1]}, z[2] = {T(1) - u[2], u[2]};
    for (int c = 0; c < 8; ++c) N[c] = x[c & 1] * y[c >> 1 & 1] * z[c >> 2];
}
void gradients(const Double4* u, Double4 (*G)[3]) {
    const Double4 one(1);
    const Double4 x[2] = {one - u[0], u[0]}, y[2] = {one - u[1], u[1]}, z[2] = {one - u[2], u[2]};
    for (int c = 0; c < 8; ++c) {
        const int i = c & 1, j = c >> 1 & 1, k = c >> 2;
        const Double4 yz = y[j] * z[k], xz = x[i] * z[k], xy = x[i] * y[j];
        G[c][0] = i ? yz : -yz;
        G[c][1] = j ? xz : -xz;
        G[c][2] = k ? xy : -xy;
    }
}

}  // namespace

void GridPreconditioner::set_points(std::span<const Vec3> rest, std::span<const PointGroup> groups) {
    cells_.clear();
    points_.clear();
    place_.clear();
    points_.reserve(rest.size());
    for (const PointGroup& group : groups) {
        if (group.last > group.first) add_group(rest, group);
    }
    cell_of_.resize(rest.size());
    slot_of_.resize(rest.size());
    for (std::uint32_t c = 0; c < cells_.size(); ++c) {
        for (std::uint32_t k = cells_[c].begin; k < cells_[c].end; ++k) {
            cell_of_[points_[k].point] = c;
            slot_of_[points_[k].point] = k;
        }
    }
    find_pattern({});
    cell_blocks_.resize(cells_.size());
    partial_.resize(cells_.size());
    coarse_right_.resize(place_.size());
    coarse_.resize(place_.size());
    inverse_diagonal_.resize(rest.size());
}

// Only cells that hold points exist. The grid lies so that both ends of the group stick out alike.
void GridPreconditioner::add_group(std::span<const Vec3> rest, const PointGroup& group) {
    Box box;
    for (std::size_t i = group.first; i < group.last; ++i) box.extend(rest[i]);
    const Eigen::Array3d span = box.sizes().array() / group.cell;
    const Eigen::Array3d count = (span + 1e-6).ceil().max(1);
    const Vec3 origin = box.min() - Vec3((count - span) / 2 * group.cell);
    const auto nx = std::uint64_t(count.x()), ny = std::uint64_t(count.y());

    std::vector<std::pair<std::uint64_t, std::uint32_t>> keyed;
    keyed.reserve(group.last - group.first);
    const auto cell_at = [&](std::size_t i) -> Eigen::Array3d {
        return ((rest[i] - origin).array() / group.cell).floor().max(0).min(count - 1);
    };
    for (std::size_t i = group.first; i < group.last; ++i) {
        const Eigen::Array3d c = cell_at(i);
        keyed.emplace_back(std::uint64_t(c.x()) + nx * (std::uint64_t(c.y()) + ny * std::uint64_t(c.z())), i);
    }
    std::sort(keyed.begin(), keyed.end());

    std::vector<std::pair<std::uint64_t, std::array<std::uint32_t, 2>>> node_keys;  // cell and corner of each
    for (std::size_t k = 0; k < keyed.size(); ++k) {
        const auto [key, i] = keyed[k];
        if (k == 0 || keyed[k - 1].first != key) {
            const auto at = static_cast<std::uint32_t>(points_.size());
            cells_.push_back({at, at, {}, group.cell});
            const std::uint64_t x = key % nx, y = key / nx % ny, z = key / nx / ny;
            for (std::uint32_t c = 0; c < 8; ++c) {
                const std::uint64_t node = x + (c & 1) + (nx + 1) * (y + (c >> 1 & 1) + (ny + 1) * (z + (c >> 2)));
                node_keys.push_back({node, {static_cast<std::uint32_t>(cells_.size() - 1), c}});
            }
        }
        const Eigen::Array3d u = (rest[i] - origin).array() / group.cell - cell_at(i);
        points_.push_back({i, {float(u.x()), float(u.y()), float(u.z())}});
        cells_.back().end = static_cast<std::uint32_t>(points_.size());
    }
    std::sort(node_keys.begin(), node_keys.end());
    for (std::size_t k = 0; k < node_keys.size(); ++k) {
        const std::uint64_t node = node_keys[k].first;
        if (k == 0 || node_keys[k - 1].first != node) {
            const std::uint64_t x = node % (nx + 1), y = node / (nx + 1) % (ny + 1), z = node / (nx + 1) / (ny + 1);
            place_.push_back(origin + group.cell * Vec3(Real(x), Real(y), Real(z)));
        }
        const auto [cell, corner] = node_keys[k].second;
        cells_[cell].node[corner] = static_cast<std::uint32_t>(place_.size() - 1);
    }
}

void GridPreconditioner::find_pattern(std::vector<CellPair> coupled) {
    coupled_ = std::move(coupled);
    const std::size_t nodes = place_.size();
    std::vector<std::vector<std::uint32_t>> rows(nodes);
    std::vector<std::vector<CornerOfCell>> corners(nodes);
    for (std::uint32_t c = 0; c < cells_.size(); ++c) {
        for (std::uint32_t a = 0; a < 8; ++a) {
            corners[cells_[c].node[a]].push_back({c, a});
            for (std::uint32_t b = 0; b < 8; ++b) {
                if (cells_[c].node[b] >= cells_[c].node[a]) rows[cells_[c].node[a]].push_back(cells_[c].node[b]);
            }
        }
    }
    for (const auto& [c, d] : coupled_) {
        for (const std::uint32_t a : cells_[c].node) {
            for (const std::uint32_t b : cells_[d].node) rows[std::min(a, b)].push_back(std::max(a, b));
        }
    }
    pattern_.begin.assign(1, 0);
    pattern_.row.clear();
    corner_begin_.assign(1, 0);
    corners_.clear();
    for (std::size_t n = 0; n < nodes; ++n) {
        std::sort(rows[n].begin(), rows[n].end());
        rows[n].erase(std::unique(rows[n].begin(), rows[n].end()), rows[n].end());
        pattern_.row.insert(pattern_.row.end(), rows[n].begin(), rows[n].end());
        pattern_.begin.push_back(static_cast<std::uint32_t>(pattern_.row.size()));
        corners_.insert(corners_.end(), corners[n].begin(), corners[n].end());
        corner_begin_.push_back(static_cast<std::uint32_t>(corners_.size()));
    }
    blocks_.resize(pattern_.row.size());
    block_of_.clear();
    swapped_.clear();
    for (const Cell& cell : cells_) {
        for (int a = 0; a < 8; ++a) {
            for (int b = a; b < 8; ++b) {
                const std::uint32_t column = std::min(cell.node[a], cell.node[b]);
                const std::uint32_t row = std::max(cell.node[a], cell.node[b]);
                block_of_.push_back(pattern_.at(row, column));
                swapped_.push_back(row == cell.node[b] && row != column);  // the block kept is (b, a)
            }
        }
    }
    cholesky_.analyse(pattern_, place_);
}

void GridPreconditioner::weights_of(std::size_t point, Real* N) const {
    const CellPoint& p = points_[slot_of_[point]];
    const Real u[3] = {p.u[0], p.u[1], p.u[2]};
    weights(u, N);
}

// Four points at a time. With r_a scaled by sqrt(mu), O_ab = sum r_a r_b^T gives the cell's block
//     tr(O) 1 + O^T + (lambda / mu) O + sum m N_a N_b 1.
void GridPreconditioner::assemble_cell(std::size_t c, CellBlocks& blocks) const {
    const PointSystem& system = system_;
    const Cell& cell = cells_[c];
    Double4 O[36][9], M[36];
    for (auto& o : O) std::fill(std::begin(o), std::end(o), Double4(0));
    std::fill(std::begin(M), std::end(M), Double4(0));
    Real mu = 0, lambda = 0;
    for (std::uint32_t k = cell.begin; k < cell.end; k += 4) {
        const std::uint32_t lanes = std::min(4u, cell.end - k);
        Real u[3][4] = {}, mass[4] = {}, turn[9][4] = {};
        for (std::uint32_t l = 0; l < lanes; ++l) {
            const CellPoint& p = points_[k + l];
            for (int d = 0; d < 3; ++d) u[d][l] = p.u[d];
            mass[l] = system.mass[p.point];
            const Real scale = std::sqrt(system.mu[p.point]) / cell.size;
            for (int e = 0; e < 9; ++e) turn[e][l] = scale * system.turn[p.point].data()[e];
            mu += system.mu[p.point];
            lambda += system.lambda[p.point];
        }
        Double4 at[3], T[9], N[8], G[8][3], r[8][3];
        for (int d = 0; d < 3; ++d) at[d] = simd::load<Double4>(u[d]);
        for (int e = 0; e < 9; ++e) T[e] = simd::load<Double4>(turn[e]);
        const Double4 m = simd::load<Double4>(mass);
        weights(at, N);
        gradients(at, G);
        for (int a = 0; a < 8; ++a) {
            for (int d = 0; d < 3; ++d) {
                r[a][d] = simd::fma(T[d], G[a][0], simd::fma(T[3 + d], G[a][1], T[6 + d] * G[a][2]));
            }
        }
        for (int a = 0, pair = 0; a < 8; ++a) {
            for (int b = a; b < 8; ++b, ++pair) {
                M[pair] = simd::fma(m, N[a] * N[b], M[pair]);
                for (int d = 0; d < 3; ++d) {
                    for (int e = 0; e < 3; ++e) O[pair][3 * e + d] = simd::fma(r[a][d], r[b][e], O[pair][3 * e + d]);
                }
            }
        }
    }
    const Real ratio = mu > 0 ? lambda / mu : 0;
    for (int pair = 0; pair < 36; ++pair) {
        Mat3 o;
        for (int e = 0; e < 9; ++e) o.data()[e] = simd::sum(O[pair][e]);
        blocks[std::size_t(pair)] = (o.trace() + simd::sum(M[pair])) * Mat3::Identity() + o.transpose() + ratio * o;
    }
}

void GridPreconditioner::add_held(std::span<const HeldPoint> held) {
    for (const HeldPoint& h : held) {
        const std::size_t c = cell_of_[h.point];
        Real N[8];
        weights_of(h.point, N);
        for (int a = 0; a < 8; ++a) {
            for (int b = a; b < 8; ++b) {
                const std::size_t k = 36 * c + std::size_t(pair_index(a, b));
                blocks_[block_of_[k]] += N[a] * N[b] * (system_.diagonal[h.point].trace() / 3 * h.held + h.drag);
            }
        }
    }
}

// (N_a(i) - N_a(j)) (N_b(i) - N_b(j)) B over the corners of both cells.
void GridPreconditioner::add_pairs(std::span<const PointPair> pairs) {
    for (const PointPair& p : pairs) {
        const Cell& ci = cells_[cell_of_[p.i]];
        const Cell& cj = cells_[cell_of_[p.j]];
        Real N[16];
        std::uint32_t node[16];
        weights_of(p.i, N);
        weights_of(p.j, N + 8);
        for (int a = 0; a < 8; ++a) {
            node[a] = ci.node[a];
            node[8 + a] = cj.node[a];
            N[8 + a] = -N[8 + a];
        }
        for (int a = 0; a < 16; ++a) {
            for (int b = 0; b < 16; ++b) {
                if (node[b] > node[a] || (node[a] == node[b] && b > a)) continue;
                const Real scale = (node[a] == node[b] && a != b) ? 2 : 1;  // both orders fall on the diagonal
                blocks_[pattern_.at(node[a], node[b])] += scale * N[a] * N[b] * p.coupling;
            }
        }
    }
}

void GridPreconditioner::set_system(const PointSystem& system) {
    system_ = system;
    keeps_room_ = false;
    parallel_for(
        cells_.size(), [&](std::size_t c) { assemble_cell(c, cell_blocks_[c]); }, cells_a_block);
}

void GridPreconditioner::factor(std::span<const HeldPoint> held, std::span<const PointPair> pairs) {
    std::vector<CellPair> coupled;
    for (const PointPair& p : pairs) {
        const auto [low, high] = std::minmax(cell_of_[p.i], cell_of_[p.j]);
        if (low != high) coupled.emplace_back(low, high);
    }
    std::sort(coupled.begin(), coupled.end());
    coupled.erase(std::unique(coupled.begin(), coupled.end()), coupled.end());
    const bool has_room = keeps_room_ ? std::includes(coupled_.begin(), coupled_.end(), coupled.begin(), coupled.end())
                                      : coupled == coupled_;
    if (!has_room) find_pattern(std::move(coupled));
    keeps_room_ = true;
    std::copy(system_.diagonal.begin(), system_.diagonal.end(), inverse_diagonal_.begin());
    for (const PointPair& p : pairs) {
        inverse_diagonal_[p.i] += p.coupling;
        inverse_diagonal_[p.j] += p.coupling;
    }
    for (const HeldPoint& h : held) inverse_diagonal_[h.point] += h.drag;
    parallel_for(inverse_diagonal_.size(), [&](std::size_t i) {
        const Mat3 inverse = inverse_diagonal_[i].inverse();
        inverse_diagonal_[i] = inverse;
    });
    for (Mat3& block : blocks_) block.setZero();
    for (std::size_t c = 0; c < cells_.size(); ++c) {
        for (std::size_t k = 0; k < 36; ++k) {
            Mat3& block = blocks_[block_of_[36 * c + k]];
            if (swapped_[36 * c + k]) {
                block += cell_blocks_[c][k].transpose();
            } else {
                block += cell_blocks_[c][k];
            }
        }
    }
    add_held(held);
    add_pairs(pairs);
    Real largest = 0;
    for (std::size_t n = 0; n < place_.size(); ++n) {
        largest = std::max(largest, blocks_[pattern_.begin[n]].diagonal().maxCoeff());
    }
    for (std::size_t n = 0; n < place_.size(); ++n) {
        blocks_[pattern_.begin[n]].diagonal().array() += least_stiffness * largest;
    }
    has_coarse_ = !place_.empty() && cholesky_.factor(blocks_);
}

void GridPreconditioner::operator()(std::span<const Vec3> r, std::span<Vec3> z) {
    if (!has_coarse_) {
        parallel_for(r.size(), [&](std::size_t i) { z[i] = inverse_diagonal_[i] * r[i]; });
        return;
    }
    parallel_for(
        cells_.size(),
        [&](std::size_t c) {
            auto& sum = partial_[c];
            sum.fill(Vec3::Zero());
            for (std::uint32_t k = cells_[c].begin; k < cells_[c].end; ++k) {
                Real N[8];
                const CellPoint& p = points_[k];
                const Real u[3] = {p.u[0], p.u[1], p.u[2]};
                weights(u, N);
                for (std::size_t a = 0; a < 8; ++a) sum[a] += N[a] * r[p.point];
            }
        },
        cells_a_block);
    parallel_for(place_.size(), [&](std::size_t n) {
        Vec3 sum = Vec3::Zero();
        for (std::uint32_t k = corner_begin_[n]; k < corner_begin_[n + 1]; ++k) {
            sum += partial_[corners_[k].cell][corners_[k].corner];
        }
        coarse_right_[n] = sum;
    });
    cholesky_.solve(coarse_right_, coarse_);
    parallel_for(
        cells_.size(),
        [&](std::size_t c) {
            for (std::uint32_t k = cells_[c].begin; k < cells_[c].end; ++k) {
                Real N[8];
                const CellPoint& p = points_[k];
                const Real u[3] = {p.u[0], p.u[1], p.u[2]};
                weights(u, N);
                Vec3 value = inverse_diagonal_[p.point] * r[p.point];
                for (std::size_t a = 0; a < 8; ++a) value += N[a] * coarse_[cells_[c].node[a]];
                z[p.point] = value;
            }
        },
        cells_a_block);
}

std::size_t GridPreconditioner::bytes() const {
    return cholesky_.bytes() + cells_.capacity() * (sizeof(Cell) + sizeof(CellBlocks) + 36 * 5 + 192) +
           points_.capacity() * sizeof(CellPoint) + inverse_diagonal_.capacity() * (sizeof(Mat3) + 8) +
           blocks_.capacity() * (sizeof(Mat3) + 4) + place_.capacity() * 3 * sizeof(Vec3);
}

}  // namespace pliant
