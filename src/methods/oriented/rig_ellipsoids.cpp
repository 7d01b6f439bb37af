#include "pliant/methods/oriented/rig_ellipsoids.h"

#include <algorithm>

#include "pliant/math/symmetric.h"

namespace pliant {
namespace {

// A cell with less surface than this lies inside.
constexpr Real least_area = 0.05;  // in spacings squared

// A piece of surface reaches about this far from its middle, along itself.
constexpr Real sample_radius = 0.25;  // in steps

using Indices = std::vector<std::size_t>;

std::vector<Indices> surface_of_cells(const BodySamples& samples, const BodyCells& cells) {
    std::vector<Indices> lists(cells.points().size());
    for (std::size_t s = 0; s < samples.size(); ++s) {
        if (samples.area[s] > 0) lists[cells.owner(s)].push_back(s);
    }
    return lists;
}

// The paper takes the extents of the vertices' box; ours are measured from the particle's centre, so that below a flat
// face the ellipsoid ends where the face is.
FittedEllipsoid fit(const BodySamples& samples, const Indices& surface, const Vec3& centre) {
    Mat3 covariance = Mat3::Zero();
    Vec3 middle = Vec3::Zero();
    Real area = 0;
    for (const std::size_t s : surface) {
        middle += samples.area[s] * samples.position[s];
        area += samples.area[s];
    }
    middle /= area;
    for (const std::size_t s : surface) {
        const Vec3 d = samples.position[s] - middle;
        covariance += samples.area[s] * d * d.transpose();
    }
    const Mat3 axes = symmetric_eigen(covariance).vectors;
    Vec3 extents = Vec3::Zero();
    for (const std::size_t s : surface) {
        const Vec3 normal = axes.transpose() * samples.normal[s];
        const Vec3 own = sample_radius * samples.step * (1 - normal.array().square()).max(0).sqrt();
        extents = extents.cwiseMax((axes.transpose() * (samples.position[s] - centre)).cwiseAbs() + own);
    }
    return {Quat(axes).normalized(), extents};
}

Vec3 limited(Vec3 radii, Real spacing, Real aspect_limit) {
    const Real longest = std::min(radii.maxCoeff(), largest_radius * spacing);
    return radii.cwiseMin(longest).cwiseMax(std::max(longest, spacing / 2) / aspect_limit);
}

}  // namespace

std::vector<FittedEllipsoid> fit_ellipsoids(const BodySamples& samples, const BodyCells& cells, Real spacing,
                                            Real aspect_limit) {
    const std::vector<Indices> surfaces = surface_of_cells(samples, cells);
    std::vector<FittedEllipsoid> fitted(surfaces.size());
    for (std::size_t p = 0; p < fitted.size(); ++p) {
        Real area = 0;
        for (const std::size_t s : surfaces[p]) area += samples.area[s];
        if (area < least_area * square(spacing)) {
            fitted[p].radii.setConstant(spacing / 2);
            continue;
        }
        fitted[p] = fit(samples, surfaces[p], cells.points()[p]);
        fitted[p].radii = limited(fitted[p].radii, spacing, aspect_limit);
    }
    return fitted;
}

}  // namespace pliant
