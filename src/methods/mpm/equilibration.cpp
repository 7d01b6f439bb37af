#include "pliant/methods/mpm/equilibration.h"

#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

constexpr int rounds = 10;
constexpr Real nothing = 1e-300;  // the square of the length of a row that has nothing in it

// Rows that have nothing in them stay as they are.
Double4 length(Double4 squared) {
    return simd::select(squared > Double4(nothing), simd::sqrt(squared), Double4(1));
}

}  // namespace

std::span<Equilibration::Constraint> Equilibration::constraints(const SparseGrid& grid, int parts) {
    parts_ = parts;
    resize_discarding(constraints_, grid.place_count() / 4 * std::size_t(parts));
    return constraints_;
}

std::span<const Double4> Equilibration::find(const SparseGrid& grid, std::span<const Real> mass) {
    resize_discarding(of_constraint_, constraints_.size());
    resize_discarding(of_deformation_, constraints_.size());
    of_node_.assign(grid.node_count() + 1, Vec3::UnitX());
    sum_.resize(grid.node_count() + 1);
    parallel_for(constraints_.size(), [&](std::size_t c) { of_constraint_[c] = of_deformation_[c] = Double4(1.0); });
    for (int round = 0; round < rounds; ++round) scale_once(grid, mass);

    using Sums = Eigen::Vector2d;
    const Sums sums = parallel_sum(constraints_.size(), Sums(Sums::Zero()), [&](std::size_t c) {
        const Double4 W2 = constraints_[c].weight, z = of_constraint_[c];
        return Sums(simd::sum(W2), simd::sum(W2 * z * z));
    });
    const Double4 mean(sums[1] > 0 ? sums[0] / sums[1] : 1);
    parallel_for(constraints_.size(),
                 [&](std::size_t c) { of_constraint_[c] = mean * of_constraint_[c] * of_constraint_[c]; });
    return of_constraint_;
}

// All rows by their lengths of before.
void Equilibration::scale_once(const SparseGrid& grid, std::span<const Real> mass) {
    using namespace simd;
    const Real h = grid.cell();
    const std::size_t parts = std::size_t(parts_);
    std::fill(sum_.begin(), sum_.end(), Vec3::Zero());
    grid.each_block_apart([&](std::size_t b) {
        SparseGrid::Window out;
        out.fill(NodeVector(0.0));
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; k += 4) {
            Double4 pull[3] = {Double4(0.0), Double4(0.0), Double4(0.0)};
            for (std::size_t c = k / 4 * parts; c < (k / 4 + 1) * parts; ++c) {
                const Double4 z2 = of_constraint_[c] * of_constraint_[c];
                for (int a = 0; a < 3; ++a) pull[a] = fma(constraints_[c].coupling[a], z2, pull[a]);
            }
            for (int lane = 0; lane < 4; ++lane) {
                const SparseGrid::Place& place = grid.place(k + std::size_t(lane));
                scatter_squares(NodeVector(pull[0][lane]), NodeVector(pull[1][lane]), NodeVector(pull[2][lane]), out,
                                place, PlaceWeights(place, h));
            }
        }
        grid.add(b, out, sum_);
    });
    of_node_[grid.node_count()].setZero();
    grid.each_block([&](std::size_t b) {
        SparseGrid::Window in;
        grid.load(b, of_node_, in);
        for (std::size_t k = grid.home(b).first; k < grid.home(b).last; k += 4) {
            Double4 near[3];
            for (int lane = 0; lane < 4; ++lane) {
                const SparseGrid::Place& place = grid.place(k + std::size_t(lane));
                const Moments m = gather(in, place, squared(PlaceWeights(place, h)));
                near[0].set(lane, m.x[0]), near[1].set(lane, m.y[0]), near[2].set(lane, m.z[0]);
            }
            for (std::size_t c = k / 4 * parts; c < (k / 4 + 1) * parts; ++c) {
                const Constraint& row = constraints_[c];
                Double4 &z = of_constraint_[c], &f = of_deformation_[c];
                const Double4 between = row.weight * f * f * z * z, own = row.stiffness * f * f;
                const Double4 nodes =
                    z * z * (row.coupling[0] * near[0] + row.coupling[1] * near[1] + row.coupling[2] * near[2]);
                f = f / sqrt(length(own * own + between));
                z = z / sqrt(length(nodes + between));
            }
        }
    });
    parallel_for(grid.node_count(), [&](std::size_t i) {
        Real& s2 = of_node_[i].x();
        const Real squared = square(mass[i] * s2) + s2 * sum_[i].x();
        if (squared > nothing) s2 /= std::sqrt(squared);
    });
}

std::size_t Equilibration::bytes() const {
    return constraints_.capacity() * sizeof(Constraint) +
           (of_constraint_.capacity() + of_deformation_.capacity()) * sizeof(Double4) +
           (of_node_.capacity() + sum_.capacity()) * sizeof(Vec3);
}

}  // namespace pliant
