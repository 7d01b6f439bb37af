#include "pliant/shapes/models/membrane.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "pliant/geometry/implicit.h"

namespace pliant {

void Membrane::add_strip(const std::vector<Vec3>& left, const std::vector<Vec3>& right) {
    assert(left.size() == right.size());
    for (std::size_t i = 0; i + 1 < left.size(); ++i) {
        add(left[i], right[i], left[i + 1]);
        add(right[i], right[i + 1], left[i + 1]);
    }
}

void Membrane::add(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 centre = (a + b + c) / 3;
    triangles_.push_back({a, b, c, centre, std::max({(a - centre).norm(), (b - centre).norm(), (c - centre).norm()})});
}

// Passes over the triangles that are further away than the nearest so far.
Real Membrane::distance(const Vec3& x) const {
    Real least = std::numeric_limits<Real>::infinity();
    for (const Triangle& t : triangles_) {
        if ((x - t.centre).squaredNorm() >= square(least + half_thickness_ + t.radius)) continue;
        least = std::min(least, implicit::thick_triangle(x, t.a, t.b, t.c, half_thickness_));
    }
    return least;
}

}  // namespace pliant
