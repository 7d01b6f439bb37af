#include "pliant/shapes/models/recipe_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {

namespace {

constexpr Real recipe_reach = 2;  // every recipe fits into a box of this half size

// Looks at the solid along the axis from one side, as a lander with a ranging beam.
struct Outlook {
    Recipe recipe;
    Real reach;
    int axis;
    int sign;

    Vec3 point(Real u, Real v, Real height) const {
        Vec3 x;
        x[axis] = sign * height;
        x[(axis + 1) % 3] = u;
        x[(axis + 2) % 3] = v;
        return x;
    }

    // The height at which the beam down through (u, v) meets the solid; anything up to `floor` is not worth knowing.
    Real height(Real u, Real v, Real floor) const {
        Real height = reach;
        for (int step = 0; step < 300 && height > floor; ++step) {
            const Real distance = recipe(point(u, v, height));
            if (distance < 1e-6) return height;
            height -= distance;
        }
        return floor;
    }
};

struct Peak {
    Real u, v, height;
};

// Walks uphill from the peak with a step that halves whenever no neighbour is higher.
Real climb(const Outlook& outlook, Peak peak, Real step) {
    while (step > 1e-6) {
        const Peak before = peak;
        for (const auto& [du, dv] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}}) {
            const Real u = before.u + du * step, v = before.v + dv * step;
            const Real height = outlook.height(u, v, peak.height);
            if (height > peak.height + 1e-9) peak = {u, v, height};
        }
        if (peak.height == before.height) step /= 2;
    }
    return peak.height;
}

// The greatest height of the solid: beams on a grid, then a climb from the highest few.
Real summit(const Outlook& outlook) {
    constexpr int beams = 64;
    constexpr std::size_t climbers = 6;
    const Real step = 2 * outlook.reach / beams;
    std::vector<Peak> peaks;
    Real best = -outlook.reach;
    for (int i = 0; i < beams * beams; ++i) {
        const Real u = (i % beams + 0.5) * step - outlook.reach, v = (i / beams + 0.5) * step - outlook.reach;
        const Real floor = best - step;
        const Real height = outlook.height(u, v, floor);
        if (height > floor) peaks.push_back({u, v, height});
        best = std::max(best, height);
    }
    const auto higher = [](const Peak& a, const Peak& b) { return a.height > b.height; };
    std::stable_sort(peaks.begin(), peaks.end(), higher);
    for (std::size_t i = 0; i < std::min(climbers, peaks.size()); ++i) {
        best = std::max(best, climb(outlook, peaks[i], step / 2));
    }
    return best;
}

}  // namespace

Box measure(Recipe recipe, Real reach) {
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.max()[axis] = summit({recipe, reach, axis, +1});
        box.min()[axis] = -summit({recipe, reach, axis, -1});
    }
    return box;
}

RecipeShape::RecipeShape(Recipe recipe, Size size) : recipe_(recipe) {
    const Box box = measure(recipe, recipe_reach);
    centre_ = box.center();
    scale_ = 1 / (size == Size::height ? box.sizes().y() : box.sizes().maxCoeff());
    const Vec3 half = scale_ / 2 * box.sizes();
    bounds_ = Box(-half, half);
}

Real RecipeShape::distance(const Vec3& x) const {
    const Real from_origin = x.stableNorm();
    if (from_origin > 1e6) return from_origin - bounds_.max().norm();
    return scale_ * recipe_(centre_ + x / scale_);
}

}  // namespace pliant
