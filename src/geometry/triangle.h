// A single triangle: the point of it that is nearest, and the angle that it fills.
#pragma once

#include <cmath>

#include "pliant/math/types.h"

namespace pliant {

struct Triangle {
    Vec3 a, b, c;

    Vec3 area_vector() const { return (b - a).cross(c - a) / 2; }  // outward, as long as the area
    Vec3 middle() const { return (a + b + c) / 3; }
    Vec3 nearest(const Vec3& x) const;

    // Solid angle under which x sees the inner side, negative for the outer side; 2 pi at most.   [vanOosterom83]
    //   tan(angle / 2) = a . (b x c) / (|a||b||c| + a.b |c| + b.c |a| + c.a |b|),   corners as seen from x
    Real solid_angle(const Vec3& x) const {
        const Vec3 p = a - x, q = b - x, r = c - x;
        const Real lp = p.norm(), lq = q.norm(), lr = r.norm();
        return 2 * std::atan2(p.dot(q.cross(r)), lp * lq * lr + p.dot(q) * lr + q.dot(r) * lp + r.dot(p) * lq);
    }
};

// Do the two cut through one another? Touching does not count, nor do triangles in one plane, nor cuts shallower than
// a hundred-thousandth of their size.
// Corners that both share must be equal to the bit: `shared` of them are first in either triangle.
bool cross(const Triangle& s, const Triangle& t, int shared);

}  // namespace pliant
