// Vectors and matrices whose every entry is a pack: lane i of all entries is matrix i. Loading and storing turn
// arrays of plain matrices into this form and back.
#pragma once

#include <utility>

#include "pliant/math/simd.h"
#include "pliant/math/types.h"

namespace pliant {

template <class P>
struct WideVec3 {
    P x, y, z;

    friend WideVec3 operator+(const WideVec3& a, const WideVec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend WideVec3 operator-(const WideVec3& a, const WideVec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend WideVec3 operator*(const WideVec3& a, P s) { return {a.x * s, a.y * s, a.z * s}; }
};

template <class P>
P dot(const WideVec3<P>& a, const WideVec3<P>& b) {
    using namespace simd;
    return fma(a.z, b.z, fma(a.y, b.y, a.x * b.x));
}
template <class P>
WideVec3<P> cross(const WideVec3<P>& a, const WideVec3<P>& b) {
    using namespace simd;
    return {fnma(a.z, b.y, a.y * b.z), fnma(a.x, b.z, a.z * b.x), fnma(a.y, b.x, a.x * b.y)};
}
template <class P, class M>
WideVec3<P> select(M m, const WideVec3<P>& a, const WideVec3<P>& b) {
    using namespace simd;
    return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

// Kept by columns, as Mat3 is.
template <class P>
struct WideMat3 {
    WideVec3<P> column[3];

    P* data() { return reinterpret_cast<P*>(this); }
    const P* data() const { return reinterpret_cast<const P*>(this); }

    static WideMat3 identity() {
        const P zero(0), one(1);
        return {{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
    }
};

// A symmetric matrix, kept as six numbers.
template <class P>
struct WideSymmetric3 {
    P xx, xy, xz, yy, yz, zz;

    WideMat3<P> full() const { return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}}; }
};

template <class P, class M>
WideMat3<P> select(M m, const WideMat3<P>& a, const WideMat3<P>& b) {
    return {{select(m, a.column[0], b.column[0]), select(m, a.column[1], b.column[1]),
             select(m, a.column[2], b.column[2])}};
}
template <class P>
WideVec3<P> operator*(const WideMat3<P>& A, const WideVec3<P>& v) {
    using namespace simd;
    const auto row = [&](P a, P b, P c) { return fma(c, v.z, fma(b, v.y, a * v.x)); };
    const auto& c = A.column;
    return {row(c[0].x, c[1].x, c[2].x), row(c[0].y, c[1].y, c[2].y), row(c[0].z, c[1].z, c[2].z)};
}
template <class P>
WideMat3<P> operator*(const WideMat3<P>& A, const WideMat3<P>& B) {
    return {{A * B.column[0], A * B.column[1], A * B.column[2]}};
}
template <class P>
WideMat3<P> transpose(const WideMat3<P>& A) {
    const auto& c = A.column;
    return {{{c[0].x, c[1].x, c[2].x}, {c[0].y, c[1].y, c[2].y}, {c[0].z, c[1].z, c[2].z}}};
}
// A^T B
template <class P>
WideMat3<P> transpose_times(const WideMat3<P>& A, const WideMat3<P>& B) {
    const auto column = [&](const WideVec3<P>& b) {
        return WideVec3<P>{dot(A.column[0], b), dot(A.column[1], b), dot(A.column[2], b)};
    };
    return {{column(B.column[0]), column(B.column[1]), column(B.column[2])}};
}

// A B^T
template <class P>
WideMat3<P> times_transpose(const WideMat3<P>& A, const WideMat3<P>& B) {
    return A * transpose(B);
}
template <class P>
WideMat3<P> operator-(const WideMat3<P>& A, const WideMat3<P>& B) {
    return {{A.column[0] - B.column[0], A.column[1] - B.column[1], A.column[2] - B.column[2]}};
}
template <class P>
WideMat3<P> operator*(const WideMat3<P>& A, P s) {
    return {{A.column[0] * s, A.column[1] * s, A.column[2] * s}};
}

template <class P>
struct WideQuat {
    P w, x, y, z;
};

template <class P, class M>
WideQuat<P> select(M m, const WideQuat<P>& a, const WideQuat<P>& b) {
    using namespace simd;
    return {select(m, a.w, b.w), select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}
template <class P>
P squared_length(const WideQuat<P>& q) {
    using namespace simd;
    return fma(q.z, q.z, fma(q.y, q.y, fma(q.x, q.x, q.w * q.w)));
}
// The matrix of a quaternion of any length but zero; `reciprocal` is 1 / |q|^2.
template <class P>
WideMat3<P> rotation_matrix(const WideQuat<P>& q, P reciprocal) {
    using namespace simd;
    const P one(1), twice = reciprocal + reciprocal;
    const P x = q.x * twice, y = q.y * twice, z = q.z * twice;
    const P wx = q.w * x, wy = q.w * y, wz = q.w * z;
    const P xx = q.x * x, yy = q.y * y, zz = q.z * z;
    return {{{one - (yy + zz), fma(q.x, y, wz), fma(q.x, z, -wy)},
             {fma(q.x, y, -wz), one - (xx + zz), fma(q.y, z, wx)},
             {fma(q.x, z, wy), fma(q.y, z, -wx), one - (xx + yy)}}};
}
// Of unit length, of a rotation matrix: from the largest of its four numbers, so that none is lost to rounding.
template <class P>
WideQuat<P> quaternion_of(const WideMat3<P>& R) {
    using namespace simd;
    const auto& [a, b, c] = R.column;
    const P one(1);
    const P sx = b.z + c.y, sy = c.x + a.z, sz = a.y + b.x;  // 4 yz, 4 zx, 4 xy
    const P dx = b.z - c.y, dy = c.x - a.z, dz = a.y - b.x;  // 4 wx, 4 wy, 4 wz
    const P ww = one + a.x + b.y + c.z, xx = one + a.x - b.y - c.z;
    const P yy = one - a.x + b.y - c.z, zz = one - a.x - b.y + c.z;
    WideQuat<P> q{ww, dx, dy, dz};
    P largest = ww;
    const auto prefer = [&](P number, const WideQuat<P>& other) {
        q = select(number > largest, other, q);
        largest = max(number, largest);
    };
    prefer(xx, {dx, xx, sz, sy});
    prefer(yy, {dy, sz, yy, sx});
    prefer(zz, {dz, sy, sx, zz});
    const P scale = P(0.5) / sqrt(largest);
    return {q.w * scale, q.x * scale, q.y * scale, q.z * scale};
}

namespace wide_detail {

// Exchanges, between rows a and b, the off-diagonal blocks of size S.
template <int S, class P, std::size_t... Lane>
[[gnu::always_inline]] inline void exchange(P& a, P& b, std::index_sequence<Lane...>) {
    constexpr int N = P::width;
    const auto low = __builtin_shufflevector(a.v, b.v, (int(Lane) & S ? N + int(Lane) - S : int(Lane))...);
    const auto high = __builtin_shufflevector(a.v, b.v, (int(Lane) & S ? N + int(Lane) : int(Lane) + S)...);
    a.v = low;
    b.v = high;
}
template <int S, class P>
[[gnu::always_inline]] inline void transpose_blocks(P* rows) {
    for (int i = 0; i < P::width; ++i) {
        if (!(i & S)) exchange<S>(rows[i], rows[i + S], std::make_index_sequence<P::width>());
    }
    if constexpr (S > 1) transpose_blocks<S / 2>(rows);
}

}  // namespace wide_detail

// Transposes the square of P::width packs in place.
template <class P>
[[gnu::always_inline]] inline void transpose_square(P* rows) {
    wide_detail::transpose_blocks<P::width / 2>(rows);
}

// From P::width records of `Size` numbers each, one after another, `stride` numbers apart: out[k] lane i is number k
// of record i. Records of at least P::width numbers; the last square may overlap the one before.
template <int Size, class P>
[[gnu::always_inline]] inline void load_records(const typename P::Scalar* from, std::size_t stride, P* out) {
    constexpr int N = P::width;
    static_assert(Size >= N);
    for (int k = 0; k < Size; k += N) {
        const int first = k + N <= Size ? k : Size - N;
        P square[N];
        for (int i = 0; i < N; ++i) square[i] = simd::load<P>(from + i * stride + first);
        transpose_square(square);
        for (int i = 0; i < N; ++i) out[first + i] = square[i];
    }
}
// The other way; in(k) is the pack of the numbers k.
template <int Size, class P, class In>
[[gnu::always_inline]] inline void store_records(typename P::Scalar* to, std::size_t stride, In&& in) {
    constexpr int N = P::width;
    static_assert(Size >= N);
    for (int k = 0; k < Size; k += N) {
        const int first = k + N <= Size ? k : Size - N;
        P square[N];
        for (int i = 0; i < N; ++i) square[i] = in(first + i);
        transpose_square(square);
        for (int i = 0; i < N; ++i) simd::store(to + i * stride + first, square[i]);
    }
}

// Four numbers each of eight records that lie anywhere: out[k] lane i is number k of the record at from + index[i]
// stride.
[[gnu::always_inline]] inline void gather_quads(const float* from, std::size_t stride, const std::uint32_t* index,
                                                Float8 (&out)[4]) {
    typedef float Quarter __attribute__((vector_size(16), aligned(16), may_alias));
    const auto load = [&](int i) { return *reinterpret_cast<const Quarter*>(from + std::size_t(index[i]) * stride); };
    Float8::Vector row[4];
    for (int i = 0; i < 4; ++i) row[i] = __builtin_shufflevector(load(i), load(i + 4), 0, 1, 2, 3, 4, 5, 6, 7);
    const auto a = __builtin_shufflevector(row[0], row[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const auto b = __builtin_shufflevector(row[2], row[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const auto c = __builtin_shufflevector(row[0], row[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const auto d = __builtin_shufflevector(row[2], row[3], 2, 10, 3, 11, 6, 14, 7, 15);
    out[0].v = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1].v = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2].v = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3].v = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}
// The other way.
[[gnu::always_inline]] inline void scatter_quads(float* to, std::size_t stride, const std::uint32_t* index,
                                                 const Float8 (&in)[4]) {
    typedef float Quarter __attribute__((vector_size(16), aligned(16), may_alias));
    const auto a = __builtin_shufflevector(in[0].v, in[1].v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto b = __builtin_shufflevector(in[2].v, in[3].v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto c = __builtin_shufflevector(in[0].v, in[1].v, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto d = __builtin_shufflevector(in[2].v, in[3].v, 2, 10, 3, 11, 6, 14, 7, 15);
    const Float8::Vector row[4] = {__builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                                   __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15),
                                   __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13),
                                   __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int i = 0; i < 4; ++i) {
        const auto place = [&](int k) { return reinterpret_cast<Quarter*>(to + std::size_t(index[k]) * stride); };
        *place(i) = __builtin_shufflevector(row[i], row[i], 0, 1, 2, 3);
        *place(i + 4) = __builtin_shufflevector(row[i], row[i], 4, 5, 6, 7);
    }
}

// One lane of a pack, and writing it.
template <class P>
Eigen::Matrix<typename P::Scalar, 3, 3> lane_of(const WideMat3<P>& A, int lane) {
    Eigen::Matrix<typename P::Scalar, 3, 3> m;
    for (int e = 0; e < 9; ++e) m.data()[e] = A.data()[e][lane];
    return m;
}
template <class P>
void set_lane(WideMat3<P>& A, int lane, const Eigen::Matrix<typename P::Scalar, 3, 3>& m) {
    for (int e = 0; e < 9; ++e) A.data()[e].v[lane] = m.data()[e];
}
template <class P>
Eigen::Matrix<typename P::Scalar, 3, 3> lane_of(const WideSymmetric3<P>& A, int lane) {
    Eigen::Matrix<typename P::Scalar, 3, 3> m;
    m << A.xx[lane], A.xy[lane], A.xz[lane], A.xy[lane], A.yy[lane], A.yz[lane], A.xz[lane], A.yz[lane], A.zz[lane];
    return m;
}
// Of a matrix that is symmetric.
template <class P>
void set_lane(WideSymmetric3<P>& A, int lane, const Eigen::Matrix<typename P::Scalar, 3, 3>& m) {
    A.xx.v[lane] = m(0, 0), A.xy.v[lane] = m(0, 1), A.xz.v[lane] = m(0, 2);
    A.yy.v[lane] = m(1, 1), A.yz.v[lane] = m(1, 2), A.zz.v[lane] = m(2, 2);
}

// P::width matrices, one after another.
template <class P>
WideMat3<P> load_matrices(const Eigen::Matrix<typename P::Scalar, 3, 3>* from) {
    WideMat3<P> A;
    load_records<9>(from->data(), 9, A.data());
    return A;
}
template <class P>
void store_matrices(Eigen::Matrix<typename P::Scalar, 3, 3>* to, const WideMat3<P>& A) {
    store_records<9, P>(to->data(), 9, [&](int k) { return A.data()[k]; });
}

}  // namespace pliant
