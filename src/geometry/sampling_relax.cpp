#include "pliant/geometry/sampling_relax.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/sampling_blocks.h"

namespace pliant {

namespace {

constexpr Real reach = 1.4;  // in spacings
constexpr Real push = 0.4;

struct Step {
    Vec3 move = Vec3::Zero();
    Real longest = 0;  // by which two that both move stay far enough from each other
};

// move = push sum_j (1 - r / R)^2 (x_i - x_j) / r;   longest = (nearest r - least) / 2
Step step_of(std::size_t i, const std::vector<Vec3>& points, const NeighbourLists& near, Real spacing) {
    const Real R = reach * spacing;
    Step step;
    Real nearest = R;
    for (const std::uint32_t j : near[i]) {
        const Vec3 d = points[i] - points[j];
        const Real r = d.norm();
        nearest = std::min(nearest, r);
        if (r > 0) step.move += push * spacing * square(1 - r / R) / r * d;
    }
    step.longest = std::max(Real(0), (nearest - least_relaxed_distance * spacing) / 2);
    const Real length = step.move.norm();
    if (length > step.longest) step.move *= step.longest / length;
    return step;
}

}  // namespace

void relax_points(const Shape& shape, Real spacing, Real depth, std::vector<Vec3>& points, int rounds) {
    NeighbourSearch search;
    NeighbourLists near;
    std::vector<Vec3> moved(points.size());
    // How far a point may still move before it must be asked whether it is deep enough.
    std::vector<Real> freedom(points.size(), 0);
    for (int round = 0; round < rounds; ++round) {
        search.find(points, reach * spacing, near);
        parallel_for(points.size(), [&](std::size_t i) {
            const Step step = step_of(i, points, near, spacing);
            moved[i] = points[i] + step.move;
            freedom[i] -= distance_steepness * step.move.norm();
            if (freedom[i] > 0) return;
            Real distance = shape.distance(moved[i]);
            if (distance > -depth) {  // back to where it is deep enough, or not at all
                moved[i] -= (distance + depth) * shape.normal(moved[i]);
                distance = shape.distance(moved[i]);
                const bool is_too_long = (moved[i] - points[i]).norm() > step.longest;
                if (is_too_long || !(distance <= -depth + 1e-6 * spacing)) {
                    moved[i] = points[i];
                    distance = -depth;
                }
            }
            freedom[i] = -depth - distance;
        });
        std::swap(points, moved);
    }
}

}  // namespace pliant
