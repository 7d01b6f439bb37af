#include "pliant/geometry/grid_shape.h"

#include <algorithm>
#include <utility>

namespace pliant {
namespace {

class GridShape : public Shape {
public:
    GridShape(DistanceGrid grid, const Box& bounds) : grid_(std::move(grid)), bounds_(bounds) {}

    Real distance(const Vec3& x) const override { return grid_.distance(x); }
    Vec3 normal(const Vec3& x) const override {
        const Vec3 gradient = grid_.gradient(x);
        const Real length = gradient.norm();
        return length > 0 ? Vec3(gradient / length) : Vec3::UnitY();
    }
    Box bounds() const override { return bounds_; }

private:
    DistanceGrid grid_;
    Box bounds_;
};

class MeshSolid : public GridShape {
public:
    MeshSolid(DistanceGrid grid, const TriangleMesh& mesh) : GridShape(std::move(grid), mesh.bounds()), mesh_(mesh) {}
    TriangleMesh surface(Real) const override { return mesh_; }

private:
    TriangleMesh mesh_;
};

class BakedShape : public GridShape {
public:
    BakedShape(DistanceGrid grid, ShapePtr shape)
        : GridShape(std::move(grid), shape->bounds()), shape_(std::move(shape)) {}
    TriangleMesh surface(Real resolution) const override { return shape_->surface(resolution); }

private:
    ShapePtr shape_;
};

}  // namespace

ShapePtr mesh_solid(const TriangleMesh& mesh, Real voxel, std::size_t memory) {
    return mesh_solid(mesh, distance_grid(mesh, GridLayout::around(mesh.bounds(), voxel, 2, memory)));
}

ShapePtr mesh_solid(const TriangleMesh& mesh, DistanceGrid grid) {
    return std::make_shared<MeshSolid>(std::move(grid), mesh);
}

ShapePtr baked(ShapePtr shape, Real voxel, std::size_t memory) {
    if (!shape->is_bounded()) return shape;
    DistanceGrid grid = distance_grid(*shape, GridLayout::around(shape->bounds(), voxel, 2, memory));
    return std::make_shared<BakedShape>(std::move(grid), std::move(shape));
}

}  // namespace pliant
