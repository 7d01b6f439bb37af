// What is right and wrong with a mesh that is to be a solid.
#pragma once

#include <string>
#include <vector>

#include "pliant/geometry/mesh.h"

namespace pliant {

struct MeshReport {
    int vertices = 0;
    int triangles = 0;
    int components = 0;            // pieces that share no corner
    int boundary_edges = 0;        // used by one triangle only: the mesh is open there
    int non_manifold_edges = 0;    // used by three triangles or more
    int misoriented_edges = 0;     // used twice in the same direction: the two sides disagree about outside
    int degenerate_triangles = 0;  // without area
    int duplicate_triangles = 0;   // the same three corners as an earlier one
    int crossing_triangles = 0;    // pairs that cut through one another; counting stops at crossings_counted_to
    Real volume = 0;               // [m^3], signed
    Real area = 0;                 // [m^2]
    Box bounds;

    static constexpr int crossings_counted_to = 1000;

    bool is_closed() const { return boundary_edges == 0; }
    bool is_inside_out() const { return is_closed() && volume < 0; }
    bool looks_like_millimetres() const;  // larger than 50 m across
    bool is_solid() const;                // closed, outward, free of crossings: can serve as it is

    // What a user should know, a sentence each: the size first, then everything that is wrong. In metres.
    std::vector<std::string> sentences() const;
};

MeshReport inspect(const TriangleMesh& mesh);

}  // namespace pliant
