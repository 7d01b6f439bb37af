// The quadratic B-spline with which material points and grid nodes see each other [Steffen08].
// Of a point at x and a node at x_i, with u = (x - x_i) / h for grid spacing h, the weight is N(u_x) N(u_y) N(u_z):
//     N(u) = 3/4 - u^2            for |u| <= 1/2
//            (3/2 - |u|)^2 / 2    for |u| <= 3/2,   0 beyond.
// N integrates to 1, and the weights of the 3^3 nodes in reach add up to 1 wherever the point is.
#pragma once

#include <cmath>
#include <limits>

#include "pliant/math/simd.h"
#include "pliant/math/types.h"

namespace pliant {

// As a difference of truncated squares: N = ((3/2 - |u|)+^2 - 3 (1/2 - |u|)+^2) / 2.
template <class P>
P quadratic_spline(P u) {
    using namespace simd;
    const P a = abs(u), outer = max(P(1.5) - a, P(0)), inner = max(P(0.5) - a, P(0));
    return P(0.5) * fnma(P(3) * inner, inner, outer * outer);
}
// dN/du
template <class P>
P quadratic_spline_derivative(P u) {
    using namespace simd;
    const P a = abs(u), outer = max(P(1.5) - a, P(0)), inner = max(P(0.5) - a, P(0));
    return times_sign(fma(P(3), inner, -outer), u);
}

// N and dN/du at the three nodes base, base + 1, base + 2 in reach, for the point at base + f, 1/2 <= f <= 3/2.
template <class P>
struct QuadraticWeights {
    P weight[3];
    P slope[3];
};
template <class P>
QuadraticWeights<P> quadratic_weights(P f) {
    using namespace simd;
    const P left = P(1.5) - f, middle = f - P(1), right = f - P(0.5);
    return {{P(0.5) * left * left, fnma(middle, middle, P(0.75)), P(0.5) * right * right},
            {-left, P(-2) * middle, right}};
}

// The 27 nodes in reach of a point. Nodes lie at h times whole numbers.
// A position that is not finite, or farther than 2^30 nodes away, gives base 0 and weights that are not numbers.
struct GridWeights {
    Eigen::Vector3i base;
    QuadraticWeights<Real> axis[3];
    Real reciprocal;  // 1/h

    GridWeights(const Vec3& x, Real h) : reciprocal(1 / h) {
        for (int k = 0; k < 3; ++k) {
            const Real u = x[k] * reciprocal, first = std::floor(u - 0.5);
            const bool is_near = std::abs(first) < 0x1p30;
            base[k] = is_near ? static_cast<int>(first) : 0;
            axis[k] = quadratic_weights(is_near ? u - first : std::numeric_limits<Real>::quiet_NaN());
        }
    }

    // Of the node base + (i, j, k).
    Real weight(int i, int j, int k) const { return axis[0].weight[i] * axis[1].weight[j] * axis[2].weight[k]; }
    Vec3 gradient(int i, int j, int k) const {  // with respect to x [1/m]
        const auto& [a, b, c] = axis;
        return reciprocal * Vec3(a.slope[i] * b.weight[j] * c.weight[k], a.weight[i] * b.slope[j] * c.weight[k],
                                 a.weight[i] * b.weight[j] * c.slope[k]);
    }
};

}  // namespace pliant
