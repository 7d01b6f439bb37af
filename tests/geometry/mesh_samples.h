// Small closed meshes for tests.
#pragma once

#include <cmath>

#include "pliant/geometry/mesh.h"

namespace pliant::samples {

inline TriangleMesh box_mesh(const Vec3& half, const Vec3& middle = Vec3::Zero()) {
    TriangleMesh mesh;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 sign(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
        mesh.vertices.push_back(middle + half.cwiseProduct(sign));
    }
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

// Rings of longitude and latitude; `rings` from pole to pole, twice as many around.
inline TriangleMesh sphere_mesh(Real radius, int rings, const Vec3& middle = Vec3::Zero()) {
    TriangleMesh mesh;
    const int around = 2 * rings;
    mesh.vertices.push_back(middle + Vec3(0, radius, 0));
    for (int ring = 1; ring < rings; ++ring) {
        for (int k = 0; k < around; ++k) {
            const Real polar = pi * ring / rings, turn = 2 * pi * k / around;
            mesh.vertices.push_back(middle + radius * Vec3(std::sin(polar) * std::cos(turn), std::cos(polar),
                                                           -std::sin(polar) * std::sin(turn)));
        }
    }
    mesh.vertices.push_back(middle - Vec3(0, radius, 0));
    const int last = static_cast<int>(mesh.vertices.size()) - 1;
    const auto at = [&](int ring, int k) { return 1 + (ring - 1) * around + k % around; };
    for (int k = 0; k < around; ++k) {
        mesh.triangles.push_back({0, at(1, k), at(1, k + 1)});
        for (int ring = 1; ring + 1 < rings; ++ring) {
            mesh.triangles.push_back({at(ring, k), at(ring + 1, k), at(ring + 1, k + 1)});
            mesh.triangles.push_back({at(ring, k), at(ring + 1, k + 1), at(ring, k + 1)});
        }
        mesh.triangles.push_back({at(rings - 1, k), last, at(rings - 1, k + 1)});
    }
    return mesh;
}

inline TriangleMesh both(const TriangleMesh& a, const TriangleMesh& b) {
    TriangleMesh mesh = a;
    const int shift = static_cast<int>(a.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), b.vertices.begin(), b.vertices.end());
    for (const auto& [i, j, k] : b.triangles) mesh.triangles.push_back({i + shift, j + shift, k + shift});
    return mesh;
}

inline TriangleMesh inside_out(TriangleMesh mesh) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[0], triangle[1]);
    return mesh;
}

// Exact distance to a box around the origin.
inline Real box_distance(const Vec3& x, const Vec3& half) {
    const Vec3 q = x.cwiseAbs() - half;
    return q.cwiseMax(0).norm() + std::min(q.maxCoeff(), 0.0);
}

// A repeatable point in the box [-half, half]^3.
class Points {
public:
    explicit Points(Real half) : half_(half) {}
    Vec3 next() { return Vec3(number(), number(), number()); }

private:
    Real number() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return half_ * (2 * Real(state_ >> 11) / Real(1ull << 53) - 1);
    }
    Real half_;
    unsigned long long state_ = 1;
};

}  // namespace pliant::samples
