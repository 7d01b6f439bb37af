#include "pliant/geometry/particle_blend.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pliant {

namespace {

constexpr Real default_voxel = 0.7;      // of the mean radius
constexpr Real largest_radius = 4;       // of the mean radius
constexpr Real farthest_particle = 1e6;  // voxels from the median
constexpr Real finest_voxel = 1.0 / 64;  // of a particle's reach
constexpr Real most_voxels = 3e8;        // in the balls of all particles together
constexpr std::int64_t key_middle = 1 << 20;

std::uint64_t key_of(const Eigen::Vector3i& leaf) {
    const auto part = [&](Eigen::Index k) { return std::uint64_t(leaf[k] + key_middle); };
    return part(0) << 42 | part(1) << 21 | part(2);
}

Eigen::Vector3i leaf_of_key(std::uint64_t key) {
    const auto part = [&](int shift) { return int(std::int64_t(key >> shift & 0x1FFFFF) - key_middle); };
    return {part(42), part(21), part(0)};
}

Vec3 median_of(std::span<const Eigen::Vector3f> positions, const std::vector<std::uint32_t>& chosen) {
    std::vector<float> values(chosen.size());
    Vec3 median;
    for (Eigen::Index k = 0; k < 3; ++k) {
        for (std::size_t i = 0; i < chosen.size(); ++i) values[i] = positions[chosen[i]][k];
        const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        median[k] = Real(*middle);
    }
    return median;
}

}  // namespace

ParticleBlend::ParticleBlend(std::span<const Eigen::Vector3f> positions, std::span<const float> radii, Real voxel,
                             Real reach)
    : reach_(std::clamp<Real>(reach, 1, 16)) {
    assert(positions.size() == radii.size());
    std::vector<std::uint32_t> chosen;
    Real radius_sum = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (!positions[i].allFinite() || !std::isfinite(radii[i]) || !(radii[i] > 0)) continue;
        chosen.push_back(std::uint32_t(i));
        radius_sum += Real(radii[i]);
    }
    if (chosen.empty()) return;
    const Real mean_radius = radius_sum / Real(chosen.size()), most_radius = largest_radius * mean_radius;
    Real volume = 0;
    for (const std::uint32_t i : chosen) volume += 4 * pi / 3 * cube(std::min(Real(radii[i]), most_radius));
    voxel_ = std::max({voxel > 0 ? voxel : default_voxel * mean_radius, finest_voxel * reach_ * mean_radius,
                       std::cbrt(volume / most_voxels)});
    origin_ = median_of(positions, chosen);

    float radius_most = 0;
    for (const std::uint32_t i : chosen) {
        const Vec3 x = (positions[i].cast<Real>() - origin_) / voxel_;
        const float radius = float(std::min(Real(radii[i]), most_radius) / voxel_);
        if (x.cwiseAbs().maxCoeff() > farthest_particle) continue;
        particles_.push_back({x.cast<float>(), radius, i});
        radius_most = std::max(radius_most, radius);
    }
    leaf_reach_ = std::max(1, int(std::ceil(float(reach_) * radius_most / leaf_side)));
    std::stable_sort(particles_.begin(), particles_.end(), [](const Particle& a, const Particle& b) {
        return key_of(leaf_of(a.position)) < key_of(leaf_of(b.position));
    });
    for (std::size_t i = 0; i < particles_.size(); ++i) {
        const std::uint64_t key = key_of(leaf_of(particles_[i].position));
        if (!keys_.empty() && keys_.back() == key) continue;
        keys_.push_back(key);
        first_.push_back(std::uint32_t(i));
    }
    first_.push_back(std::uint32_t(particles_.size()));
}

std::vector<Eigen::Vector3i> ParticleBlend::leaves() const {
    std::vector<std::uint64_t> keys;
    for (const Particle& particle : particles_) {
        const Eigen::Vector3f reach = Eigen::Vector3f::Constant(weight_radius(particle));
        const Eigen::Vector3i low = leaf_of(particle.position - reach), high = leaf_of(particle.position + reach);
        for (int x = low.x(); x <= high.x(); ++x) {
            for (int y = low.y(); y <= high.y(); ++y) {
                for (int z = low.z(); z <= high.z(); ++z) keys.push_back(key_of({x, y, z}));
            }
        }
        if (keys.size() > 1 << 22) {  // many particles share leaves: keep the list short
            std::sort(keys.begin(), keys.end());
            keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<Eigen::Vector3i> leaves;
    for (const std::uint64_t key : keys) leaves.push_back(leaf_of_key(key));
    return leaves;
}

std::span<const ParticleBlend::Particle> ParticleBlend::in_leaf(const Eigen::Vector3i& leaf) const {
    const std::uint64_t key = key_of(leaf);
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
    if (found == keys_.end() || *found != key) return {};
    const auto place = std::size_t(found - keys_.begin());
    return std::span(particles_).subspan(first_[place], first_[place + 1] - first_[place]);
}

}  // namespace pliant
