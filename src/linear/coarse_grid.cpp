#include "pliant/linear/coarse_grid.h"

#include <algorithm>
#include <tuple>

namespace pliant {
namespace {

constexpr Real least_stiffness = 1e-8;  // of the largest diagonal entry, for nodes that hardly any point touches

constexpr int pair_index(int a, int b) {  // a <= b
    return a * 8 - a * (a - 1) / 2 + (b - a);
}

// Of the trilinear weights with respect to u.
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

void CoarseGrid::clear() {
    cells_.clear();
    points_.clear();
    place_.clear();
}

void CoarseGrid::add_cells(std::span<const Place> places, const Vec3& origin, Real size) {
    struct Corner {
        Place at;
        std::uint32_t cell, corner;
    };
    std::vector<Corner> corners;
    corners.reserve(8 * places.size());
    for (const Place& at : places) {
        const auto cell = static_cast<std::uint32_t>(cells_.size());
        cells_.push_back({0, 0, {}, size});
        for (int c = 0; c < 8; ++c) {
            corners.push_back(
                {{at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2)}, cell, static_cast<std::uint32_t>(c)});
        }
    }
    const auto key = [](const Corner& c) { return std::tuple(c.at[2], c.at[1], c.at[0], c.cell, c.corner); };
    std::sort(corners.begin(), corners.end(), [&](const Corner& a, const Corner& b) { return key(a) < key(b); });
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const auto& [at, cell, corner] = corners[k];
        if (k == 0 || corners[k - 1].at != at) {
            place_.push_back(origin + size * Vec3(Real(at[0]), Real(at[1]), Real(at[2])));
        }
        cells_[cell].node[corner] = static_cast<std::uint32_t>(place_.size() - 1);
    }
}

void CoarseGrid::find_pattern(std::vector<CellPair> coupled) {
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
    partial_.resize(cells_.size());
    coarse_right_.resize(nodes);
    coarse_.resize(nodes);
}

void CoarseGrid::index_points(std::size_t count) {
    cell_of_.resize(count);
    slot_of_.resize(count);
    parallel_for(
        cells_.size(),
        [&](std::size_t c) {
            for (std::uint32_t k = cells_[c].begin; k < cells_[c].end; ++k) {
                cell_of_[points_[k].point] = static_cast<std::uint32_t>(c);
                slot_of_[points_[k].point] = k;
            }
        },
        cells_a_block);
}

void CoarseGrid::clear_matrix() {
    for (Mat3& block : blocks_) block.setZero();
}

void CoarseGrid::add_cell(std::size_t c, const CellBlocks& cell_blocks) {
    for (std::size_t k = 0; k < 36; ++k) {
        Mat3& block = blocks_[block_of_[36 * c + k]];
        if (swapped_[36 * c + k]) {
            block += cell_blocks[k].transpose();
        } else {
            block += cell_blocks[k];
        }
    }
}

void CoarseGrid::add_at(std::uint32_t point, const Mat3& block) {
    const std::size_t c = cell_of_[point];
    Real N[8];
    weights_at(points_[slot_of_[point]], N);
    for (int a = 0; a < 8; ++a) {
        for (int b = a; b < 8; ++b) {
            blocks_[block_of_[36 * c + std::size_t(pair_index(a, b))]] += N[a] * N[b] * block;
        }
    }
}

// (N_a(i) - N_a(j)) (N_b(i) - N_b(j)) B over the corners of both cells.
void CoarseGrid::add_between(const PointPair& p) {
    const Cell& ci = cells_[cell_of_[p.i]];
    const Cell& cj = cells_[cell_of_[p.j]];
    Real N[16];
    std::uint32_t node[16];
    weights_at(points_[slot_of_[p.i]], N);
    weights_at(points_[slot_of_[p.j]], N + 8);
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

bool CoarseGrid::factor() {
    Real largest = 0;
    for (std::size_t n = 0; n < place_.size(); ++n) {
        largest = std::max(largest, blocks_[pattern_.begin[n]].diagonal().maxCoeff());
    }
    for (std::size_t n = 0; n < place_.size(); ++n) {
        blocks_[pattern_.begin[n]].diagonal().array() += least_stiffness * largest;
    }
    return !place_.empty() && cholesky_.factor(blocks_);
}

void CoarseGrid::restrict_and_solve(std::span<const Vec3> r) {
    parallel_for(
        cells_.size(),
        [&](std::size_t c) {
            auto& sum = partial_[c];
            sum.fill(Vec3::Zero());
            for (std::uint32_t k = cells_[c].begin; k < cells_[c].end; ++k) {
                Real N[8];
                const Point& p = points_[k];
                weights_at(p, N);
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
}

std::size_t CoarseGrid::bytes() const {
    return cholesky_.bytes() + cells_.capacity() * (sizeof(Cell) + 36 * 5 + 192) + points_.capacity() * sizeof(Point) +
           cell_of_.capacity() * 8 + blocks_.capacity() * (sizeof(Mat3) + 4) + place_.capacity() * 3 * sizeof(Vec3);
}

CellQuadrature::CellQuadrature() {
    for (auto& o : O_) std::fill(std::begin(o), std::end(o), Double4(0));
    std::fill(std::begin(M_), std::end(M_), Double4(0));
}

void CellQuadrature::add(const Double4* u, Double4 mass, const Double4* T) {
    Double4 N[8], G[8][3], r[8][3];
    trilinear_weights(u, N);
    gradients(u, G);
    for (int a = 0; a < 8; ++a) {
        for (int d = 0; d < 3; ++d) {
            r[a][d] = simd::fma(T[d], G[a][0], simd::fma(T[3 + d], G[a][1], T[6 + d] * G[a][2]));
        }
    }
    for (int a = 0, pair = 0; a < 8; ++a) {
        for (int b = a; b < 8; ++b, ++pair) {
            M_[pair] = simd::fma(mass, N[a] * N[b], M_[pair]);
            for (int d = 0; d < 3; ++d) {
                for (int e = 0; e < 3; ++e) O_[pair][3 * e + d] = simd::fma(r[a][d], r[b][e], O_[pair][3 * e + d]);
            }
        }
    }
}

void CellQuadrature::finish(Real shear, Real turned, Real across, CoarseGrid::CellBlocks& blocks) const {
    for (int pair = 0; pair < 36; ++pair) {
        Mat3 o;
        for (int e = 0; e < 9; ++e) o.data()[e] = simd::sum(O_[pair][e]);
        blocks[std::size_t(pair)] =
            (shear * o.trace() + simd::sum(M_[pair])) * Mat3::Identity() + turned * o.transpose() + across * o;
    }
}

}  // namespace pliant
