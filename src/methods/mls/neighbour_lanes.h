// Sums over neighbours, four at a time: their vectors side by side, one component a lane.
#pragma once

#include <algorithm>

#include "pliant/math/wide.h"
#include "pliant/methods/mls/neighbourhood.h"

namespace pliant {

// A vector in the first three lanes, a number in the last: one load for both.
inline Double4 padded(const Vec3& v, Real number = 0) {
    return Double4(Double4::Vector{v.x(), v.y(), v.z(), number});
}
inline Vec3 unpadded(Double4 v) {
    return {v[0], v[1], v[2]};
}

// The matrix with these padded columns times (x, y, z), plus the sum so far.
inline Double4 product(const Double4* columns, Real x, Real y, Real z, Double4 sum) {
    return simd::fma(columns[0], Double4(x), simd::fma(columns[1], Double4(y), simd::fma(columns[2], Double4(z), sum)));
}

// Three components of four vectors, or four of them with a number behind each.
struct Lanes {
    Double4 x, y, z, number;
};

// Four neighbours at once; behind the end of a row the last one is repeated, to be met by a weight of zero.
struct FourNeighbours {
    FourNeighbours(const NeighbourRow& row, std::size_t first)
        : index(&row.index[first]), count(static_cast<int>(std::min<std::size_t>(4, row.index.size() - first))) {}

    std::size_t operator[](int lane) const { return index[std::min(lane, count - 1)]; }

    Lanes gather(const RawVector<Double4>& from) const {
        Double4 v[4];
        for (int l = 0; l < 4; ++l) v[l] = from[(*this)[l]];
        transpose_square(v);
        return {v[0], v[1], v[2], v[3]};
    }
    Double4 numbers(const Real* from) const {
        return count == 4 ? simd::load<Double4>(from) : simd::load_some<Double4>(from, count);
    }

    const std::uint32_t* index;
    int count;
};

inline Lanes operator-(const Lanes& a, Double4 b) {
    return {a.x - Double4(b[0]), a.y - Double4(b[1]), a.z - Double4(b[2]), a.number};
}
inline Lanes operator*(Double4 w, const Lanes& a) {
    return {w * a.x, w * a.y, w * a.z, a.number};
}
inline Double4 dot(const Lanes& a, const Lanes& b) {
    return simd::fma(a.x, b.x, simd::fma(a.y, b.y, a.z * b.z));
}

}  // namespace pliant
