#include "pliant/geometry/mesh.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {

Box TriangleMesh::bounds() const {
    Box box;
    for (const Vec3& x : vertices) box.extend(x);
    return box;
}

// V = sum of a . (b x c) / 6, with the corners taken from the middle of the mesh to keep their products small
Real TriangleMesh::volume() const {
    if (triangles.empty()) return 0;
    const Vec3 middle = bounds().center();
    return parallel_sum(triangles.size(), Real(0), [&](std::size_t t) {
        const auto& [a, b, c] = triangles[t];
        return (vertices[a] - middle).dot((vertices[b] - middle).cross(vertices[c] - middle)) / 6;
    });
}

Real TriangleMesh::area() const {
    return parallel_sum(triangles.size(), Real(0), [&](std::size_t t) {
        const auto& [a, b, c] = triangles[t];
        return (vertices[b] - vertices[a]).cross(vertices[c] - vertices[a]).norm() / 2;
    });
}

std::vector<Vec3> TriangleMesh::vertex_normals() const {
    std::vector<Vec3> normals(vertices.size(), Vec3::Zero());
    for (const auto& triangle : triangles) {
        for (int corner = 0; corner < 3; ++corner) {
            const Vec3& x = vertices[triangle[corner]];
            const Vec3 to_next = vertices[triangle[(corner + 1) % 3]] - x;
            const Vec3 to_last = vertices[triangle[(corner + 2) % 3]] - x;
            const Vec3 across = to_next.cross(to_last);
            const Real twice_area = across.norm();
            if (!(twice_area > 0)) continue;
            const Real angle = std::atan2(twice_area, to_next.dot(to_last));
            normals[triangle[corner]] += angle / twice_area * across;
        }
    }
    for (Vec3& normal : normals) {
        const Real length = normal.norm();
        normal = length > 0 ? Vec3(normal / length) : Vec3::Zero();
    }
    return normals;
}

}  // namespace pliant
