// How two particles at the surfaces of two bodies touch. With the normal n
// between the two, which deforms with matter as F^-T N of one at rest, N, and the particles' layers as thick along n
// as s / |F^-1 n| of the spacing s, so that stretched matter is thin and has no holes,
//     gap = n.q - s_i / (2 |F_i^-1 n|) - s_j / (2 |F_j^-1 n|) + (c_i + c_j) l^2 / 8
// where l is how far they are from each other across n, as seen at rest, and surfaces of curvature c have curved away
// from their planes halfway between. The push is shared by all pairs around: the closer they lie across n, as seen at
// rest, the larger their share.
#pragma once

#include <algorithm>
#include <cmath>

#include "pliant/math/types.h"
#include "pliant/methods/mpm/surface_normals.h"

namespace pliant {

struct TouchPoint {
    Vec3 normal;               // now, of length 1
    Real flatness, curvature;  // see SurfaceNormal
    Mat3 metric;               // (F F^T)^-1
    Real spacing;              // s, at rest [m]

    TouchPoint(const SurfaceNormal& at_rest, const Mat3& F, Real s)
        : flatness(at_rest.flatness), curvature(at_rest.curvature), spacing(s) {
        constexpr Real bound = 0.01;  // of a squared stretch, where matter is crushed
        metric = (1 + bound) * (F * F.transpose() + bound * Mat3::Identity()).inverse();
        normal = (metric * (F * at_rest.normal)).normalized();
    }
    Real half_layer(const Vec3& n) const { return spacing / (2 * std::sqrt(n.dot(metric * n))); }
};

struct Touch {
    Vec3 normal;  // from i to j
    Real gap;     // negative where they overlap [m]
    Real share;   // of the push: 1 / m^2 over both surfaces integrates to 1; 0 where they do not face each other
};

constexpr Real widest_touch = 2;  // spacings across the normal, as at rest

// q from i to j.
inline Touch touch(const Vec3& q, const TouchPoint& i, const TouchPoint& j) {
    constexpr Real least = 0.4, full = 0.6;  // cosine of one normal and the other's opposite
    Touch t{Vec3::Zero(), 0, 0};
    const Real facing = std::min(Real(1), (-i.normal.dot(j.normal) - least) / (full - least));
    if (facing <= 0) return t;
    t.normal = (i.flatness * i.normal - j.flatness * j.normal).normalized();
    const Real along = q.dot(t.normal);
    t.gap = along - i.half_layer(t.normal) - j.half_layer(t.normal);
    const Vec3 across = q - along * t.normal;
    const Real spacing = (i.spacing + j.spacing) / 2, widest = widest_touch * spacing;
    const Real off = std::sqrt(across.dot(i.metric * across + j.metric * across) / 2) / widest;
    t.gap += (i.curvature + j.curvature) * square(off * widest) / 8;
    t.share = facing * square(std::max(Real(0), 1 - off)) / (pi / 6 * square(widest));
    return t;
}

}  // namespace pliant
