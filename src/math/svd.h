// Singular values of 3x3 matrices by one-sided Jacobi rotations [Hestenes58], one matrix or a pack of them at a time.
//
//     A = U diag(sigma) V^T,   det U = det V = +1,   sigma.x >= sigma.y >= |sigma.z|,   sign(sigma.z) = sign(det A)
//
// Any finite A will do. A matrix of lower rank has zero (or rounding-sized) sigma, and U and V are still rotations.
// Entries up to the largest number are scaled and cause no overflow, unless a singular value itself is too large.
// A with an entry that is not finite gives sigma = NaN and U = V = 1.
// The result for a matrix does not depend on which others share its pack: all ways below give the same bits.
#pragma once

#include <span>

#include "pliant/math/types.h"
#include "pliant/math/wide.h"

namespace pliant {

template <class T>
struct SvdOf {
    Eigen::Matrix<T, 3, 3> U;
    Eigen::Matrix<T, 3, 1> sigma;
    Eigen::Matrix<T, 3, 3> V;
};
using Svd = SvdOf<double>;
using Svdf = SvdOf<float>;

Svd svd(const Mat3& A);

// One result a matrix; the two must be equally long.
void svd(std::span<const Mat3> A, std::span<Svd> result);
void svd(std::span<const Eigen::Matrix3f> A, std::span<Svdf> result);

template <class P>
struct WideSvd {
    WideMat3<P> U;
    WideVec3<P> sigma;
    WideMat3<P> V;

    const P* data() const { return reinterpret_cast<const P*>(this); }  // the 21 entries in this order
};

template <class P>
SvdOf<typename P::Scalar> lane_of(const WideSvd<P>& s, int lane) {
    return {lane_of(s.U, lane), {s.sigma.x[lane], s.sigma.y[lane], s.sigma.z[lane]}, lane_of(s.V, lane)};
}

// P is Float8 or Double4.
template <class P>
WideSvd<P> svd(const WideMat3<P>& A);

extern template WideSvd<Float8> svd(const WideMat3<Float8>&);
extern template WideSvd<Double4> svd(const WideMat3<Double4>&);

}  // namespace pliant
