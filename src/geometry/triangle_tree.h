// A tree of boxes over the triangles of a mesh: nearest triangle, winding number, and which ones meet a box.
#pragma once

#include <limits>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh.h"
#include "pliant/geometry/triangle.h"

namespace pliant {

class TriangleTree {
public:
    explicit TriangleTree(const TriangleMesh& mesh);

    struct Nearest {
        Real distance = std::numeric_limits<Real>::infinity();
        int triangle = -1;  // of the mesh; -1 when the tree is empty
    };
    // A guess at the triangle, such as that of a point nearby, makes it faster and changes nothing else.
    Nearest nearest(const Vec3& x, int guess = -1) const;

    // How often the mesh winds around x: 1 inside and 0 outside a closed outward mesh, and something smooth between
    // when it has holes [Jacobson13]. Far parts are summed up as dipoles [Barill18]: good to about 0.01.
    Real winding_number(const Vec3& x) const;

    // Calls visit(triangle) for those whose own box meets the box, until it returns false.
    void for_each_meeting(const Box& box, FunctionRef<bool(int)> visit) const;

    const Triangle& triangle(int index) const { return triangles_[slot_[index]]; }

private:
    struct Node {
        Box box;
        Vec3 dipole = Vec3::Zero();  // sum of area vectors
        Vec3 middle = Vec3::Zero();  // mean of the triangles' middles, weighted by area
        Real reach = 0;              // farthest corner from the middle
        int begin = 0, end = 0;      // slots
        int right = -1;              // the left child follows its parent; -1: a leaf
    };

    int build(const std::vector<Vec3>& middles, int begin, int end);
    void summarise(Node& node) const;
    Real box_distance_squared(const Node& node, const Vec3& x) const { return node.box.squaredExteriorDistance(x); }

    std::vector<Triangle> triangles_;  // in the order of the tree
    std::vector<int> original_;        // slot -> triangle of the mesh
    std::vector<int> slot_;            // triangle of the mesh -> slot
    std::vector<Node> nodes_;
};

}  // namespace pliant
