// Eight triangles side by side, so that the distance to all of them takes little more than that to one.
#pragma once

#include <array>

#include "pliant/geometry/triangle.h"

namespace pliant {

struct TrianglePack {
    static constexpr int width = 8;
    using Lanes = std::array<float, width>;

    alignas(32) Lanes ax, ay, az;     // first corner
    alignas(32) Lanes abx, aby, abz;  // to the second
    alignas(32) Lanes acx, acy, acz;  // to the third

    void set(int lane, const Triangle& t, const Vec3& origin) {
        const Vec3 a = t.a - origin, ab = t.b - t.a, ac = t.c - t.a;
        ax[lane] = float(a.x()), ay[lane] = float(a.y()), az[lane] = float(a.z());
        abx[lane] = float(ab.x()), aby[lane] = float(ab.y()), abz[lane] = float(ab.z());
        acx[lane] = float(ac.x()), acy[lane] = float(ac.y()), acz[lane] = float(ac.z());
    }

    // Squared distances from (x, y, z). As Triangle::nearest, without a branch: to the plane where the projection falls
    // inside, else to the nearest of the edges.
    void squared_distances(float x, float y, float z, Lanes& result) const;

    // The solid angles of the first `count` triangles as seen from (x, y, z), added up; as Triangle::solid_angle.
    float solid_angle(float x, float y, float z, int count) const;
};

}  // namespace pliant
