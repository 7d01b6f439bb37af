// How a particle and the nodes of its block's window see each other: sums with quadratic weights and their moments.
// The gradient is that of moving least squares [Hu18]: with d_i = x_i - x_p and weights w_i,
//     C = 4 / h^2 sum_i w_i v_i d_i^T        exact for affine v, as sum_i w_i d_i d_i^T = h^2 / 4
// and scattering is its transpose. The sums are taken axis by axis, which is a third of the work.
#pragma once

#include "pliant/math/grid_weights.h"
#include "pliant/math/wide.h"
#include "pliant/methods/mpm/sparse_grid.h"

namespace pliant {

struct AxisWeights {
    Real weight[3];  // w along an axis
    Real moment[3];  // w d [m]
};

struct PlaceWeights {
    AxisWeights axis[3];

    PlaceWeights(const SparseGrid::Place& place, Real h) {
        for (int a = 0; a < 3; ++a) {
            const auto known = quadratic_weights(place.f[a]);
            for (int i = 0; i < 3; ++i) {
                axis[a].weight[i] = known.weight[i];
                axis[a].moment[i] = known.weight[i] * h * (i - place.f[a]);
            }
        }
    }
};

// sum_i w_i v_i and sum_i w_i v_i d_i along x, y, z.
struct Moments {
    NodeVector sum, x, y, z;
};

[[gnu::always_inline]] inline Moments gather(const SparseGrid::Window& window, const SparseGrid::Place& place,
                                             const PlaceWeights& w) {
    using namespace simd;
    constexpr int W = SparseGrid::window_width;
    const NodeVector zero(0.0);
    Moments m{zero, zero, zero, zero};
    const auto& [ax, ay, az] = w.axis;
    for (int i = 0; i < 3; ++i) {
        NodeVector s(0.0), sy(0.0), sz(0.0);
        for (int j = 0; j < 3; ++j) {
            const NodeVector* v = &window[std::size_t(place.base + (i * W + j) * W)];
            const NodeVector r = fma(v[2], NodeVector(az.weight[2]),
                                     fma(v[1], NodeVector(az.weight[1]), v[0] * NodeVector(az.weight[0])));
            const NodeVector rz = fma(v[2], NodeVector(az.moment[2]),
                                      fma(v[1], NodeVector(az.moment[1]), v[0] * NodeVector(az.moment[0])));
            s = fma(r, NodeVector(ay.weight[j]), s);
            sy = fma(r, NodeVector(ay.moment[j]), sy);
            sz = fma(rz, NodeVector(ay.weight[j]), sz);
        }
        m.sum = fma(s, NodeVector(ax.weight[i]), m.sum);
        m.x = fma(s, NodeVector(ax.moment[i]), m.x);
        m.y = fma(sy, NodeVector(ax.weight[i]), m.y);
        m.z = fma(sz, NodeVector(ax.weight[i]), m.z);
    }
    return m;
}

// Adds w_i (sum + x d_ix + y d_iy + z d_iz) to the nodes.
[[gnu::always_inline]] inline void scatter(const Moments& m, SparseGrid::Window& window, const SparseGrid::Place& place,
                                           const PlaceWeights& w) {
    using namespace simd;
    constexpr int W = SparseGrid::window_width;
    const auto& [ax, ay, az] = w.axis;
    for (int i = 0; i < 3; ++i) {
        const NodeVector wi(ax.weight[i]);
        const NodeVector s = fma(m.x, NodeVector(ax.moment[i]), m.sum * wi), sy = m.y * wi, sz = m.z * wi;
        for (int j = 0; j < 3; ++j) {
            NodeVector* v = &window[std::size_t(place.base + (i * W + j) * W)];
            const NodeVector wj(ay.weight[j]);
            const NodeVector r = fma(sy, NodeVector(ay.moment[j]), s * wj), rz = sz * wj;
            for (int k = 0; k < 3; ++k) {
                v[k] = fma(r, NodeVector(az.weight[k]), fma(rz, NodeVector(az.moment[k]), v[k]));
            }
        }
    }
}

// Of four particles at once: lane k of the result is particle k's.
struct WideMoments {
    WideVec3<Double4> sum;
    WideMat3<Double4> product;  // columns: sums with d along x, y, z
};
struct FourWeights {
    const SparseGrid::Place* places;
    PlaceWeights weights[4];

    FourWeights(const SparseGrid::Place* first, Real h)
        : places(first),
          weights{PlaceWeights(first[0], h), PlaceWeights(first[1], h), PlaceWeights(first[2], h),
                  PlaceWeights(first[3], h)} {}
};
[[gnu::always_inline]] inline WideMoments gather_four(const SparseGrid::Window& window, const FourWeights& w) {
    Double4 rows[4][4];
    for (int k = 0; k < 4; ++k) {
        const Moments m = gather(window, w.places[k], w.weights[k]);
        rows[0][k] = m.sum, rows[1][k] = m.x, rows[2][k] = m.y, rows[3][k] = m.z;
    }
    for (auto& square : rows) transpose_square(square);
    const auto column = [&](int k) { return WideVec3<Double4>{rows[k][0], rows[k][1], rows[k][2]}; };
    return {column(0), {{column(1), column(2), column(3)}}};
}
// Adds w_i B d_i of four particles to the nodes.
[[gnu::always_inline]] inline void scatter_four(const WideMat3<Double4>& B, SparseGrid::Window& window,
                                                const FourWeights& w) {
    const NodeVector zero(0.0);
    Double4 rows[3][4];
    for (int a = 0; a < 3; ++a) {
        rows[a][0] = B.column[a].x, rows[a][1] = B.column[a].y, rows[a][2] = B.column[a].z, rows[a][3] = zero;
        transpose_square(rows[a]);
    }
    for (int k = 0; k < 4; ++k) {
        scatter({zero, rows[0][k], rows[1][k], rows[2][k]}, window, w.places[k], w.weights[k]);
    }
}
// w_i^2 in place of w_i and (w_i d_i)^2 in place of w_i d_i.
inline PlaceWeights squared(PlaceWeights w) {
    for (AxisWeights& axis : w.axis) {
        for (int i = 0; i < 3; ++i) axis.weight[i] *= axis.weight[i], axis.moment[i] *= axis.moment[i];
    }
    return w;
}
// Adds w_i^2 (x d_ix^2 + y d_iy^2 + z d_iz^2) to the nodes: what a matrix made of such sums has on its diagonal.
inline void scatter_squares(NodeVector x, NodeVector y, NodeVector z, SparseGrid::Window& window,
                            const SparseGrid::Place& place, const PlaceWeights& w) {
    scatter({NodeVector(0.0), x, y, z}, window, place, squared(w));
}

// C of the moments of a velocity, with `scale` = 4 / h^2.
inline Mat3 affine_of(const Moments& m, Real scale) {
    Mat3 C;
    for (int r = 0; r < 3; ++r) {
        C(r, 0) = scale * m.x[r];
        C(r, 1) = scale * m.y[r];
        C(r, 2) = scale * m.z[r];
    }
    return C;
}
inline NodeVector node_vector(const Vec3& v, Real fourth = 0) {
    return NodeVector(NodeVector::Vector{v.x(), v.y(), v.z(), fourth});
}
inline Vec3 first_three(NodeVector v) {
    return {v[0], v[1], v[2]};
}

}  // namespace pliant
