#include "pliant/geometry/implicit.h"

#include <utility>

namespace pliant::implicit {

// The nearest point q of the surface satisfies p - q = t q / r^2 (componentwise, r = radii), so q = r^2 p / (t + r^2)
// where t is the largest root of
//   g(t) = |r p / (t + r^2)| = 1,     and the distance is d = t |p / (t + r^2)|, negative with t inside.
// 1/g is increasing and concave, and nearly straight, so Newton's iteration on 1/g = 1 from a t that is too small
// climbs to the root without passing it; three or four rounds are usual. It runs in s = t + min(r)^2, which keeps its
// digits where the root comes near the pole.
Real ellipsoid(const Vec3& x, const Vec3& centre, const Vec3& radii) {
    assert(radii.minCoeff() > 0);
    using Four = Eigen::Array4d;  // the fourth lane is idle: four fit a register
    const Real least = radii.minCoeff(), shift = square(least);
    const Four r(radii.x(), radii.y(), radii.z(), least);
    const Four squares = r * r - shift;
    // A point on a plane of symmetry may have two nearest points, and its root lies in a pole: step off by a hair.
    const Vec3 away = (x - centre).cwiseAbs().cwiseMax(1e-12 * least);
    const Four p(away.x(), away.y(), away.z(), 0), rp = r * p;
    Real s = std::max((rp - squares).maxCoeff(), rp.matrix().norm() - squares.maxCoeff());
    Real g = 2;
    for (int round = 0; round < 30 && g > 1 + 1e-5; ++round) {  // the last round leaves an error of 1e-10
        const Four inverse = (squares + s).inverse();
        const Four terms = (rp * inverse).square();
        const Real g2 = terms.sum();
        g = std::sqrt(g2);
        s += (g - 1) * g2 / (terms * inverse).sum();
    }
    return (s - shift) * (p / (squares + s)).matrix().norm();
}

// The foot of x on the triangle's plane lies inside, or beyond an edge: then the nearest point is on such an edge.
// (n x e is the inward normal of the edge e.)
Real thick_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c, Real radius) {
    const Vec3 n = (b - a).cross(c - a);
    Real least = -1;  // squared distance to the edges that x is beyond
    for (const auto& [p, q] : {std::pair(&a, &b), std::pair(&b, &c), std::pair(&c, &a)}) {
        const Vec3 edge = *q - *p, from_p = x - *p;
        if (n.cross(edge).dot(from_p) > 0) continue;
        const Real s = std::clamp(from_p.dot(edge) / std::max(edge.squaredNorm(), Real(1e-30)), Real(0), Real(1));
        const Real d2 = (from_p - s * edge).squaredNorm();
        least = least < 0 ? d2 : std::min(least, d2);
    }
    return (least < 0 ? std::abs(n.dot(x - a)) / n.norm() : std::sqrt(least)) - radius;
}

BentCone::BentCone(const Vec3& start, const Vec3& direction, const Vec3& side, Real bend_radius, Real angle,
                   Real start_radius, Real end_radius)
    : start_(start),
      direction_(direction),
      side_(side),
      bend_radius_(bend_radius),
      angle_(angle),
      start_radius_(start_radius),
      end_(point_at(angle)),
      fall_((start_radius - end_radius) / angle) {
    assert(bend_radius > 0 && angle > 0 && angle < 2 * pi && start_radius > 0 && end_radius > 0);
}

BentCone BentCone::after(const BentCone& last, Real roll, Real bend_radius, Real angle, Real end_radius) {
    const Vec3 direction = last.direction_at(last.angle_);
    const Vec3 across = last.direction_.cross(last.side_);
    const Vec3 side = std::cos(roll) * across.cross(direction) + std::sin(roll) * across;
    return {last.end_, direction, side, bend_radius, angle, last.radius_at(last.angle_), end_radius};
}

Vec3 BentCone::point_at(Real phi) const {
    return start_ + bend_radius_ * (std::sin(phi) * direction_ + (1 - std::cos(phi)) * side_);
}

Vec3 BentCone::direction_at(Real phi) const {
    return std::cos(phi) * direction_ + std::sin(phi) * side_;
}

// In the plane of the bend, around its centre, x has the polar coordinates (rho, phi), and w across the plane. With
// the ball's radius falling by k a radian, the least of
//   D(phi + delta) + k (phi + delta),   D^2 = (rho - R)^2 + 2 rho R (1 - cos delta) + w^2
// lies at sin(delta) = -k D / (rho R); as k is small, D at delta = 0 is good enough in it. The two ends are balls.
Real BentCone::distance(const Vec3& x) const {
    const Vec3 from_start = x - start_;
    const Real ends = std::min(from_start.norm() - start_radius_, (x - end_).norm() - radius_at(angle_));

    const Real u = from_start.dot(direction_), side = from_start.dot(side_), v = bend_radius_ - side;
    const Real w2 = std::max(Real(0), from_start.squaredNorm() - u * u - side * side);
    const Real rho = std::sqrt(u * u + v * v), rho_R = std::max(rho * bend_radius_, Real(1e-30));
    const Real D2 = square(rho - bend_radius_) + w2;
    const Real sine = fall_ * std::sqrt(D2) / rho_R;
    if (std::abs(sine) >= 1) return ends;
    Real phi = std::atan2(u, v);
    if (phi < 0 && angle_ > pi) phi += 2 * pi;
    phi -= std::asin(sine);
    if (phi <= 0 || phi >= angle_) return ends;
    return std::min(ends, std::sqrt(D2 + 2 * rho_R * (1 - std::sqrt(1 - sine * sine))) - radius_at(phi));
}

}  // namespace pliant::implicit
