#include "pliant/shapes/sphere_shape.h"

#include "pliant/shapes/require.h"
#include "pliant/shapes/rounded_box_surface.h"

namespace pliant {
namespace {

class Ball : public Shape {
public:
    explicit Ball(Real radius) : radius_(radius) {}

    Real distance(const Vec3& x) const override { return x.norm() - radius_; }

    Vec3 normal(const Vec3& x) const override {
        const Real length = x.norm();
        return length > 0 ? Vec3(x / length) : Vec3::UnitY();
    }

    Box bounds() const override { return Box(Vec3::Constant(-radius_), Vec3::Constant(radius_)); }
    TriangleMesh surface(Real resolution) const override {
        return rounded_box_surface(Vec3::Zero(), radius_, resolution);
    }

private:
    Real radius_;
};

}  // namespace

const FieldTable& SphereShape::fields() {
    static const FieldTable table = {
        field("sphere", &SphereShape::radius, "m", "radius").above(0).required(),
    };
    return table;
}

ShapePtr SphereShape::build(const ShapeContext&) const {
    require_positive(kind, "radius", radius);
    return std::make_shared<Ball>(radius);
}

}  // namespace pliant
