#include "pliant/linear/block_jacobi.h"

#include <cassert>

#include "pliant/base/parallel.h"
#include "pliant/math/symmetric.h"

namespace pliant {
namespace {

constexpr Real smallest_ratio = 1e-12;  // eigenvalues below this part of the largest count as zero

// K^+ + (1 - K^+ K) / lambda_max: definite whatever the block, so that conjugate gradients never meets r . z = 0.
Mat3 inverse_of(const Mat3& block) {
    const PseudoInverse pseudo = pseudo_inverse(block, smallest_ratio);
    if (pseudo.rank == 3) return pseudo.inverse;
    if (pseudo.rank == 0) return Mat3::Identity();
    const Real largest = symmetric_eigen(block).values[0];
    return pseudo.inverse + (Mat3::Identity() - pseudo.projector) / largest;
}

}  // namespace

void BlockJacobi::set_blocks(std::span<const Mat3> diagonal) {
    inverse_.resize(diagonal.size());
    parallel_for(diagonal.size(), [&](std::size_t i) { inverse_[i] = inverse_of(diagonal[i]); });
}

void BlockJacobi::operator()(std::span<const Vec3> r, std::span<Vec3> z) const {
    assert(r.size() == inverse_.size() && z.size() == r.size());
    parallel_for(r.size(), [&](std::size_t i) { z[i] = inverse_[i] * r[i]; });
}

}  // namespace pliant
