// The rotation nearest to a matrix, by Newton's method from a rotation that is nearly right: last step's, say.
//
// Maximises tr(R^T A) over rotations. With B = R^T A and ax(B) the vector of B - B^T, a step solves
//     (tr B 1 - sym B) w = ax(B),   |w| at most 1,   R <- R turned by w;
// where the matrix on the left is not positive definite, w = ax(B) / |tr B| climbs the gradient instead. From a start
// 0.05 rad off, one step leaves 5e-5 rad and two 1e-8. R is turned by the quaternion (1, w / 2), which is exp(w) to
// second order and converges as fast.
//
// The result is U V^T of the signed singular values, det A < 0 included, from any start. A search that has not ended
// after 20 steps, or has ended where tr(R^T A) is not largest, is given up for the singular values.
// Where several rotations are equally near (rank below two), one near the start; of A = 0, the start itself.
// A with an entry that is not finite gives the start after 0 iterations. A start that is zero or not finite is 1.
#pragma once

#include <span>

#include "pliant/math/types.h"
#include "pliant/math/wide.h"

namespace pliant {

struct RotationFit {
    Quat rotation;
    int iterations;
    bool by_singular_values;  // the search was given up
};

// The search ends with a step of at most `tolerance` [rad]; the error left is about its square.
RotationFit nearest_rotation(const Mat3& A, const Quat& start, Real tolerance = 1e-7);

// The same for every matrix of an array, from the rotations given to those found; returns the number of iterations of
// all together. The two must be equally long.
std::size_t nearest_rotations(std::span<const Mat3> A, std::span<Quat> rotations, Real tolerance = 1e-7);

template <class P>
struct WideRotationFit {
    WideQuat<P> rotation;  // of unit length
    P iterations;
    typename P::Lanes by_singular_values;
};

// P is Float8 or Double4. A matrix gives the same bits in any company, and in each of the ways above.
template <class P>
WideRotationFit<P> nearest_rotation(const WideMat3<P>& A, const WideQuat<P>& start, typename P::Scalar tolerance);

extern template WideRotationFit<Float8> nearest_rotation(const WideMat3<Float8>&, const WideQuat<Float8>&, float);
extern template WideRotationFit<Double4> nearest_rotation(const WideMat3<Double4>&, const WideQuat<Double4>&, double);

}  // namespace pliant
