#include "pliant/geometry/mesh_orient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "pliant/geometry/mesh_edges.h"
#include "pliant/geometry/triangle_tree.h"

namespace pliant {
namespace {

void turn(std::array<int, 3>& triangle) {
    std::swap(triangle[1], triangle[2]);
}

struct Neighbour {
    int triangle = -1;
    bool agrees = true;
};

// Across each side of each triangle, where the edge has two triangles.
std::vector<std::array<Neighbour, 3>> neighbours_of(const TriangleMesh& mesh) {
    std::vector<std::array<Neighbour, 3>> neighbours(mesh.triangles.size());
    std::vector<int> found(mesh.triangles.size(), 0);
    for_each_edge(edge_uses(mesh), [&](const EdgeUse* uses, int count) {
        if (count != 2 || uses[0].triangle == uses[1].triangle) return;
        const bool agrees = uses[0].is_forward != uses[1].is_forward;
        for (int i = 0; i < 2; ++i) {
            const int t = uses[i].triangle;
            neighbours[t][found[t]++] = {uses[1 - i].triangle, agrees};
        }
    });
    return neighbours;
}

// A piece of its own, with its tree built when first asked for.
struct Piece {
    TriangleMesh mesh;  // shares the numbering of corners only with itself
    std::vector<int> triangles;
    Box bounds;
    std::unique_ptr<TriangleTree> tree;

    bool holds(const Vec3& x) {
        if (!bounds.contains(x)) return false;
        if (!tree) tree = std::make_unique<TriangleTree>(mesh);
        return std::abs(tree->winding_number(x)) > 0.5;
    }
};

std::vector<Piece> split(const TriangleMesh& mesh) {
    const Pieces numbers = pieces_of(mesh);
    std::vector<Piece> pieces(numbers.count);
    std::vector<int> local(mesh.vertices.size(), -1);
    for (int t = 0; t < static_cast<int>(mesh.triangles.size()); ++t) {
        Piece& piece = pieces[numbers.of_triangle[t]];
        piece.triangles.push_back(t);
        std::array<int, 3> renumbered;
        for (int corner = 0; corner < 3; ++corner) {
            int& v = local[mesh.triangles[t][corner]];
            if (v < 0) {
                v = static_cast<int>(piece.mesh.vertices.size());
                piece.mesh.vertices.push_back(mesh.vertices[mesh.triangles[t][corner]]);
            }
            renumbered[corner] = v;
        }
        piece.mesh.triangles.push_back(renumbered);
    }
    for (Piece& piece : pieces) piece.bounds = piece.mesh.bounds();
    return pieces;
}

bool is_open(const TriangleMesh& mesh) {
    bool open = false;
    for_each_edge(edge_uses(mesh), [&](const EdgeUse*, int count) { open = open || count == 1; });
    return open;
}

}  // namespace

int orient_consistently(TriangleMesh& mesh) {
    const auto neighbours = neighbours_of(mesh);
    enum Side : char { unknown, kept, turned };
    std::vector<Side> side(mesh.triangles.size(), unknown);
    std::vector<int> patch;
    int count = 0;
    for (int first = 0; first < static_cast<int>(mesh.triangles.size()); ++first) {
        if (side[first] != unknown) continue;
        side[first] = kept;
        patch.assign(1, first);
        for (std::size_t n = 0; n < patch.size(); ++n) {
            for (const Neighbour& next : neighbours[patch[n]]) {
                if (next.triangle < 0 || side[next.triangle] != unknown) continue;
                side[next.triangle] = (side[patch[n]] == kept) == next.agrees ? kept : turned;
                patch.push_back(next.triangle);
            }
        }
        const auto turns = std::count_if(patch.begin(), patch.end(), [&](int t) { return side[t] == turned; });
        const Side fewer = 2 * turns > std::ptrdiff_t(patch.size()) ? kept : turned;
        for (const int t : patch) {
            if (side[t] != fewer) continue;
            turn(mesh.triangles[t]);
            ++count;
        }
    }
    return count;
}

int turn_outward(TriangleMesh& mesh) {
    int count = 0;
    if (mesh.volume() < 0) {
        turn_all(mesh);
        count = static_cast<int>(mesh.triangles.size());
    }
    std::vector<Piece> pieces = split(mesh);
    if (pieces.size() < 2) return count;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        if (!(pieces[p].mesh.volume() < 0) || is_open(pieces[p].mesh)) continue;
        int around = 0;
        for (std::size_t q = 0; q < pieces.size(); ++q) {
            if (q != p && pieces[q].holds(pieces[p].mesh.vertices.front())) ++around;
        }
        if (around % 2 == 1) continue;  // the wall of a hollow
        for (const int t : pieces[p].triangles) turn(mesh.triangles[t]);
        count += static_cast<int>(pieces[p].triangles.size());
    }
    return count;
}

void turn_all(TriangleMesh& mesh) {
    for (auto& triangle : mesh.triangles) turn(triangle);
}

}  // namespace pliant
