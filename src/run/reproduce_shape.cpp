#include "pliant/run/reproduce_shape.h"

#include <algorithm>
#include <cmath>

#include "pliant/math/svd.h"

namespace pliant {
namespace {

Vec3 middle_of(std::span<const Vec3> points) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& x : points) sum += x;
    return sum / Real(points.size());
}

std::vector<Vec3> points_of(const ParticleShape& shape, std::span<const Vec3> position, std::uint32_t body) {
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < position.size(); ++i) {
        if (shape.body[i] == body) points.push_back(position[i]);
    }
    return points;
}

Real height_of(std::span<const Vec3> points) {
    Box box;
    for (const Vec3& x : points) box.extend(x);
    return box.sizes().y();
}

}  // namespace

// R = U V^T of the SVD of sum (to - middle) (from - middle)^T; both factors are rotations, so that R is one.
RigidFit fit_rigidly(std::span<const Vec3> from, std::span<const Vec3> to) {
    RigidFit fit;
    fit.middle_from = middle_of(from);
    fit.middle_to = middle_of(to);
    Mat3 A = Mat3::Zero();
    for (std::size_t i = 0; i < from.size(); ++i)
        A += (to[i] - fit.middle_to) * (from[i] - fit.middle_from).transpose();
    const Svd s = svd(A);
    fit.R = s.U * s.V.transpose();
    fit.t = fit.middle_to - fit.R * fit.middle_from;
    return fit;
}

Real angle_of(const Mat3& R) {
    return std::atan2(axial(R).norm(), (R.trace() - 1) / 2) * 180 / pi;
}

Deviation deviation(const ParticleShape& start, std::span<const Vec3> a, std::span<const Vec3> b) {
    const std::uint32_t bodies = 1 + *std::max_element(start.body.begin(), start.body.end());
    Deviation sum;
    for (std::uint32_t body = 0; body < bodies; ++body) {
        const auto here = points_of(start, a, body), there = points_of(start, b, body);
        if (here.empty()) continue;
        const Real height = height_of(points_of(start, start.position, body));
        const RigidFit fit = fit_rigidly(there, here);
        sum.place += Real(here.size()) * (fit.middle_to - fit.middle_from).squaredNorm() / square(height);
        for (std::size_t i = 0; i < here.size(); ++i)
            sum.shape += (here[i] - fit.R * there[i] - fit.t).squaredNorm() / square(height);
    }
    return {std::sqrt(sum.shape / Real(a.size())), std::sqrt(sum.place / Real(a.size()))};
}

}  // namespace pliant
