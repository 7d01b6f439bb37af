// Several numbers worked on as one: Float8 and Double4 over the compiler's vector extensions. With AVX2 a pack is
// one register; without, the compiler makes do with what there is, and the same code runs.
//
// Names live in namespace simd so that a template may be written once for packs and for plain numbers:
//     template <class P> P length(P x, P y) { using namespace simd; return sqrt(fma(x, x, y * y)); }
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pliant::simd {

template <class T, int N>
struct Register;
template <>
struct Register<double, 4> {
    typedef double Vector __attribute__((vector_size(32)));
    typedef std::int64_t Bits __attribute__((vector_size(32)));
};
template <>
struct Register<float, 8> {
    typedef float Vector __attribute__((vector_size(32)));
    typedef std::int32_t Bits __attribute__((vector_size(32)));
};

// One truth value a lane: all bits set, or none.
template <class T, int N>
struct Mask {
    static constexpr int width = N;
    typename Register<T, N>::Bits v;

    bool operator[](int lane) const { return v[lane] != 0; }
    friend Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
    friend Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
    friend Mask operator!(Mask a) { return {~a.v}; }
};

template <class T, int N>
struct Pack {
    using Scalar = T;
    using Lanes = Mask<T, N>;
    using Vector = typename Register<T, N>::Vector;
    using Bits = typename Register<T, N>::Bits;
    static constexpr int width = N;
    Vector v;

    Pack() = default;
    Pack(T s) {  // NOLINT: implicit on purpose, so that 2 * x reads as it should
        if constexpr (N == 4) v = Vector{s, s, s, s};
        if constexpr (N == 8) v = Vector{s, s, s, s, s, s, s, s};
    }
    explicit Pack(Vector values) : v(values) {}

    T operator[](int lane) const { return v[lane]; }
    void set(int lane, T value) { v[lane] = value; }

    Pack& operator+=(Pack b) { return *this = Pack(v + b.v); }
    Pack& operator-=(Pack b) { return *this = Pack(v - b.v); }
    Pack& operator*=(Pack b) { return *this = Pack(v * b.v); }
    Pack& operator/=(Pack b) { return *this = Pack(v / b.v); }
    friend Pack operator+(Pack a, Pack b) { return Pack(a.v + b.v); }
    friend Pack operator-(Pack a, Pack b) { return Pack(a.v - b.v); }
    friend Pack operator*(Pack a, Pack b) { return Pack(a.v * b.v); }
    friend Pack operator/(Pack a, Pack b) { return Pack(a.v / b.v); }
    friend Pack operator-(Pack a) { return Pack(-a.v); }
    friend Lanes operator<(Pack a, Pack b) { return {a.v < b.v}; }
    friend Lanes operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
    friend Lanes operator>(Pack a, Pack b) { return {a.v > b.v}; }
    friend Lanes operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
    friend Lanes operator==(Pack a, Pack b) { return {a.v == b.v}; }
    friend Lanes operator!=(Pack a, Pack b) { return {a.v != b.v}; }
};

template <class T, int N>
bool any(Mask<T, N> m) {
#if defined(__AVX2__)
    return !_mm256_testz_si256((__m256i)m.v, (__m256i)m.v);
#else
    auto result = m.v[0];
    for (int i = 1; i < N; ++i) result |= m.v[i];
    return result != 0;
#endif
}
template <class T, int N>
bool all(Mask<T, N> m) {
    return !any(!m);
}
template <class T, int N>
bool none(Mask<T, N> m) {
    return !any(m);
}

template <class P>
P load(const typename P::Scalar* from) {  // any alignment
    P p;
    std::memcpy(&p.v, from, sizeof(p.v));
    return p;
}
template <class P>
P load_aligned(const typename P::Scalar* from) {  // address a multiple of sizeof(P)
    return P(*reinterpret_cast<const typename P::Vector*>(from));
}
// 0, 1, 2 ... in the lanes.
template <class P>
P lane_numbers() {
    using V = typename P::Vector;
    if constexpr (P::width == 4) return P(V{0, 1, 2, 3});
    if constexpr (P::width == 8) return P(V{0, 1, 2, 3, 4, 5, 6, 7});
}
// The first `count` lanes.
template <class P>
typename P::Lanes first_lanes(int count) {
    return lane_numbers<P>() < P(static_cast<typename P::Scalar>(count));
}
// The first `count` lanes from memory, zero in the others; reads nothing beyond them.
template <class P>
P load_some(const typename P::Scalar* from, int count) {
    using T = typename P::Scalar;
#if defined(__AVX2__)
    const auto lanes = (__m256i)first_lanes<P>(count).v;
    if constexpr (std::is_same_v<T, double> && P::width == 4) return P(_mm256_maskload_pd(from, lanes));
    if constexpr (std::is_same_v<T, float> && P::width == 8) return P(_mm256_maskload_ps(from, lanes));
#endif
    P p(T(0));
    for (int i = 0; i < count; ++i) p.v[i] = from[i];
    return p;
}
// From numbers of 16 bits.
inline Pack<float, 8> load_shorts(const std::int16_t* from) {
#if defined(__AVX2__)
    return Pack<float, 8>(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)from))));
