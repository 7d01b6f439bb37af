// Solids as formulas: signed distances of simple solids (negative inside), and ways of joining them. A recipe built
// of these reads like a list of body parts, and stays a usable distance: every function here grows by at most one
// metre a metre (it is 1-Lipschitz), so that a ray or a sampler may step by the value without passing the surface.
//
// Points must be finite, radii and blends positive: they are constants of a recipe, and asserted where it is cheap.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>

#include "pliant/math/types.h"

namespace pliant::implicit {

// d = |x - c| - r
inline Real sphere(const Vec3& x, const Vec3& centre, Real radius) {
    return (x - centre).norm() - radius;
}

// The exact distance to an ellipsoid along the axes. Defined in implicit.cpp, where the iteration is explained.
Real ellipsoid(const Vec3& x, const Vec3& centre, const Vec3& radii);

// All balls whose centre walks from a to b while the radius goes from radius_a to radius_b.
//   d = min over s in [0, L] of |x - a - s u| - r(s),   r(s) = radius_a - s sin(beta)
// The minimum lies at s = y - h tan(beta) with y along the axis and h across it.
inline Real round_cone(const Vec3& x, const Vec3& a, Real radius_a, const Vec3& b, Real radius_b) {
    assert(radius_a > 0 && radius_b > 0);
    const Vec3 axis = b - a, from_a = x - a;
    const Real length = axis.norm();
    const Real sine = radius_a - radius_b;  // times length
    if (std::abs(sine) >= length) {         // one ball lies within the other
        return radius_a > radius_b ? from_a.norm() - radius_a : (x - b).norm() - radius_b;
    }
    const Real y = from_a.dot(axis) / length;
    const Real h = std::sqrt(std::max(Real(0), from_a.squaredNorm() - y * y));
    const Real tangent = sine / std::sqrt(length * length - sine * sine);
    const Real s = std::clamp(y - h * tangent, Real(0), length);
    return std::sqrt(square(y - s) + h * h) - (radius_a - s * sine / length);
}

// A round cone bent to an arc of a circle: leaves `start` along `direction` and turns towards `side` (both of unit
// length, at right angles) through `angle` [rad] (below 2 pi) with the given bend radius; all balls along it, as above.
class BentCone {
public:
    BentCone(const Vec3& start, const Vec3& direction, const Vec3& side, Real bend_radius, Real angle,
             Real start_radius, Real end_radius);
    // The bend that goes on where `last` ended; `roll` [rad] turns its side about its direction.
    static BentCone after(const BentCone& last, Real roll, Real bend_radius, Real angle, Real end_radius);

    Real distance(const Vec3& x) const;
    Vec3 point_at(Real phi) const;      // on the middle line, phi = 0 ... angle
    Vec3 direction_at(Real phi) const;  // of the middle line
    Real radius_at(Real phi) const { return start_radius_ - fall_ * phi; }
    Real angle() const { return angle_; }

private:
    Vec3 start_, direction_, side_;
    Real bend_radius_, angle_, start_radius_;
    Vec3 end_;
    Real fall_;  // of the radius a radian
};

inline Real capsule(const Vec3& x, const Vec3& a, const Vec3& b, Real radius) {
    const Vec3 axis = b - a, from_a = x - a;
    const Real s = std::clamp(from_a.dot(axis) / std::max(axis.squaredNorm(), Real(1e-30)), Real(0), Real(1));
    return (from_a - s * axis).norm() - radius;
}

// A box whose edges are rounded by a ball of the given radius; half_size includes the rounding.
inline Real rounded_box(const Vec3& x, const Vec3& centre, const Vec3& half_size, Real rounding) {
    assert(rounding >= 0 && rounding <= half_size.minCoeff());
    const Vec3 beyond = (x - centre).cwiseAbs() - half_size + Vec3::Constant(rounding);
    return beyond.cwiseMax(0).norm() + std::min(beyond.maxCoeff(), Real(0)) - rounding;
}

// A ring around `axis` (of unit length): radius of its middle line, and of its tube.
inline Real torus(const Vec3& x, const Vec3& centre, const Vec3& axis, Real ring_radius, Real tube_radius) {
    const Vec3 from_centre = x - centre;
    const Real along = from_centre.dot(axis);
    const Real across = (from_centre - along * axis).norm();
    return std::hypot(across - ring_radius, along) - tube_radius;
}

// A cylinder around `axis` (of unit length) with rounded rims; half_length and radius include the rounding.
inline Real cylinder(const Vec3& x, const Vec3& centre, const Vec3& axis, Real half_length, Real radius,
                     Real rounding) {
    assert(rounding >= 0 && rounding <= std::min(half_length, radius));
    const Vec3 from_centre = x - centre;
    const Real along = from_centre.dot(axis);
    const Real beyond_side = (from_centre - along * axis).norm() - radius + rounding;
    const Real beyond_end = std::abs(along) - half_length + rounding;
    return std::sqrt(square(std::max(beyond_side, Real(0))) + square(std::max(beyond_end, Real(0)))) +
           std::min(std::max(beyond_side, beyond_end), Real(0)) - rounding;
}

// A triangle thickened by a ball of the given radius: all points that near to it. A needle or a point may be given too.
Real thick_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c, Real radius);

