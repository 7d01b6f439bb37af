#include "pliant/methods/mpm/coarse_nodes.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace pliant {
namespace {

constexpr std::size_t most_cells = 8192;  // with more, cells become twice as wide: factors would take too long
constexpr std::size_t cells_at_once = 32;
constexpr std::uint32_t nobody = SparseGrid::nobody;
constexpr int W = SparseGrid::window_width;

// The mean over all rotations of a tangent, from t1 = T_iijj, t2 = T_ijij and t3 = T_ijji:
//     t1 = 9 lambda + 3 mu + 3 nu,    t2 = 3 lambda + 9 mu + 3 nu,    t3 = 3 lambda + 3 mu + 9 nu
struct MeanTangent {
    Double4 lambda, mu, nu;

    explicit MeanTangent(const TangentFactors::Pack& f) {
        constexpr int h = TangentFactors::h, twist = TangentFactors::twist, turn = TangentFactors::turn;
        const Double4 even = f[twist] + f[twist + 1] + f[twist + 2], odd = f[turn] + f[turn + 1] + f[turn + 2];
        const Double4 stretch = f[h] + f[h + 1] + f[h + 2], across = f[h + 3] + f[h + 4] + f[h + 5];
        const Double4 t1 = stretch + across + across, t2 = stretch + even + odd, t3 = stretch + even - odd;
        const Double4 fifth = (t1 + t2 + t3) * Double4(0.2), sixth(1.0 / 6);
        lambda = (t1 - fifth) * sixth;
        mu = (t2 - fifth) * sixth;
        nu = (t3 - fifth) * sixth;
    }
};

// Points of a quadrature, until there are four for CellQuadrature.
struct FourPoints {
    Real u[3][4] = {}, mass[4] = {}, turn[9][4] = {};
    int count = 0;

    void add_to(CellQuadrature& sums) {
        Double4 at[3], T[9];
        for (int d = 0; d < 3; ++d) at[d] = simd::load<Double4>(u[d]);
        for (int e = 0; e < 9; ++e) T[e] = simd::load<Double4>(turn[e]);
        sums.add(at, simd::load<Double4>(mass), T);
        *this = FourPoints();
    }
};

// body(node, x, y, z) for the nodes of a home's window that exist.
template <class Body>
void each_of_window(const SparseGrid& grid, std::size_t home, Body&& body) {
    for (int i = 0; i < SparseGrid::window_size; ++i) {
        const std::uint32_t node = grid.window_node(home, std::size_t(i));
        if (node < grid.node_count()) body(node, i / (W * W), i / W % W, i % W);
    }
}

}  // namespace

void CoarseNodes::lay(const SparseGrid& grid) {
    find_cells(grid);
    find_owners(grid);
    fill_points(grid);
    cell_blocks_.resize(std::min(cells_at_once, coarse_.cells().size()));
}

void CoarseNodes::find_cells(const SparseGrid& grid) {
    const auto key = [](const HomeOfCell& h) { return std::tuple(h.cell[2], h.cell[1], h.cell[0], h.home); };
    for (level_ = 0;; ++level_) {
        homes_.clear();
        for (std::uint32_t b = 0; b < grid.block_count(); ++b) {
            const auto& at = grid.home(b).at;
            homes_.push_back({{at[0] >> level_, at[1] >> level_, at[2] >> level_}, b});
        }
        std::sort(homes_.begin(), homes_.end(),
                  [&](const HomeOfCell& a, const HomeOfCell& b) { return key(a) < key(b); });
        home_begin_.clear();
        for (std::size_t k = 0; k < homes_.size(); ++k) {
            if (k == 0 || homes_[k - 1].cell != homes_[k].cell) home_begin_.push_back(std::uint32_t(k));
        }
        if (home_begin_.size() <= most_cells || level_ == 20) break;
    }
    CoarseGrid::Place lowest = homes_.front().cell;
    for (const HomeOfCell& home : homes_) {
        for (std::size_t a = 0; a < 3; ++a) lowest[a] = std::min(lowest[a], home.cell[a]);
    }
    std::vector<CoarseGrid::Place> places;
    for (const std::uint32_t k : home_begin_) {
        const CoarseGrid::Place& at = homes_[k].cell;
        places.push_back({at[0] - lowest[0], at[1] - lowest[1], at[2] - lowest[2]});
    }
    home_begin_.push_back(std::uint32_t(homes_.size()));
    if (places == places_) return;  // wherever they are: what is known of them is still true
    places_ = std::move(places);
    coarse_.clear();
    coarse_.add_cells(places_, Vec3::Zero(), 1);
    coarse_.find_pattern({});
}

// A node is interpolated from the home whose particles are around it or, where there is none, from the first that
// reaches it.
void CoarseNodes::find_owners(const SparseGrid& grid) {
    owner_.assign(grid.node_count(), nobody);
    first_.assign(grid.block_count(), 0);
    const auto is_inside = [](int i) { return i >= 1 && i <= SparseGrid::block_width; };
    grid.each_block([&](std::size_t b) {
        each_of_window(grid, b, [&](std::uint32_t node, int x, int y, int z) {
            if (is_inside(x) && is_inside(y) && is_inside(z)) owner_[node] = std::uint32_t(b);
        });
    });
    grid.each_block_apart([&](std::size_t b) {
        each_of_window(grid, b, [&](std::uint32_t node, int, int, int) {
            if (owner_[node] == nobody) owner_[node] = std::uint32_t(b);
            first_[b] += owner_[node] == b;  // their number, for now
        });
    });
}

