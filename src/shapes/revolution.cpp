#include "pliant/shapes/revolution.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/shapes/pieces.h"

namespace pliant {
namespace {

using Vec2 = Eigen::Vector2d;

Vec3 turned(const Vec2& point, Real angle) {
    return Vec3(point.x() * std::cos(angle), point.y(), -point.x() * std::sin(angle));
}

// The nearest point of the outline, and which way is out there.
struct OutlineHit {
    Real distance = std::numeric_limits<Real>::infinity();  // signed
    Vec2 outward = Vec2::UnitY();
};

class RevolvedSolid : public Shape {
public:
    explicit RevolvedSolid(Outline outline) : outline_(std::move(outline)) {}

    Real distance(const Vec3& x) const override { return nearest(flattened(x)).distance; }

    Vec3 normal(const Vec3& x) const override {
        const Vec2 outward = nearest(flattened(x)).outward;
        const Real r = std::hypot(x.x(), x.z());
        const Vec2 around = r > 0 ? Vec2(x.x() / r, x.z() / r) : Vec2(1, 0);
        return Vec3(outward.x() * around.x(), outward.y(), outward.x() * around.y());
    }

    Box bounds() const override {
        Box box;
        for (const Vec2& p : outline_) {
            box.extend(Vec3(p.x(), p.y(), p.x()));
            box.extend(Vec3(-p.x(), p.y(), -p.x()));
        }
        return box;
    }

    TriangleMesh surface(Real resolution) const override {
        Real largest = 0;
        for (const Vec2& p : outline_) largest = std::max(largest, p.x());
        return revolved(outline_, false, pieces(2 * pi * largest, resolution, 24, 2048));
    }

private:
    static Vec2 flattened(const Vec3& x) { return Vec2(std::hypot(x.x(), x.z()), x.y()); }

    // Inside a convex outline the nearest edge is the one whose line is nearest; outside it is a matter of segments.
    OutlineHit nearest(const Vec2& p) const {
        if (p.hasNaN()) return {std::numeric_limits<Real>::quiet_NaN(), Vec2::UnitY()};
        OutlineHit inside, outside;
        inside.distance = -inside.distance;
        for (std::size_t i = 0; i + 1 < outline_.size(); ++i) {
            const Vec2 edge = outline_[i + 1] - outline_[i], from_start = p - outline_[i];
            const Vec2 out = Vec2(edge.y(), -edge.x()).normalized();
            const Real beyond_line = out.dot(from_start);
            if (beyond_line > inside.distance) inside = {beyond_line, out};
            const Real along = std::clamp(from_start.dot(edge) / edge.squaredNorm(), Real(0), Real(1));
            const Vec2 away = from_start - along * edge;
            const Real distance = away.norm();
            if (distance < outside.distance) outside = {distance, distance > 0 ? Vec2(away / distance) : out};
        }
        return inside.distance > 0 ? outside : inside;
    }

    Outline outline_;
};

}  // namespace

TriangleMesh revolved(const Outline& outline, bool is_loop, int pieces_around) {
    TriangleMesh mesh;
    const int points = static_cast<int>(outline.size());
    std::vector<int> first(points), count(points);  // the vertices of each point's circle; one on the axis
    for (int i = 0; i < points; ++i) {
        first[i] = static_cast<int>(mesh.vertices.size());
        const bool on_axis = !is_loop && (i == 0 || i == points - 1);
        count[i] = on_axis ? 1 : pieces_around;
        for (int k = 0; k < count[i]; ++k) mesh.vertices.push_back(turned(outline[i], 2 * pi * k / pieces_around));
    }
    const int edges = is_loop ? points : points - 1;
    for (int i = 0; i < edges; ++i) {
        const int next = (i + 1) % points;
        for (int k = 0; k < pieces_around; ++k) {
            const auto at = [&](int point, int turn) {
                return first[point] + (count[point] == 1 ? 0 : turn % pieces_around);
            };
            const int a = at(i, k), b = at(i, k + 1), c = at(next, k + 1), d = at(next, k);
            if (a != b) mesh.triangles.push_back({a, b, c});
            if (c != d) mesh.triangles.push_back({a, c, d});
        }
    }
    return mesh;
}

ShapePtr revolved_solid(const Outline& outline) {
    return std::make_shared<RevolvedSolid>(outline);
}

}  // namespace pliant
