#include "pliant/methods/mpm/surface_normals.h"

#include <algorithm>

#include "pliant/base/parallel.h"
#include "pliant/geometry/neighbours.h"

namespace pliant {
namespace {

constexpr Real around = 2.01;       // spacings
constexpr Real least_shift = 0.25;  // of the neighbours' mean from a surface particle, in spacings; 0.5 at flat ones
constexpr Real roundest = 0.06;     // of 1 - |mean normal| around a particle: there flatness ends
constexpr Real least_flatness = 0.02;

}  // namespace

std::vector<SurfaceNormal> surface_normals(const Model& model, const ParticleState& state, std::span<const Vec3> rest) {
    std::vector<SurfaceNormal> found(state.size());
    NeighbourSearch search;
    NeighbourLists near;
    for (const BodyRange& range : body_ranges(state, model.bodies.size())) {
        if (range.size() == 0) continue;
        const Real spacing = model.bodies[state.body[range.first]].spacing;
        const auto places = rest.subspan(range.first, range.size());
        search.find(places, around * spacing, near);
        const std::span<SurfaceNormal> of_body(found.data() + range.first, range.size());
        parallel_for(range.size(), [&](std::size_t p) {
            Vec3 shift = Vec3::Zero();
            for (const std::uint32_t q : near[p]) shift += places[p] - places[q];
            shift /= Real(near[p].size()) + 1;
            const Real length = shift.norm();
            if (length > least_shift * spacing) of_body[p].normal = shift / length;
        });
        parallel_for(range.size(), [&](std::size_t p) {
            if (of_body[p].normal.isZero()) return;
            Vec3 sum = of_body[p].normal;
            Real count = 1, bent = 0;
            for (const std::uint32_t q : near[p]) {
                if (of_body[q].normal.isZero()) continue;
                const Vec3 way = places[q] - places[p];
                sum += of_body[q].normal;
                bent += (of_body[q].normal - of_body[p].normal).dot(way) / way.squaredNorm();
                ++count;
            }
            of_body[p].curvature = std::max(Real(0), bent / count);
            of_body[p].flatness = std::max(least_flatness, 1 - (1 - sum.norm() / count) / roundest);
        });
    }
    return found;
}

}  // namespace pliant
