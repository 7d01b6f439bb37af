#include "pliant/shapes/torus_shape.h"

#include <cmath>

#include "pliant/shapes/pieces.h"
#include "pliant/shapes/require.h"
#include "pliant/shapes/revolution.h"

namespace pliant {
namespace {

class Torus : public Shape {
public:
    Torus(Real ring, Real tube) : ring_(ring), tube_(tube) {}

    // d = sqrt((r - ring)^2 + y^2) - tube,   r = distance from the y axis
    Real distance(const Vec3& x) const override { return std::hypot(std::hypot(x.x(), x.z()) - ring_, x.y()) - tube_; }

    Vec3 normal(const Vec3& x) const override {
        const Real r = std::hypot(x.x(), x.z());
        const Vec3 outward = r > 0 ? Vec3(x.x() / r, 0, x.z() / r) : Vec3::UnitX();
        const Vec3 away = (r - ring_) * outward + x.y() * Vec3::UnitY();
        const Real length = away.norm();
        return length > 0 ? Vec3(away / length) : Vec3::UnitY();
    }

    Box bounds() const override {
        const Vec3 half(ring_ + tube_, tube_, ring_ + tube_);
        return Box(-half, half);
    }

    TriangleMesh surface(Real resolution) const override {
        const int pieces_of_tube = pieces(2 * pi * tube_, resolution, 16, 1024);
        Outline circle;
        for (int i = 0; i < pieces_of_tube; ++i) {
            const Real angle = 2 * pi * i / pieces_of_tube;
            circle.emplace_back(ring_ + tube_ * std::cos(angle), tube_ * std::sin(angle));
        }
        return revolved(circle, true, pieces(2 * pi * (ring_ + tube_), resolution, 32, 2048));
    }

private:
    Real ring_, tube_;
};

}  // namespace

const FieldTable& TorusShape::fields() {
    static const FieldTable table = {
        field("torus", &TorusShape::ring, "m", "radius of the ring, to the middle of the tube").above(0).required(),
        field("tube", &TorusShape::tube, "m", "radius of the tube, less than that of the ring").above(0),
    };
    return table;
}

ShapePtr TorusShape::build(const ShapeContext&) const {
    require_positive(kind, "ring's radius", ring);
    require_positive(kind, "tube's radius", tube);
    require(tube < ring,
            fmt::format("torus: the tube's radius of {} m must be less than the ring's, {} m", tube, ring));
    return std::make_shared<Torus>(ring, tube);
}

}  // namespace pliant
