#include "pliant/geometry/shape.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/geometry/field_surface.h"

namespace pliant {
namespace {

// A shape that was turned, scaled and moved. Scale keeps distances distances: d(x) = s d_local(x_local).
class PlacedShape : public Shape {
public:
    PlacedShape(ShapePtr shape, const Placement& placement) : shape_(std::move(shape)), placement_(placement) {}

    Real distance(const Vec3& x) const override { return placement_.scale * shape_->distance(placement_.to_local(x)); }
    Vec3 normal(const Vec3& x) const override { return placement_.rotation * shape_->normal(placement_.to_local(x)); }
    bool is_bounded() const override { return shape_->is_bounded(); }

    Box bounds() const override {
        const Box local = shape_->bounds();
        if (!is_bounded() || local.isEmpty()) return local;
        Box box;
        for (int corner = 0; corner < 8; ++corner) {
            box.extend(placement_.to_world(local.corner(static_cast<Box::CornerType>(corner))));
        }
        return box;
    }

    TriangleMesh surface(Real resolution) const override {
        TriangleMesh mesh = shape_->surface(resolution / placement_.scale);
        for (Vec3& x : mesh.vertices) x = placement_.to_world(x);
        return mesh;
    }

    std::vector<Vec3> surface_rows(Real spacing, Real depth) const override {
        std::vector<Vec3> points = shape_->surface_rows(spacing / placement_.scale, depth / placement_.scale);
        for (Vec3& x : points) x = placement_.to_world(x);
        return points;
    }

private:
    ShapePtr shape_;
    Placement placement_;
};

bool is_usable(const Placement& placement) {
    return placement.position.allFinite() && placement.rotation.coeffs().allFinite() && placement.rotation.norm() > 0 &&
           std::isfinite(placement.scale) && placement.scale > 0;
}

}  // namespace

// n = grad d by central differences, over a step that is small beside the shape and large beside rounding
Vec3 Shape::normal(const Vec3& x) const {
    Real step = 1e-7 * (x.cwiseAbs().maxCoeff() + 1e-3);
    if (is_bounded()) step = std::max(1e-5 * bounds().diagonal().norm(), 1e-7 * x.cwiseAbs().maxCoeff());
    Vec3 gradient;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 ahead = x, behind = x;
        ahead[axis] += step;
        behind[axis] -= step;
        gradient[axis] = distance(ahead) - distance(behind);
    }
    const Real length = gradient.norm();
    return length > 0 && std::isfinite(length) ? Vec3(gradient / length) : Vec3::UnitY();
}

TriangleMesh Shape::surface(Real resolution) const {
    if (!is_bounded()) return {};
    FieldSurfaceSettings settings;
    settings.voxel = resolution;
    settings.steepness = 1.1;
    return field_surface([this](const Vec3& x) { return distance(x); }, bounds(), settings);
}

ShapePtr placed(ShapePtr shape, const Placement& placement) {
    if (!is_usable(placement)) {
        throw InputError(
            "a shape can only be placed at finite numbers, with a rotation of non-zero length and a scale above 0");
    }
    Placement exact = placement;
    exact.rotation.normalize();
    return std::make_shared<PlacedShape>(std::move(shape), exact);
}

}  // namespace pliant