// Everything behind the plane through `point` with the outward unit `normal`.
inline Real half_space(const Vec3& x, const Vec3& point, const Vec3& normal) {
    return (x - point).dot(normal);
}

// Sharp set operations.
inline Real join(Real a, Real b) {
    return std::min(a, b);
}
inline Real cut(Real a, Real b) {
    return std::max(a, -b);
}  // a without b
inline Real overlap(Real a, Real b) {
    return std::max(a, b);
}

// Their smooth kin: where |a - b| < k the edge gives way to a fillet, at most k/4 deep.
//   blend(a, b, k) = min(a, b) - k h^2 / 4,   h = max(0, 1 - |a - b| / k)
// Its gradient is a weighted mean of both gradients, so it stays 1-Lipschitz.
inline Real blend(Real a, Real b, Real k) {
    assert(k > 0);
    const Real h = std::max(Real(0), 1 - std::abs(a - b) / k);
    return std::min(a, b) - k * h * h / 4;
}
inline Real smooth_overlap(Real a, Real b, Real k) {
    return -blend(-a, -b, k);
}
inline Real smooth_cut(Real a, Real b, Real k) {
    return smooth_overlap(a, -b, k);
}

// blend(a, part(), k), but the part is looked at only where it can matter. It must lie within the ball, and its
// distance must be at least that to the ball; then the result has the same value.
template <class Part>
Real blend_near(Real a, Real k, const Vec3& x, const Vec3& ball_centre, Real ball_radius, Part&& part) {
    const Real reach = a + k + ball_radius;
    if (reach <= 0 || (x - ball_centre).squaredNorm() >= reach * reach) return a;
    return blend(a, part(), k);
}

// blend and smooth_cut with an ellipsoid, the dearest part, in the same way: only where it can matter.
inline Real blend_ellipsoid(Real a, const Vec3& x, const Vec3& centre, const Vec3& radii, Real k) {
    return blend_near(a, k, x, centre, radii.maxCoeff(), [&] { return ellipsoid(x, centre, radii); });
}
inline Real cut_ellipsoid(Real a, const Vec3& x, const Vec3& centre, const Vec3& radii, Real k) {
    return -blend_ellipsoid(-a, x, centre, radii, k);
}

// Moving a part is moving the point the other way. A mirrored point makes one part two, at +x and -x.
inline Vec3 mirrored(const Vec3& x) {
    return Vec3(std::abs(x.x()), x.y(), x.z());
}

// As mirrored, with the crease at x = 0 rounded over a width of about `softness`, for parts that meet there.
inline Vec3 softly_mirrored(const Vec3& x, Real softness) {
    return Vec3(std::sqrt(x.x() * x.x() + softness * softness), x.y(), x.z());
}

// x as seen by a part that is turned about `pivot` by the angle, right-handed, about one of the axes.
inline Vec3 turned_about_x(const Vec3& x, const Vec3& pivot, Real degrees) {
    const Real c = std::cos(degrees * pi / 180), s = std::sin(degrees * pi / 180);
    const Vec3 d = x - pivot;
    return pivot + Vec3(d.x(), c * d.y() + s * d.z(), c * d.z() - s * d.y());
}
inline Vec3 turned_about_y(const Vec3& x, const Vec3& pivot, Real degrees) {
    const Real c = std::cos(degrees * pi / 180), s = std::sin(degrees * pi / 180);
    const Vec3 d = x - pivot;
    return pivot + Vec3(c * d.x() - s * d.z(), d.y(), c * d.z() + s * d.x());
}
inline Vec3 turned_about_z(const Vec3& x, const Vec3& pivot, Real degrees) {
    const Real c = std::cos(degrees * pi / 180), s = std::sin(degrees * pi / 180);
    const Vec3 d = x - pivot;
    return pivot + Vec3(c * d.x() + s * d.y(), c * d.y() - s * d.x(), d.z());
}

}  // namespace pliant::implicit
