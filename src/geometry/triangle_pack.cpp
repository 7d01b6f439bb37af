#include "pliant/geometry/triangle_pack.h"

#include <limits>

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

}  // namespace

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
