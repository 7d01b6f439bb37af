// A tree of boxes over the triangles of a mesh: nearest triangle, winding number, and which ones meet a box.
#pragma once

#include <limits>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/geometry/mesh.h"
#include "pliant/geometry/triangle.h"
#include "pliant/geometry/triangle_pack.h"

namespace pliant {

class TriangleTree {
public:
    explicit TriangleTree(const TriangleMesh& mesh);

    struct Nearest {
        Real distance =
            std::numeric_limits<Real>::infinity();  // to a triangle that is nearest up to the rounding of floats
        int triangle = -1;                          // of the mesh; -1 when the tree is empty
    };
    // A guess at the triangle, such as that of a point nearby, makes it faster and changes nothing else.
    Nearest nearest(const Vec3& x, int guess = -1) const;

    // How often the mesh winds around x: 1 inside and 0 outside a closed outward mesh, and something smooth between
    // when it has holes [Jacobson13]. Far parts are summed up as dipoles [Barill18]: good to about 0.02.
    Real winding_number(const Vec3& x) const;

    // Calls visit(triangle) for those whose own box meets the box, until it returns false.
    void for_each_meeting(const Box& box, FunctionRef<bool(int)> visit) const;

    const Triangle& triangle(int index) const { return triangles_[slot_[index]]; }

private:
    struct Node {
        Eigen::Array3f lower, upper;  // from origin_
        int right = -1;               // the left child is the next node; -1: a leaf
        int pack = -1;                // of a leaf
    };
    struct Dipole {
        explicit Dipole(const Triangle* begin, const Triangle* end);
        Vec3 area_vector = Vec3::Zero();
        Vec3 middle = Vec3::Zero();  // of the triangles' middles, weighted by area
        Real reach = 0;              // no corner is farther from the middle
    };
    struct Range {
        int begin, end;  // slots
    };

    void build(const std::vector<Vec3>& middles, Range range, std::vector<Range>& ranges);
    void enclose(Node& node, const Range& range) const;
    float guessed_bound(const Vec3& x, int guess) const;
    Eigen::Array3f relative(const Vec3& x) const { return (x - origin_).cast<float>().array(); }

    Vec3 origin_ = Vec3::Zero();
    std::vector<int> original_;        // slot -> triangle of the mesh; leaves hold consecutive slots
    std::vector<int> slot_;            // triangle of the mesh -> slot
    std::vector<Triangle> triangles_;  // by slot
    std::vector<Node> nodes_;
    std::vector<Dipole> dipoles_;      // by node
    std::vector<TrianglePack> packs_;  // by leaf
    std::vector<Range> pack_range_;    // by leaf
};

}  // namespace pliant
