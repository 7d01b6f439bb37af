// A recipe brought to size: its bounding box, found by looking, is centred at the origin and scaled.
#pragma once

#include "pliant/geometry/shape.h"

namespace pliant {

using Recipe = Real (*)(const Vec3& x);

// The box around the recipe's solid, to about 1e-5. The solid must lie within `reach` of the origin along each axis
// and be round where it is outermost: a thorn much thinner than 1/48 of the solid may be missed.
Box measure(Recipe recipe, Real reach);

class RecipeShape : public Shape {
public:
    enum class Size { height, largest };  // what becomes 1: the extent along y, or the largest of the three
    RecipeShape(Recipe recipe, Size size);

    // NaN for NaN. Further out than 1e6 the distance is that to the ball around the box: never too large.
    Real distance(const Vec3& x) const override;
    Box bounds() const override { return bounds_; }

private:
    Recipe recipe_;
    Vec3 centre_;  // of the recipe's box
    Real scale_;   // recipe's lengths into ours
    Box bounds_;
};

}  // namespace pliant
