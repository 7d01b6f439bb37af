#include "pliant/math/symmetric.h"

#include <cmath>
#include <limits>
#include <utility>

namespace pliant {
namespace {

constexpr int most_sweeps = 16;  // six are usual

// Off-diagonal entries this small no longer change the eigenvalues, not even small ones.
bool is_negligible(Real off_diagonal, Real first, Real second) {
    constexpr Real epsilon = std::numeric_limits<Real>::epsilon() / 4;
    return square(off_diagonal) <= square(epsilon) * std::abs(first * second);
}

// A <- J^T A J, V <- V J with the rotation J in the plane of p and q that makes A(p, q) zero:
//     tan(2 angle) = 2 A_pq / (A_pp - A_qq), the smaller of the two angles.
void rotate(Mat3& A, Mat3& V, int p, int q) {
    if (is_negligible(A(p, q), A(p, p), A(q, q))) return;
    const Real theta = (A(q, q) - A(p, p)) / (2 * A(p, q));
    const Real t = std::copysign(1, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
    const Real c = 1 / std::sqrt(1 + t * t), s = t * c;
    const int r = 3 - p - q;
    const Real shift = t * A(p, q), rp = A(r, p), rq = A(r, q);
    A(p, p) -= shift;
    A(q, q) += shift;
    A(p, q) = A(q, p) = 0;
    A(r, p) = A(p, r) = c * rp - s * rq;
    A(r, q) = A(q, r) = s * rp + c * rq;
    const Vec3 v = V.col(p);
    V.col(p) = c * v - s * V.col(q);
    V.col(q) = s * v + c * V.col(q);
}

// Exchanges two eigenpairs; the sign keeps the vectors a rotation.
void exchange(SymmetricEigen& e, int i, int j) {
    std::swap(e.values[i], e.values[j]);
    const Vec3 v = e.vectors.col(i);
    e.vectors.col(i) = e.vectors.col(j);
    e.vectors.col(j) = -v;
}

}  // namespace

SymmetricEigen symmetric_eigen(const Mat3& matrix) {
    SymmetricEigen result;
    result.vectors.setIdentity();
    Mat3 A = matrix.selfadjointView<Eigen::Lower>();
    if (!A.allFinite()) {
        result.values.setConstant(std::numeric_limits<Real>::quiet_NaN());
        return result;
    }
    int exponent = 0;
    std::frexp(A.cwiseAbs().maxCoeff(), &exponent);
    A = A.unaryExpr([&](Real x) { return std::ldexp(x, -exponent); });
    Mat3& V = result.vectors;
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        const bool is_diagonal = is_negligible(A(1, 0), A(0, 0), A(1, 1)) && is_negligible(A(2, 0), A(0, 0), A(2, 2)) &&
                                 is_negligible(A(2, 1), A(1, 1), A(2, 2));
        if (is_diagonal) break;
        rotate(A, V, 0, 1);
        rotate(A, V, 0, 2);
        rotate(A, V, 1, 2);
    }
    for (int i = 0; i < 3; ++i) result.values[i] = std::ldexp(A(i, i), exponent);
    if (result.values[0] < result.values[1]) exchange(result, 0, 1);
    if (result.values[1] < result.values[2]) exchange(result, 1, 2);
    if (result.values[0] < result.values[1]) exchange(result, 0, 1);
    return result;
}

PseudoInverse symmetric_detail::truncated_inverse(const Mat3& K, Real tau) {
    PseudoInverse result = {Mat3::Zero(), Mat3::Zero(), 0};
    const SymmetricEigen eigen = symmetric_eigen(K);
    if (!(eigen.values[0] > 1e-300)) return result;
    for (int i = 0; i < 3; ++i) {
        if (!(eigen.values[i] > tau * eigen.values[0]) || eigen.values[i] <= 0) break;
        const Mat3 direction = eigen.vectors.col(i) * eigen.vectors.col(i).transpose();
        result.projector += direction;
        result.inverse += direction / eigen.values[i];
        ++result.rank;
    }
    if (result.rank == 3) result.projector.setIdentity();
    return result;
}

}  // namespace pliant
