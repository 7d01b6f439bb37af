#include "pliant/shapes/box_shape.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/shapes/require.h"
#include "pliant/shapes/rounded_box_surface.h"

namespace pliant {
namespace {

// How many steps of about a spacing a row of points takes along `length`: none nearer than 0.7 spacings to the next,
// none farther than 1.4. A length below 0.7 has one point, in its middle.
int steps_along(Real length, Real spacing) {
    const Real spacings = length / spacing;
    if (spacings < 0.7) return 0;
    return spacings < 1.4 ? 1 : std::max(2, static_cast<int>(std::lround(spacings)));
}

// All points within `round` of an inner box of half sizes `inner`.
class BoxSolid : public Shape {
public:
    BoxSolid(const Vec3& inner, Real round) : inner_(inner), round_(round) {}

    // d = |max(q, 0)| + min(max(q), 0) - round,   q = |x| - inner
    Real distance(const Vec3& x) const override {
        const Vec3 q = x.cwiseAbs() - inner_;
        return beyond(q).norm() + std::min(std::max({q.x(), q.y(), q.z()}), Real(0)) - round_;
    }

    // Outside the inner box: away from its nearest point. Inside: towards its nearest face.
    Vec3 normal(const Vec3& x) const override {
        const Vec3 q = x.cwiseAbs() - inner_;
        const Vec3 sign = x.unaryExpr([](Real c) { return c < 0 ? Real(-1) : Real(1); });
        const Vec3 away = beyond(q);
        const Real length = away.norm();
        if (length > 0) return sign.cwiseProduct(away) / length;
        int axis = 0;
        q.maxCoeff(&axis);
        return sign[axis] * Vec3::Unit(axis);
    }

    Box bounds() const override {
        const Vec3 half = inner_ + Vec3::Constant(round_);
        return Box(-half, half);
    }

    TriangleMesh surface(Real resolution) const override { return rounded_box_surface(inner_, round_, resolution); }

    // The sites on the outside of a lattice that fills the box within: rows meet at the edges.
    std::vector<Vec3> surface_rows(Real spacing, Real depth) const override {
        if (round_ > 0) return {};
        const Vec3 half = (inner_ - Vec3::Constant(depth)).cwiseMax(0);
        std::array<int, 3> steps;
        for (int axis = 0; axis < 3; ++axis) steps[axis] = steps_along(2 * half[axis], spacing);
        const auto place = [&](int axis, int i) {
            return steps[axis] == 0 ? Real(0) : half[axis] * (2 * Real(i) / steps[axis] - 1);
        };
        std::vector<Vec3> points;
        for (int k = 0; k <= steps[2]; ++k) {
            for (int j = 0; j <= steps[1]; ++j) {
                const bool is_outside = k == 0 || k == steps[2] || j == 0 || j == steps[1];
                const int stride = is_outside ? 1 : std::max(1, steps[0]);
                for (int i = 0; i <= steps[0]; i += stride) points.emplace_back(place(0, i), place(1, j), place(2, k));
            }
        }
        return points;
    }

private:
    // Component by component, for Eigen's maximum may lose a NaN.
    static Vec3 beyond(const Vec3& q) {
        return Vec3(std::max(q.x(), Real(0)), std::max(q.y(), Real(0)), std::max(q.z(), Real(0)));
    }

    Vec3 inner_;
    Real round_;
};

}  // namespace

const FieldTable& BoxShape::fields() {
    static const FieldTable table = {
        field("box", &BoxShape::size, "m", "edge lengths along x, y and z").above(0).required(),
        field("round", &BoxShape::round, "m", "radius of the edges; at most half the shortest edge").at_least(0),
    };
    return table;
}

ShapePtr BoxShape::build(const ShapeContext&) const {
    for (int axis = 0; axis < 3; ++axis) require_positive(kind, "edge length", size[axis]);
    require(round >= 0 && round <= size.minCoeff() / 2,
            fmt::format("box: round is {} m; it must lie between 0 and half the shortest edge, {} m", round,
                        size.minCoeff() / 2));
    return std::make_shared<BoxSolid>((size / 2 - Vec3::Constant(round)).cwiseMax(0), round);
}

}  // namespace pliant