#else
    Pack<float, 8> p;
    for (int i = 0; i < 8; ++i) p.v[i] = static_cast<float>(from[i]);
    return p;
#endif
}
// Lane i = from[index[i]].
template <class P, class Index>
P gather(const typename P::Scalar* from, const Index* index) {
    using V = typename P::Vector;
    const Index* k = index;
    if constexpr (P::width == 4) return P(V{from[k[0]], from[k[1]], from[k[2]], from[k[3]]});
    if constexpr (P::width == 8) {
        return P(V{from[k[0]], from[k[1]], from[k[2]], from[k[3]], from[k[4]], from[k[5]], from[k[6]], from[k[7]]});
    }
}
template <class T, int N>
void store(T* to, Pack<T, N> p) {
    std::memcpy(to, &p.v, sizeof(p.v));
}
template <class T, int N>
void store_aligned(T* to, Pack<T, N> p) {
    *reinterpret_cast<typename Pack<T, N>::Vector*>(to) = p.v;
}
template <class T, int N>
void store_some(T* to, Pack<T, N> p, int count) {
    for (int i = 0; i < count; ++i) to[i] = p.v[i];
}

// m ? a : b, lane by lane.
template <class T, int N>
Pack<T, N> select(Mask<T, N> m, std::type_identity_t<Pack<T, N>> a, std::type_identity_t<Pack<T, N>> b) {
#if defined(__AVX2__)
    if constexpr (std::is_same_v<T, double> && N == 4) return Pack<T, N>(_mm256_blendv_pd(b.v, a.v, (__m256d)m.v));
    if constexpr (std::is_same_v<T, float> && N == 8) return Pack<T, N>(_mm256_blendv_ps(b.v, a.v, (__m256)m.v));
#endif
    using Vector = typename Pack<T, N>::Vector;
    using Bits = typename Pack<T, N>::Bits;
    return Pack<T, N>((Vector)(((Bits)a.v & m.v) | ((Bits)b.v & ~m.v)));
}
// m ? a : 0
template <class T, int N>
Pack<T, N> keep(Mask<T, N> m, std::type_identity_t<Pack<T, N>> a) {
    using Vector = typename Pack<T, N>::Vector;
    using Bits = typename Pack<T, N>::Bits;
    return Pack<T, N>((Vector)((Bits)a.v & m.v));
}

// a * b + c, in one rounding where the processor can (AVX2 builds), in two elsewhere.
template <class T, int N>
Pack<T, N> fma(Pack<T, N> a, std::type_identity_t<Pack<T, N>> b, std::type_identity_t<Pack<T, N>> c) {
#if defined(__FMA__)
    if constexpr (std::is_same_v<T, double> && N == 4) return Pack<T, N>(_mm256_fmadd_pd(a.v, b.v, c.v));
    if constexpr (std::is_same_v<T, float> && N == 8) return Pack<T, N>(_mm256_fmadd_ps(a.v, b.v, c.v));
#endif
    return Pack<T, N>(a.v * b.v + c.v);
}
// c - a * b
template <class T, int N>
Pack<T, N> fnma(Pack<T, N> a, std::type_identity_t<Pack<T, N>> b, std::type_identity_t<Pack<T, N>> c) {
#if defined(__FMA__)
    if constexpr (std::is_same_v<T, double> && N == 4) return Pack<T, N>(_mm256_fnmadd_pd(a.v, b.v, c.v));
    if constexpr (std::is_same_v<T, float> && N == 8) return Pack<T, N>(_mm256_fnmadd_ps(a.v, b.v, c.v));
#endif
    return Pack<T, N>(c.v - a.v * b.v);
}

template <class T, int N>
Pack<T, N> sqrt(Pack<T, N> a) {
#if defined(__AVX2__)
    if constexpr (std::is_same_v<T, double> && N == 4) return Pack<T, N>(_mm256_sqrt_pd(a.v));
    if constexpr (std::is_same_v<T, float> && N == 8) return Pack<T, N>(_mm256_sqrt_ps(a.v));
#endif
    Pack<T, N> r;
    for (int i = 0; i < N; ++i) r.v[i] = std::sqrt(a.v[i]);
    return r;
}

