// A solid given by its signed distance. Bodies are sampled from shapes and colliders are made of them.
#pragma once

#include <memory>
#include <vector>

#include "pliant/geometry/mesh.h"
#include "pliant/math/types.h"

namespace pliant {

class Shape {
public:
    virtual ~Shape() = default;

    // Signed distance to the surface [m], negative inside. Exact outside for the plain shapes; for blends of shapes
    // and for meshes at least never larger than the true distance by more than the shape's resolution.
    virtual Real distance(const Vec3& x) const = 0;

    // Unit outward direction: the gradient of the distance. Defined everywhere, also on the axis of a cylinder.
    virtual Vec3 normal(const Vec3& x) const;  // central differences unless a shape knows better

    virtual bool is_bounded() const { return true; }
    virtual Box bounds() const = 0;  // of an unbounded shape: infinite

    // The surface as triangles no longer than about `resolution` where it is curved. Empty for an unbounded shape.
    virtual TriangleMesh surface(Real resolution) const;  // from the distance, unless a shape knows better

    // Points about `spacing` apart in straight rows all over the surface, `depth` below it: see sample_surface(), which
    // finds its own where a shape has no such rows and gives none.
    virtual std::vector<Vec3> surface_rows(Real /*spacing*/, Real /*depth*/) const { return {}; }
};

using ShapePtr = std::shared_ptr<const Shape>;

// Rotation, uniform scale and position: x = position + rotation * (scale * x_local).
struct Placement {
    Vec3 position = Vec3::Zero();
    Quat rotation = Quat::Identity();
    Real scale = 1;

    Vec3 to_world(const Vec3& local) const { return position + rotation * (scale * local); }
    Vec3 to_local(const Vec3& world) const { return rotation.conjugate() * (world - position) / scale; }
};

ShapePtr placed(ShapePtr shape, const Placement& placement);

}  // namespace pliant
