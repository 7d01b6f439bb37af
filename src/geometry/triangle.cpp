#include "pliant/geometry/triangle.h"

#include <algorithm>

namespace pliant {
namespace {

Vec3 nearest_on_edge(const Vec3& x, const Vec3& from, const Vec3& to) {
    const Vec3 edge = to - from;
    const Real squared_length = edge.squaredNorm();
    if (!(squared_length > 0)) return from;
    return from + std::clamp((x - from).dot(edge) / squared_length, Real(0), Real(1)) * edge;
}

// Six times the volume of the tetrahedron; its sign tells on which side of the plane (p, q, r) the point x lies.
Real side(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& x) {
    return (q - p).cross(r - p).dot(x - p);
}

// Does the open segment from u to v pass through the inside of the triangle, by more than `least` of six volumes?
bool pierces(const Vec3& u, const Vec3& v, const Triangle& t, Real least) {
    const Real from = side(t.a, t.b, t.c, u), to = side(t.a, t.b, t.c, v);
    if (!((from > least && to < -least) || (from < -least && to > least))) return false;
    const Real ab = side(u, v, t.a, t.b), bc = side(u, v, t.b, t.c), ca = side(u, v, t.c, t.a);
    return (ab > least && bc > least && ca > least) || (ab < -least && bc < -least && ca < -least);
}

}  // namespace

// Within the triangle if x projects to its inside, else on the nearest edge.
Vec3 Triangle::nearest(const Vec3& x) const {
    const Vec3 ab = b - a, ac = c - a, n = ab.cross(ac);
    const Real squared = n.squaredNorm();
    if (squared > 0) {
        const Vec3 ax = x - a;
        const Real v = ax.cross(ac).dot(n), w = ab.cross(ax).dot(n);  // barycentric weights of b and c, times squared
        if (v >= 0 && w >= 0 && v + w <= squared) return a + (v * ab + w * ac) / squared;
    }
    const Vec3 on_ab = nearest_on_edge(x, a, b), on_bc = nearest_on_edge(x, b, c), on_ca = nearest_on_edge(x, c, a);
    const Real to_ab = (x - on_ab).squaredNorm(), to_bc = (x - on_bc).squaredNorm(), to_ca = (x - on_ca).squaredNorm();
    if (to_ab <= to_bc && to_ab <= to_ca) return on_ab;
    return to_bc <= to_ca ? on_bc : on_ca;
}

bool cross(const Triangle& s, const Triangle& t, int shared) {
    if (shared >= 2) return false;
    Box box(s.a);
    box.extend(s.b).extend(s.c).extend(t.a).extend(t.b).extend(t.c);
    // Triangles that lie in one plane up to the rounding of floats are not to be told apart by it.
    const Real least = 1e-5 * cube(box.diagonal().norm());
    const auto hits = [&](const Vec3& u, const Vec3& v, const Triangle& other) { return pierces(u, v, other, least); };
    if (shared == 1) return hits(s.b, s.c, t) || hits(t.b, t.c, s);
    return hits(s.a, s.b, t) || hits(s.b, s.c, t) || hits(s.c, s.a, t) ||  //
           hits(t.a, t.b, s) || hits(t.b, t.c, s) || hits(t.c, t.a, s);
}

}  // namespace pliant
