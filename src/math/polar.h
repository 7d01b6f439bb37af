// Polar decomposition A = R S with a rotation R and a symmetric S, by the singular values A = U diag(sigma) V^T:
//     R = U V^T,   S = V diag(sigma) V^T.
// R is the rotation nearest to A, also for an inverted A (det A < 0), whose S then has one negative eigenvalue.
// Where several rotations are equally near (rank below two, or det A < 0 and sigma.y = -sigma.z), R is one of them.
// A with an entry that is not finite gives R = 1 and S = NaN.
#pragma once

#include "pliant/math/svd.h"

namespace pliant {

struct Polar {
    Mat3 R;
    Mat3 S;
};

inline Polar polar(const Svd& s) {
    return {s.U * s.V.transpose(), s.V * s.sigma.asDiagonal() * s.V.transpose()};
}
inline Polar polar(const Mat3& A) {
    return polar(svd(A));
}

template <class P>
struct WidePolar {
    WideMat3<P> R;
    WideMat3<P> S;
};

template <class P>
WidePolar<P> polar(const WideSvd<P>& s) {
    const auto& v = s.V.column;
    const WideMat3<P> scaled = {{v[0] * s.sigma.x, v[1] * s.sigma.y, v[2] * s.sigma.z}};
    const WideMat3<P> Vt = transpose(s.V);
    return {s.U * Vt, scaled * Vt};
}
template <class P>
WidePolar<P> polar(const WideMat3<P>& A) {
    return polar(svd(A));
}

}  // namespace pliant
