// A thin flat square in the x-z plane: its thickness is a fortieth of its side.
#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

Real sheet(const Vec3& x) {
    constexpr Real side = 1, thickness = side / 40, rounding = thickness / 4;
    return implicit::rounded_box(x, Vec3::Zero(), {side / 2, thickness / 2, side / 2}, rounding);
}

}  // namespace pliant::recipes
