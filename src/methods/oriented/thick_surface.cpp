#include "pliant/methods/oriented/thick_surface.h"

#include "pliant/geometry/triangle_tree.h"

namespace pliant {
namespace {

class ThickSurface : public Shape {
public:
    ThickSurface(const TriangleMesh& mesh, Real thickness)
        : mesh_(mesh), tree_(mesh), half_(thickness / 2), bounds_(mesh.bounds()) {
        bounds_.min().array() -= half_;
        bounds_.max().array() += half_;
    }

    Real distance(const Vec3& x) const override { return tree_.nearest(x).distance - half_; }
    Box bounds() const override { return bounds_; }
    TriangleMesh surface(Real) const override { return mesh_; }  // what is seen of a sheet has no thickness

private:
    TriangleMesh mesh_;
    TriangleTree tree_;
    Real half_;  // thickness
    Box bounds_;
};

}  // namespace

ShapePtr thick_surface(const TriangleMesh& mesh, Real thickness) {
    return std::make_shared<ThickSurface>(mesh, thickness);
}

}  // namespace pliant
