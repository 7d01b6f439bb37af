#include "pliant/geometry/mesh_fairing.h"

#include <utility>

#include "pliant/base/parallel.h"

namespace pliant {

namespace {

constexpr Real inward = 0.5;
constexpr Real outward = -0.53;  // slightly more: bumps shrink, and what is wider than some triangles does not

// The neighbours of vertex i are list[first[i]] to list[first[i + 1] - 1]; twice each on closed meshes.
struct Neighbours {
    std::vector<int> first;
    std::vector<int> list;

    explicit Neighbours(const TriangleMesh& mesh) : first(mesh.vertices.size() + 1, 0) {
        for (const auto& t : mesh.triangles) {
            for (const int corner : t) first[std::size_t(corner) + 1] += 2;
        }
        for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
        list.resize(std::size_t(first.back()));
        std::vector<int> next = first;
        for (const auto& t : mesh.triangles) {
            for (std::size_t k = 0; k < 3; ++k) {
                int& place = next[std::size_t(t[k])];
                list[std::size_t(place++)] = t[(k + 1) % 3];
                list[std::size_t(place++)] = t[(k + 2) % 3];
            }
        }
    }
};

}  // namespace

void fair(TriangleMesh& mesh, int passes) {
    const Neighbours neighbours(mesh);
    std::vector<Vec3> moved(mesh.vertices.size());
    for (int step = 0; step < 2 * passes; ++step) {
        const Real part = step % 2 == 0 ? inward : outward;
        parallel_for(mesh.vertices.size(), [&](std::size_t i) {
            const int begin = neighbours.first[i], end = neighbours.first[i + 1];
            const Vec3& x = mesh.vertices[i];
            Vec3 offset = Vec3::Zero();
            for (int k = begin; k < end; ++k) offset += mesh.vertices[std::size_t(neighbours.list[std::size_t(k)])] - x;
            moved[i] = begin == end ? x : Vec3(x + part / (end - begin) * offset);
        });
        mesh.vertices.swap(moved);
    }
}

}  // namespace pliant
