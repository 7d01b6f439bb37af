// Symmetric 3x3 matrices: eigenvalues, and the inverse that leaves out directions of which the matrix knows nothing.
#pragma once

#include "pliant/math/types.h"

namespace pliant {

// A = vectors diag(values) vectors^T, values descending (with their signs), vectors a rotation.
// Only the lower triangle of A is read. An entry that is not finite gives values = NaN, vectors = 1.
struct SymmetricEigen {
    Vec3 values;
    Mat3 vectors;
};
SymmetricEigen symmetric_eigen(const Mat3& A);

// K^+ of a symmetric positive semi-definite K = sum_i lambda_i v_i v_i^T, with the sums over lambda_i > tau lambda_max:
//     inverse = sum 1 / lambda_i  v_i v_i^T,   projector = K^+ K = sum v_i v_i^T,   rank = the number of terms.
// Only the lower triangle of K is read. All is zero if lambda_max is below 1e-300, or an entry is not finite.
struct PseudoInverse {
    Mat3 inverse;
    Mat3 projector;
    int rank;
};

namespace symmetric_detail {
PseudoInverse truncated_inverse(const Mat3& K, Real tau);
}

// Without eigenvalues where no truncation can be needed: by the means of the eigenvalues, with T = trace K,
//     lambda_min = det / (lambda_max lambda_mid) >= 4 det / T^2   and   lambda_max <= T,
// so that 4 det > tau T^3 is enough. A neighbourhood of a body's inside has 4 det / T^3 near 0.15.
inline PseudoInverse pseudo_inverse(const Mat3& K, Real tau = 2e-2) {
    const Real a = K(0, 0), b = K(1, 1), c = K(2, 2), d = K(2, 1), e = K(2, 0), f = K(1, 0);
    const Real A = b * c - d * d, B = a * c - e * e, C = a * b - f * f;  // cofactors
    const Real D = e * f - a * d, E = d * f - b * e, F = d * e - c * f;
    const Real determinant = a * A + f * F + e * E;
    const Real trace = a + b + c;
    const bool is_definite = a > 0 && C > 0 && determinant > 1e-280;  // all leading minors, well above underflow
    if (!(is_definite && 4 * determinant > tau * (trace * trace * trace))) {
        return symmetric_detail::truncated_inverse(K, tau);
    }
    PseudoInverse result;
    const Real s = 1 / determinant;
    result.inverse << A * s, F * s, E * s, F * s, B * s, D * s, E * s, D * s, C * s;
    result.projector.setIdentity();
    result.rank = 3;
    return result;
}

}  // namespace pliant