void CoarseNodes::fill_points(const SparseGrid& grid) {
    const auto cells = coarse_.cells();
    std::uint32_t total = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        cells[c].begin = total;
        for (std::uint32_t k = home_begin_[c]; k < home_begin_[c + 1]; ++k) {
            const std::uint32_t count = first_[homes_[k].home];
            first_[homes_[k].home] = total;
            total += count;
        }
        cells[c].end = total;
    }
    auto& points = coarse_.points();
    points.resize(total);
    grid.each_block([&](std::size_t b) {
        std::uint32_t to = first_[b];
        const auto u = [&](std::size_t axis, int i) {
            return float((Real(begin_of(grid.home(b), axis) + i) - 0.5) / width());
        };
        each_of_window(grid, b, [&](std::uint32_t node, int x, int y, int z) {
            if (owner_[node] == b) points[to++] = {node, {u(0, x), u(1, y), u(2, z)}};
        });
    });
    coarse_.index_points(grid.node_count());
}

void CoarseNodes::assemble(const SparseGrid& grid, std::span<const Real> mass, const TangentFactors& tangents,
                           std::size_t c, CoarseGrid::CellBlocks& blocks) {
    const Real moment = grid.cell() / (4 * width());  // of tangents, over gradients by u: h^2 / 4 over width h
    CellQuadrature sums;
    FourPoints points;
    Real mu = 0, nu = 0, lambda = 0;
    for (std::uint32_t j = home_begin_[c]; j < home_begin_[c + 1]; ++j) {
        const SparseGrid::Home& home = grid.home(homes_[j].home);
        for (std::size_t k = home.first; k < home.last; k += 4) {
            Double4 weights(0.0), T[9];
            std::fill_n(T, 9, Double4(0.0));
            for (int part = 0; part < tangents.parts(); ++part) {
                const auto f = tangents.pack(k, part);
                const MeanTangent mean(f);
                const Double4 w = mean.mu + mean.nu + simd::max(mean.lambda, Double4(0.0));
                const WideMatrix turn = times_transpose(f.rotation(), f.shape());
                for (int e = 0; e < 9; ++e) T[e] = simd::fma(w, turn.data()[e], T[e]);
                weights += w;
                mu += simd::sum(mean.mu);
                nu += simd::sum(mean.nu);
                lambda += simd::sum(mean.lambda);
            }
            const Real weight = simd::sum(weights);
            if (!(weight > 0)) continue;
            Real at[3] = {}, there = 0;
            for (std::size_t p = k; p < k + 4; ++p) {
                if (grid.particle(p) == nobody) continue;
                const SparseGrid::Place& place = grid.place(p);
                at[0] += place.base / (W * W) + place.f[0];
                at[1] += place.base / W % W + place.f[1];
                at[2] += place.base % W + place.f[2];
                ++there;
            }
            for (std::size_t a = 0; a < 3; ++a) {
                points.u[a][points.count] = (begin_of(home, a) - 0.5 + at[a] / there) / width();
            }
            const Real scale = moment / std::sqrt(weight);
            for (int e = 0; e < 9; ++e) points.turn[e][points.count] = scale * simd::sum(T[e]);
            if (++points.count == 4) points.add_to(sums);
        }
    }
    points.add_to(sums);
    const CoarseGrid::Cell& cell = coarse_.cells()[c];
    for (std::uint32_t k = cell.begin; k < cell.end; ++k) {
        const CoarseGrid::Point& p = std::as_const(coarse_).points()[k];
        for (int a = 0; a < 3; ++a) points.u[a][points.count] = p.u[a];
        points.mass[points.count] = mass[p.point];
        if (++points.count == 4) points.add_to(sums);
    }
    points.add_to(sums);
    const Real all = mu + nu + std::max(lambda, Real(0)), share = all > 0 ? 1 / all : 0;
    sums.finish(share * mu, share * nu, share * lambda, blocks);
}

bool CoarseNodes::set_system(const SparseGrid& grid, std::span<const Real> mass, const TangentFactors& tangents,
                             std::span<const Vec3> diagonal, std::span<const HeldPoint> held) {
    coarse_.clear_matrix();
    const std::size_t cells = coarse_.cells().size();
    for (std::size_t begin = 0; begin < cells; begin += cells_at_once) {
        const std::size_t count = std::min(cells_at_once, cells - begin);
        parallel_for(
            count, [&](std::size_t k) { assemble(grid, mass, tangents, begin + k, cell_blocks_[k]); }, 1);
        for (std::size_t k = 0; k < count; ++k) coarse_.add_cell(begin + k, cell_blocks_[k]);
    }
    for (const HeldPoint& h : held) coarse_.add_at(h.point, diagonal[h.point].sum() / 3 * h.held + h.drag);
    return coarse_.factor();
}

std::size_t CoarseNodes::bytes() const {
    return homes_.capacity() * sizeof(HomeOfCell) +
           (home_begin_.capacity() + owner_.capacity() + first_.capacity()) * sizeof(std::uint32_t) +
           places_.capacity() * sizeof(CoarseGrid::Place) + coarse_.bytes() +
           cell_blocks_.capacity() * sizeof(CoarseGrid::CellBlocks);
}

}  // namespace pliant
