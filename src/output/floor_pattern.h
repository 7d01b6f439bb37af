// The floor of the pictures: pale, with a grid of squares of a round size that fades into the distance.
#pragma once

#include <Eigen/Core>

#include "pliant/output/colour.h"
#include "pliant/output/render_scene.h"

namespace pliant {

// A plane in picture units, ready to be met by rays.
class FloorPattern {
public:
    FloorPattern(const RenderPlane& plane, const Vec3& centre, Real scale);

    // Infinite when the ray misses the plane or comes from behind.
    float distance(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction) const;
    const Eigen::Vector3f& normal() const { return normal_; }

    // The colour at a point; `blur` is the width of the pixel there.
    Colour colour(const Eigen::Vector3f& point, float blur) const;

    // The side of the grid's squares [m]: 1, 2 or 5 times a power of ten, about a fourth of the framed box.
    static Real square_size(Real scale);

private:
    Eigen::Vector3f normal_;
    float offset_;
    Eigen::Vector3f across_, along_;  // square to the normal; lengths such that a square of the grid is 1
    float across_offset_, along_offset_;
};

}  // namespace pliant
