#include "pliant/shapes/models/recipe_shape.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {

namespace {

constexpr Real recipe_reach = 2;  // every recipe fits into a box of this half size

// Looks at the solid from one side, with beams along an axis that start from a face of the window.
struct Outlook {
    Recipe recipe;
    Box window;
    int axis;
    int sign;

    int across() const { return (axis + 1) % 3; }
    int along() const { return (axis + 2) % 3; }

    Real top() const { return sign > 0 ? window.max()[axis] : -window.min()[axis]; }
    Real bottom() const { return sign > 0 ? window.min()[axis] : -window.max()[axis]; }

    // The height at which the beam down through (u, v) meets the solid; anything up to `floor` is not worth knowing.
    Real height(Real u, Real v, Real floor) const {
        Vec3 x;
        x[across()] = u;
        x[along()] = v;
        Real height = top();
        for (int step = 0; step < 300 && height > floor; ++step) {
            x[axis] = sign * height;
            const Real distance = recipe(x);
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
    constexpr int beams = 48;
    constexpr std::size_t climbers = 6;
    const Vec3 corner = outlook.window.min(), step = outlook.window.sizes() / beams;
    const Real coarse = std::max(step[outlook.across()], step[outlook.along()]);
    std::vector<Peak> peaks;
    Real best = outlook.bottom();
    for (int i = 0; i < beams * beams; ++i) {
        const Real u = corner[outlook.across()] + (i % beams + 0.5) * step[outlook.across()];
        const Real v = corner[outlook.along()] + (i / beams + 0.5) * step[outlook.along()];
        const Real floor = best - coarse, height = outlook.height(u, v, floor);
        if (height > floor) peaks.push_back({u, v, height});
        best = std::max(best, height);
    }
    const auto higher = [](const Peak& a, const Peak& b) { return a.height > b.height; };
    std::stable_sort(peaks.begin(), peaks.end(), higher);
    for (std::size_t i = 0; i < std::min(climbers, peaks.size()); ++i) {
        best = std::max(best, climb(outlook, peaks[i], coarse / 2));
    }
    return best;
}

// Grows the box until it holds every cell, at this depth of halving, that may touch the solid.
void enclose(Recipe recipe, const Box& cell, int depth, Box& box) {
    const Vec3 centre = cell.center(), half = cell.sizes() / 2;
    if (box.contains(cell) || recipe(centre) > half.norm()) return;
    if (depth == 0) {
        box.extend(cell);
        return;
    }
    for (int i = 0; i < 8; ++i) {
        const Vec3 towards(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
        const Vec3 middle = centre + towards.cwiseProduct(half);
        enclose(recipe, Box(middle - half / 2, middle + half / 2), depth - 1, box);
    }
}

}  // namespace

Box measure(Recipe recipe, Real reach) {
    Box window;
    enclose(recipe, Box(Vec3::Constant(-reach), Vec3::Constant(reach)), 6, window);
    Box box;
    for (int axis = 0; axis < 3; ++axis) {
        box.max()[axis] = summit({recipe, window, axis, +1});
        box.min()[axis] = -summit({recipe, window, axis, -1});
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
    if (!(from_origin <= 1e6)) return from_origin - bounds_.max().norm();
    return scale_ * recipe_(centre_ + x / scale_);
}

}  // namespace pliant
