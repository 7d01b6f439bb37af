#include "pliant/geometry/triangle_pack.h"

#include <limits>

#include "pliant/math/wide.h"

namespace pliant {
namespace {

constexpr float tiny = std::numeric_limits<float>::min();

inline float larger(float a, float b) {
    return a > b ? a : b;
}
inline float smaller(float a, float b) {
    return a < b ? a : b;
}

// |p - t e|^2 with t = p.e / e.e within 0..1
inline float to_edge(float px, float py, float pz, float ex, float ey, float ez) {
    const float along = (px * ex + py * ey + pz * ez) / larger(ex * ex + ey * ey + ez * ez, tiny);
    const float t = smaller(larger(along, 0.0f), 1.0f);
    const float dx = px - t * ex, dy = py - t * ey, dz = pz - t * ez;
    return dx * dx + dy * dy + dz * dz;
}

// To 1e-6 rad, by a polynomial of the ratio below one; 0 of (0, 0).   [Abramowitz64] 4.4.49
Float8 arc_tangent(Float8 y, Float8 x) {
    using namespace simd;
    const Float8 up = abs(y), across = abs(x);
    const Float8 t = min(up, across) / max(max(up, across), tiny), t2 = t * t;
    Float8 sum(0.0028662257f);
    for (const float c : {-0.0161657367f, 0.0429096138f, -0.0752896400f, 0.1065626393f, -0.1420889944f, 0.1999355085f,
                          -0.3333314528f, 1.0f}) {
        sum = fma(sum, t2, c);
    }
    Float8 angle = sum * t;
    angle = select(up > across, Float8(float(pi / 2)) - angle, angle);
    angle = select(x < Float8(0), Float8(float(pi)) - angle, angle);
    return times_sign(angle, y);
}

}  // namespace

// tan(angle / 2) = a.(b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|), corners from x   [vanOosterom83]
float TrianglePack::solid_angle(float x, float y, float z, int count) const {
    using namespace simd;
    const auto lanes = [](const Lanes& from) { return load_aligned<Float8>(from.data()); };
    const WideVec3<Float8> a = {lanes(ax) - Float8(x), lanes(ay) - Float8(y), lanes(az) - Float8(z)};
    const WideVec3<Float8> ab = {lanes(abx), lanes(aby), lanes(abz)}, ac = {lanes(acx), lanes(acy), lanes(acz)};
    const WideVec3<Float8> b = a + ab, c = a + ac;
    const Float8 A = sqrt(dot(a, a)), B = sqrt(dot(b, b)), C = sqrt(dot(c, c));
    const Float8 above = dot(a, cross(ab, ac));
    const Float8 below = fma(dot(c, a), B, fma(dot(b, c), A, fma(dot(a, b), C, A * B * C)));
    return 2 * sum(keep(first_lanes<Float8>(count), arc_tangent(above, below)));
}

void TrianglePack::squared_distances(float x, float y, float z, Lanes& result) const {
    for (int l = 0; l < width; ++l) {
        const float px = x - ax[l], py = y - ay[l], pz = z - az[l];
        const float bx = abx[l], by = aby[l], bz = abz[l], cx = acx[l], cy = acy[l], cz = acz[l];
        const float nx = by * cz - bz * cy, ny = bz * cx - bx * cz, nz = bx * cy - by * cx;
        const float nn = nx * nx + ny * ny + nz * nz;
        // Weights of the second and third corner, times nn.
        const float v = (py * cz - pz * cy) * nx + (pz * cx - px * cz) * ny + (px * cy - py * cx) * nz;
        const float w = (by * pz - bz * py) * nx + (bz * px - bx * pz) * ny + (bx * py - by * px) * nz;
        const float above = px * nx + py * ny + pz * nz;
        const float to_plane = above * above / larger(nn, tiny);
        const float edges = smaller(smaller(to_edge(px, py, pz, bx, by, bz), to_edge(px, py, pz, cx, cy, cz)),
                                    to_edge(px - bx, py - by, pz - bz, cx - bx, cy - by, cz - bz));
        const float least_weight = smaller(smaller(v, w), nn - v - w);
        result[l] = least_weight > 0.0f ? smaller(to_plane, edges) : edges;
    }
}

}  // namespace pliant
