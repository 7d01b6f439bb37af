#include "pliant/shapes/box_shape.h"

#include <algorithm>

#include "pliant/shapes/require.h"
#include "pliant/shapes/rounded_box_surface.h"

namespace pliant {
namespace {

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
