// A membrane: strips of triangles thickened to a thin solid, for fins and leaves.
#pragma once

#include <vector>

#include "pliant/math/types.h"

namespace pliant {

class Membrane {
public:
    explicit Membrane(Real half_thickness) : half_thickness_(half_thickness) {}

    // Spans the strip between two lines of as many points.
    void add_strip(const std::vector<Vec3>& left, const std::vector<Vec3>& right);

    Real distance(const Vec3& x) const;

private:
    void add(const Vec3& a, const Vec3& b, const Vec3& c);

    struct Triangle {
        Vec3 a, b, c;
        Vec3 centre;
        Real radius;  // of a ball around it
    };
    Real half_thickness_;
    std::vector<Triangle> triangles_;
};

}  // namespace pliant
