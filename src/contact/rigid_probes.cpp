#include "pliant/contact/rigid_probes.h"

#include <algorithm>
#include <cmath>

#include "pliant/geometry/sampling_measure.h"
#include "pliant/geometry/surface_sampling.h"

namespace pliant {
namespace {

constexpr Real probes_along = 32;   // about, along the diagonal
constexpr Real small_depth = 0.01;  // of the diagonal
constexpr Real good_fit = 0.004;    // of the diagonal, that the balls may fall short of the surface

std::vector<Probe> probes_at(const Shape& shape, Real depth) {
    const Real diagonal = shape.bounds().diagonal().norm();
    std::vector<Probe> probes;
    for (const Vec3& x : sample_surface(shape, diagonal / probes_along, depth)) {
        probes.push_back({x, std::max(Real(0), -shape.distance(x))});
    }
    return probes;
}

// How far the surface stands out beyond the balls, at its worst.
Real shortfall(const Shape& shape, const std::vector<Probe>& probes) {
    const TriangleMesh mesh = shape.surface(shape.bounds().diagonal().norm() / probes_along);
    const std::size_t stride = std::max<std::size_t>(1, mesh.vertices.size() / 5000);
    Real worst = 0;
    for (std::size_t i = 0; i < mesh.vertices.size(); i += stride) {
        Real gap = 1e30;
        for (const Probe& probe : probes) gap = std::min(gap, (mesh.vertices[i] - probe.centre).norm() - probe.radius);
        worst = std::max(worst, gap);
    }
    return worst;
}

}  // namespace

std::vector<Probe> make_probes(const Shape& shape) {
    const Real diagonal = shape.bounds().diagonal().norm(), deepest = measure_greatest_depth(shape);
    std::vector<Probe> few = probes_at(shape, 1.1 * deepest);  // that is, along the middle of everything
    if (few.size() <= 100 && shortfall(shape, few) < good_fit * diagonal) return few;
    return probes_at(shape, std::min(small_depth * diagonal, deepest / 2));
}

}  // namespace pliant