// Where a lane is not a number, min and max give b.
template <class T, int N>
Pack<T, N> min(Pack<T, N> a, std::type_identity_t<Pack<T, N>> b) {
#if defined(__AVX2__)
    if constexpr (std::is_same_v<T, double> && N == 4) return Pack<T, N>(_mm256_min_pd(a.v, b.v));
    if constexpr (std::is_same_v<T, float> && N == 8) return Pack<T, N>(_mm256_min_ps(a.v, b.v));
#endif
    return select(a < b, a, b);
}
template <class T, int N>
Pack<T, N> max(Pack<T, N> a, std::type_identity_t<Pack<T, N>> b) {
#if defined(__AVX2__)
    if constexpr (std::is_same_v<T, double> && N == 4) return Pack<T, N>(_mm256_max_pd(a.v, b.v));
    if constexpr (std::is_same_v<T, float> && N == 8) return Pack<T, N>(_mm256_max_ps(a.v, b.v));
#endif
    return select(a > b, a, b);
}

template <class T, int N>
typename Pack<T, N>::Bits sign_bits() {
    return (typename Pack<T, N>::Bits)Pack<T, N>(T(-0.0)).v;
}
template <class T, int N>
Pack<T, N> abs(Pack<T, N> a) {
    using P = Pack<T, N>;
    return P((typename P::Vector)((typename P::Bits)a.v & ~sign_bits<T, N>()));
}
// a with its sign flipped where b is negative: for a >= 0, copysign(a, b).
template <class T, int N>
Pack<T, N> times_sign(Pack<T, N> a, std::type_identity_t<Pack<T, N>> b) {
    using P = Pack<T, N>;
    using Bits = typename P::Bits;
    return P((typename P::Vector)((Bits)a.v ^ ((Bits)b.v & sign_bits<T, N>())));
}

// The sum of the lanes, always halved: ((0+4)+(2+6)) + ((1+5)+(3+7)), or (0+2) + (1+3).
template <class T, int N>
T sum(Pack<T, N> a) {
    if constexpr (N == 4) {
        return (a.v[0] + a.v[2]) + (a.v[1] + a.v[3]);
    } else {
        return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
    }
}

// The largest power of two that is not above a; a > 0, finite and not subnormal.
template <class T, int N>
Pack<T, N> power_of_two_below(Pack<T, N> a) {
    using P = Pack<T, N>;
    using Bits = typename P::Bits;
    return P((typename P::Vector)((Bits)a.v & (Bits)P(std::numeric_limits<T>::infinity()).v));
}
// 1 / a, exactly, for a power of two a.
template <class T, int N>
Pack<T, N> reciprocal_of_power(Pack<T, N> a) {
    using P = Pack<T, N>;
    using Bits = typename P::Bits;
    const Bits one = (Bits)P(T(1)).v;
    return P((typename P::Vector)(one + one - (Bits)a.v));
}

// The same words for plain numbers.
template <class T>
concept Plain = std::is_floating_point_v<T>;

inline bool any(bool m) {
    return m;
}
inline bool all(bool m) {
    return m;
}
inline bool none(bool m) {
    return !m;
}
template <Plain T>
T select(bool m, T a, std::type_identity_t<T> b) {
    return m ? a : b;
}
template <Plain T>
T keep(bool m, T a) {
    return m ? a : T(0);
}
template <Plain T>
T fma(T a, std::type_identity_t<T> b, std::type_identity_t<T> c) {
    return a * b + c;
}
template <Plain T>
T fnma(T a, std::type_identity_t<T> b, std::type_identity_t<T> c) {
    return c - a * b;
}
template <Plain T>
T sqrt(T a) {
    return std::sqrt(a);
}
template <Plain T>
T min(T a, std::type_identity_t<T> b) {
    return a < b ? a : b;
}
template <Plain T>
T max(T a, std::type_identity_t<T> b) {
    return a > b ? a : b;
}
template <Plain T>
T abs(T a) {
    return std::abs(a);
}
template <Plain T>
T times_sign(T a, std::type_identity_t<T> b) {
    return std::signbit(b) ? -a : a;
}
template <Plain T>
T sum(T a) {
    return a;
}

}  // namespace pliant::simd

namespace pliant {

using Float8 = simd::Pack<float, 8>;
using Double4 = simd::Pack<double, 4>;

}  // namespace pliant
