#include "pliant/geometry/sampling_measure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pliant/base/parallel.h"
#include "pliant/geometry/sampling_blocks.h"

namespace pliant {

namespace {

constexpr std::size_t enough_cubes = 20000;
constexpr int most_levels = 24;

struct Cube {
    Vec3 centre;
    Real distance;  // of the centre
};

void measure_distances(std::vector<Cube>& cubes, const Shape& shape) {
    parallel_for(
        cubes.size(), [&](std::size_t k) { cubes[k].distance = shape.distance(cubes[k].centre); }, 64);
}

// The cubes of half the edge in those for which is_open holds.
template <class IsOpen>
std::vector<Cube> halved(const std::vector<Cube>& cubes, Real edge, IsOpen&& is_open) {
    std::vector<Cube> result;
    for (const Cube& c : cubes) {
        if (!is_open(c)) continue;
        for (int child = 0; child < 8; ++child) {
            const Vec3 side(child & 1 ? 1 : -1, child & 2 ? 1 : -1, child & 4 ? 1 : -1);
            result.push_back({c.centre + edge / 4 * side, 0});
        }
    }
    return result;
}

Real reach_of(Real edge) {
    return distance_steepness * std::sqrt(3.0) / 2 * edge;
}

}  // namespace

// Cubes that are inside as a whole count in full. Where it stops, a cube across the surface counts as if the surface
// were a plane along its sides at the distance of its centre: right for boxes, and on average for all else.
Real measure_volume(const Shape& shape, Real depth) {
    const Box bounds = shape.bounds();
    Real edge = bounds.sizes().maxCoeff(), volume = 0;
    std::vector<Cube> cubes = {{bounds.center(), 0}};
    measure_distances(cubes, shape);
    for (int level = 0; level < most_levels && cubes.size() < enough_cubes; ++level) {
        const Real reach = reach_of(edge);
        for (const Cube& c : cubes) {
            if (c.distance + depth < -reach) volume += cube(edge);
        }
        cubes = halved(cubes, edge, [&](const Cube& c) { return std::abs(c.distance + depth) <= reach; });
        edge /= 2;
        measure_distances(cubes, shape);
    }
    for (const Cube& c : cubes) {
        const Real inside = 0.5 - (c.distance + depth) / edge;
        if (inside > 0) volume += cube(edge) * std::min(inside, Real(1));
    }
    return volume;
}

Real measure_greatest_depth(const Shape& shape) {
    const Box bounds = shape.bounds();
    Real edge = bounds.sizes().maxCoeff(), deepest = 0;
    std::vector<Cube> cubes = {{bounds.center(), 0}};
    for (int level = 0; level < most_levels && cubes.size() < enough_cubes; ++level) {
        measure_distances(cubes, shape);
        for (const Cube& c : cubes) deepest = std::max(deepest, -c.distance);
        const Real reach = reach_of(edge), promising = 1.02 * deepest;
        cubes = halved(cubes, edge, [&](const Cube& c) { return reach - c.distance > promising; });
        edge /= 2;
    }
    return deepest;
}

}  // namespace pliant
