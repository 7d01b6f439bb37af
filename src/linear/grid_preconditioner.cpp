#include "pliant/linear/grid_preconditioner.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {

void GridPreconditioner::set_points(std::span<const Vec3> rest, std::span<const PointGroup> groups) {
    grid_.clear();
    grid_.points().reserve(rest.size());
    for (const PointGroup& group : groups) {
        if (group.last > group.first) add_group(rest, group);
    }
    grid_.index_points(rest.size());
    grid_.find_pattern({});
    cell_blocks_.resize(grid_.cells().size());
    inverse_diagonal_.resize(rest.size());
}

// Only cells that hold points exist. The grid lies so that both ends of the group stick out alike.
void GridPreconditioner::add_group(std::span<const Vec3> rest, const PointGroup& group) {
    Box box;
    for (std::size_t i = group.first; i < group.last; ++i) box.extend(rest[i]);
    const Eigen::Array3d span = box.sizes().array() / group.cell;
    const Eigen::Array3d count = (span + 1e-6).ceil().max(1);
    const Vec3 origin = box.min() - Vec3((count - span) / 2 * group.cell);

    using Keyed = std::pair<CoarseGrid::Place, std::uint32_t>;  // place as z, y, x
    std::vector<Keyed> keyed;
    keyed.reserve(group.last - group.first);
    const auto cell_at = [&](std::size_t i) -> Eigen::Array3d {
        return ((rest[i] - origin).array() / group.cell).floor().max(0).min(count - 1);
    };
    for (std::size_t i = group.first; i < group.last; ++i) {
        const Eigen::Array3d c = cell_at(i);
        keyed.push_back({{std::int32_t(c.z()), std::int32_t(c.y()), std::int32_t(c.x())}, std::uint32_t(i)});
    }
    std::sort(keyed.begin(), keyed.end());

    auto& points = grid_.points();
    const std::size_t first_cell = grid_.cells().size();
    std::vector<CoarseGrid::Place> places;
    std::vector<std::uint32_t> begin;
    for (std::size_t k = 0; k < keyed.size(); ++k) {
        const auto& [at, i] = keyed[k];
        if (k == 0 || keyed[k - 1].first != at) {
            places.push_back({at[2], at[1], at[0]});
            begin.push_back(static_cast<std::uint32_t>(points.size()));
        }
        const Eigen::Array3d u = (rest[i] - origin).array() / group.cell - cell_at(i);
        points.push_back({i, {float(u.x()), float(u.y()), float(u.z())}});
    }
    begin.push_back(static_cast<std::uint32_t>(points.size()));
    grid_.add_cells(places, origin, group.cell);
    for (std::size_t c = 0; c < places.size(); ++c) {
        grid_.cells()[first_cell + c].begin = begin[c];
        grid_.cells()[first_cell + c].end = begin[c + 1];
    }
}

// Four points at a time. With r_a scaled by sqrt(mu), O_ab = sum r_a r_b^T gives the cell's block
//     tr(O) 1 + O^T + (lambda / mu) O + sum m N_a N_b 1.
void GridPreconditioner::assemble_cell(std::size_t c, CoarseGrid::CellBlocks& blocks) const {
    const PointSystem& system = system_;
    const CoarseGrid::Cell& cell = grid_.cells()[c];
    const auto points = grid_.points();
    CellQuadrature sums;
    Real mu = 0, lambda = 0;
    for (std::uint32_t k = cell.begin; k < cell.end; k += 4) {
        const std::uint32_t lanes = std::min(4u, cell.end - k);
        Real u[3][4] = {}, mass[4] = {}, turn[9][4] = {};
        for (std::uint32_t l = 0; l < lanes; ++l) {
            const CoarseGrid::Point& p = points[k + l];
            for (int d = 0; d < 3; ++d) u[d][l] = p.u[d];
            mass[l] = system.mass[p.point];
            const Real scale = std::sqrt(system.mu[p.point]) / cell.size;
            for (int e = 0; e < 9; ++e) turn[e][l] = scale * system.turn[p.point].data()[e];
            mu += system.mu[p.point];
            lambda += system.lambda[p.point];
        }
        Double4 at[3], T[9];
        for (int d = 0; d < 3; ++d) at[d] = simd::load<Double4>(u[d]);
        for (int e = 0; e < 9; ++e) T[e] = simd::load<Double4>(turn[e]);
        sums.add(at, simd::load<Double4>(mass), T);
    }
    sums.finish(1, 1, mu > 0 ? lambda / mu : 0, blocks);
}

void GridPreconditioner::set_system(const PointSystem& system) {
    system_ = system;
    keeps_room_ = false;
    parallel_for(
        grid_.cells().size(), [&](std::size_t c) { assemble_cell(c, cell_blocks_[c]); }, CoarseGrid::cells_a_block);
}

void GridPreconditioner::factor(std::span<const HeldPoint> held, std::span<const PointPair> pairs) {
    std::vector<CoarseGrid::CellPair> coupled;
    for (const PointPair& p : pairs) {
        const std::uint32_t i = grid_.cell_of(p.i), j = grid_.cell_of(p.j);
        if (i != j) coupled.emplace_back(std::min(i, j), std::max(i, j));
    }
    std::sort(coupled.begin(), coupled.end());
    coupled.erase(std::unique(coupled.begin(), coupled.end()), coupled.end());
    const auto& room = grid_.coupled();
    const bool has_room =
        keeps_room_ ? std::includes(room.begin(), room.end(), coupled.begin(), coupled.end()) : coupled == room;
    if (!has_room) grid_.find_pattern(std::move(coupled));
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
    grid_.clear_matrix();
    for (std::size_t c = 0; c < cell_blocks_.size(); ++c) grid_.add_cell(c, cell_blocks_[c]);
    for (const HeldPoint& h : held) grid_.add_at(h.point, system_.diagonal[h.point].trace() / 3 * h.held + h.drag);
    for (const PointPair& p : pairs) grid_.add_between(p);
    has_coarse_ = grid_.factor();
}

void GridPreconditioner::operator()(std::span<const Vec3> r, std::span<Vec3> z) {
    const auto smoothed = [&](std::size_t i) { return Vec3(inverse_diagonal_[i] * r[i]); };
    if (has_coarse_) {
        grid_.apply(r, z, smoothed);
    } else {
        parallel_for(r.size(), [&](std::size_t i) { z[i] = smoothed(i); });
    }
}

std::size_t GridPreconditioner::bytes() const {
    return grid_.bytes() + cell_blocks_.capacity() * sizeof(CoarseGrid::CellBlocks) +
           inverse_diagonal_.capacity() * sizeof(Mat3);
}

}  // namespace pliant
