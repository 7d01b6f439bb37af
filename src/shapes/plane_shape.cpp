#include "pliant/shapes/plane_shape.h"

#include <limits>

#include "pliant/shapes/require.h"

namespace pliant {
namespace {

class HalfSpace : public Shape {
public:
    HalfSpace(const Vec3& outward, Real offset) : outward_(outward), offset_(offset) {}

    Real distance(const Vec3& x) const override { return outward_.dot(x) - offset_; }
    Vec3 normal(const Vec3&) const override { return outward_; }
    bool is_bounded() const override { return false; }
    Box bounds() const override {
        const Real infinite = std::numeric_limits<Real>::infinity();
        return Box(Vec3::Constant(-infinite), Vec3::Constant(infinite));
    }
    TriangleMesh surface(Real) const override { return {}; }

private:
    Vec3 outward_;
    Real offset_;
};

}  // namespace

const FieldTable& PlaneShape::fields() {
    static const FieldTable table = {
        field("plane", &PlaneShape::direction, "", "direction out of the solid, of any length but zero").required(),
        field("offset", &PlaneShape::offset, "m", "distance of the plane from the origin along the direction"),
    };
    return table;
}

ShapePtr PlaneShape::build(const ShapeContext&) const {
    require(direction.allFinite() && direction.stableNorm() > 0,
            "plane: the direction must have a length, for example [0, 1, 0] for a floor");
    require(std::isfinite(offset), "plane: the offset must be a finite number");
    return std::make_shared<HalfSpace>(direction.stableNormalized(), offset);
}

}  // namespace pliant
