// A triangle mesh: corners and, a row a triangle, the three corners counter-clockwise as seen from outside.
#pragma once

#include <array>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

struct TriangleMesh {
    std::vector<Vec3> vertices;
    std::vector<std::array<int, 3>> triangles;

    Box bounds() const;
    Real volume() const;  // enclosed, signed: negative when the mesh is inside out; meaningless when it is open
    Real area() const;
    std::vector<Vec3> vertex_normals() const;  // weighted by angle, unit length; zero for a lone vertex
};

}  // namespace pliant
