// A body as many small pieces of surface and of matter, linked to those beside them without leaving the body: what
// distances along the body are measured on.
#pragma once

#include <vector>

#include "pliant/geometry/mesh.h"
#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/shape.h"

namespace pliant {

struct BodySamples {
    // One entry a sample. A sample is a piece of surface or a piece of matter: one of area and volume is zero.
    std::vector<Vec3> position;  // m
    std::vector<Vec3> normal;    // of the surface, outward; zero for matter
    std::vector<Real> area;      // m^2
    std::vector<Real> volume;    // m^3

    NeighbourLists links;
    std::vector<Real> length;  // of each link [m]; infinite if it leaves the body

    Real step = 0;  // m, about the distance between samples
    std::size_t size() const { return position.size(); }
};

// The surface must be that of the shape, up to about a step.
BodySamples sample_body(const Shape& shape, const TriangleMesh& surface, Real step);

}  // namespace pliant
