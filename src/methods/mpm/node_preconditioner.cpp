#include "pliant/methods/mpm/node_preconditioner.h"

#include <algorithm>

#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

constexpr Real stiff = 3;     // D over masses from which on a second level pays: c dt / h = 2
constexpr int patience = 15;  // iterations with a coarse matrix of other tangents

bool is_same(const HeldPoint& a, const HeldPoint& b) {
    return a.point == b.point && a.held == b.held && a.drag == b.drag;
}

}  // namespace

void NodePreconditioner::set_system(const SparseGrid& grid, std::span<const Real> mass, const TangentFactors& tangents,
                                    const NodeContacts& contacts, const LightNodes& light, int last, BodyPairs* pairs) {
    find_diagonal(grid, mass, tangents);
    if (pairs) pairs->add_diagonal(diagonal_);
    light.add_diagonal(diagonal_);
    const bool is_first = state_ == State::unknown;
    if (is_first) {
        state_ = is_stiff(mass) ? State::two_levels : State::one_level;
        if (has_coarse()) coarse_.lay(grid);
    }
    if (has_coarse()) {
        contacts.held_points(new_held_);
        const bool holds_as_before =
            std::equal(held_.begin(), held_.end(), new_held_.begin(), new_held_.end(), is_same);
        if (is_first || !holds_as_before || last > patience) {
            held_.swap(new_held_);
            const bool is_solvable = coarse_.set_system(grid, mass, tangents, diagonal_, held_);
            if (!is_solvable) state_ = State::one_level;
        }
    }
    contacts.add_diagonal(diagonal_);
}

// Of the matrix, roughly: stretching stiffness along the distance of node and particle, shearing across.
void NodePreconditioner::find_diagonal(const SparseGrid& grid, std::span<const Real> mass,
                                       const TangentFactors& tangents) {
    constexpr int BV = TangentFactors::BV, H = TangentFactors::h, twist = TangentFactors::twist;
    const Real h = grid.cell();
    const std::size_t n = mass.size() - 1;
    diagonal_.resize(n + 1);
    parallel_for(n, [&](std::size_t i) { diagonal_[i] = Vec3::Constant(mass[i]); });
    diagonal_[n].setOnes();
    grid.each_block_apart([&](std::size_t b) {
        SparseGrid::Window out;
        out.fill(NodeVector(0.0));
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; k += 4) {
            Double4 stretch(0.0), shear(0.0);
            for (int part = 0; part < tangents.parts(); ++part) {
                const auto f = tangents.pack(k, part);
                Double4 size(0.0), across(0.0);
                for (int i = 0; i < 9; ++i) size += f[BV + i] * f[BV + i];
                for (int i = 0; i < 6; ++i) across += f[twist + i];  // and turn
                stretch += size * (f[H] + f[H + 1] + f[H + 2]) * Double4(1.0 / 9);
                shear += size * across * Double4(1.0 / 36);
            }
            for (int lane = 0; lane < 4; ++lane) {
                const SparseGrid::Place& place = grid.place(k + std::size_t(lane));
                const Real a = stretch[lane], c = shear[lane];
                scatter_squares(node_vector({a, c, c}), node_vector({c, a, c}), node_vector({c, c, a}), out, place,
                                PlaceWeights(place, h));
            }
        }
        grid.add(b, out, diagonal_);
    });
    diagonal_[n].setOnes();
}

bool NodePreconditioner::is_stiff(std::span<const Real> mass) const {
    const std::size_t n = mass.size() - 1;
    const Real inert = parallel_sum(n, Real(0), [&](std::size_t i) { return mass[i]; });
    return parallel_sum(n, Real(0), [&](std::size_t i) { return diagonal_[i].sum() / 3; }) > stiff * inert;
}

void NodePreconditioner::operator()(std::span<const Vec3> r, std::span<Vec3> z) {
    const auto smoothed = [&](std::size_t i) { return Vec3(r[i].cwiseQuotient(diagonal_[i].cwiseMax(1e-30))); };
    const std::size_t n = diagonal_.size() - 1;
    if (has_coarse()) {
        coarse_.apply(r, z, smoothed);
    } else {
        parallel_for(n, [&](std::size_t i) { z[i] = smoothed(i); });
    }
    z[n].setZero();
}

}  // namespace pliant
