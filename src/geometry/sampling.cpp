#include "pliant/geometry/sampling.h"

#include <cmath>

namespace pliant {

Samples sample(const Shape& shape, const SamplingSettings& settings) {
    const Real h = settings.spacing;
    const Box box = shape.bounds();
    const Vec3 centre = box.center();
    Samples samples;
    samples.volume = h * h * h;
    Eigen::Vector3i n = (box.sizes() / h + Vec3::Constant(1e-6)).array().floor().cast<int>().max(1);
    for (int x = 0; x < n.x(); ++x)
        for (int y = 0; y < n.y(); ++y)
            for (int z = 0; z < n.z(); ++z) {
                const Vec3 q = centre + h * (Vec3(x, y, z) - (n.cast<Real>() - Vec3::Ones()) / 2);
                if (shape.distance(q) <= -h / 2 + 1e-6 * h) samples.positions.push_back(q);
            }
    return samples;
}

std::size_t estimate_count(const Shape& shape, const SamplingSettings& settings) {
    return sample(shape, settings).positions.size();
}

}  // namespace pliant
