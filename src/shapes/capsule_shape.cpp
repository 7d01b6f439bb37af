#include "pliant/shapes/capsule_shape.h"

#include <algorithm>

#include "pliant/shapes/require.h"
#include "pliant/shapes/rounded_box_surface.h"

namespace pliant {
namespace {

class Capsule : public Shape {
public:
    Capsule(Real radius, Real half_axis) : radius_(radius), half_axis_(half_axis) {}

    Real distance(const Vec3& x) const override { return from_axis(x).norm() - radius_; }

    Vec3 normal(const Vec3& x) const override {
        const Vec3 away = from_axis(x);
        const Real length = away.norm();
        return length > 0 ? Vec3(away / length) : Vec3::UnitX();
    }

    Box bounds() const override {
        const Vec3 half(radius_, half_axis_ + radius_, radius_);
        return Box(-half, half);
    }

    TriangleMesh surface(Real resolution) const override {
        return rounded_box_surface(Vec3(0, half_axis_, 0), radius_, resolution);
    }

private:
    Vec3 from_axis(const Vec3& x) const { return x - Vec3(0, std::clamp(x.y(), -half_axis_, half_axis_), 0); }

    Real radius_, half_axis_;
};

}  // namespace

const FieldTable& CapsuleShape::fields() {
    static const FieldTable table = {
        field("capsule", &CapsuleShape::radius, "m", "radius").above(0).required(),
        field("height", &CapsuleShape::height, "m", "total height along y, at least twice the radius").above(0),
    };
    return table;
}

ShapePtr CapsuleShape::build(const ShapeContext&) const {
    require_positive(kind, "radius", radius);
    require_positive(kind, "height", height);
    require(height >= 2 * radius, fmt::format("capsule: the height of {} m is less than twice the radius; make it at "
                                              "least {} m",
                                              height, 2 * radius));
    return std::make_shared<Capsule>(radius, height / 2 - radius);
}

}  // namespace pliant
