#include "pliant/methods/oriented/rigid_matching.h"

#include <algorithm>

#include "pliant/math/rotation.h"

namespace pliant {
void RigidMatching::set_rest(const RestPose& rest, std::span<const std::uint8_t> held) {
    groups_.resize(rest.groups.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        Group& group = groups_[g];
        group.members.clear();
        group.stiffness = rest.groups[g].stiffness;
        Vec3 centre = Vec3::Zero();
        Real total = 0, moment = 0;
        const auto weight = [&](std::uint32_t i) { return rest.weight(i, held[i]); };
        for (const std::uint32_t i : rest.groups[g].particles) {
            centre += weight(i) * rest.position[i];
            total += weight(i);
        }
        centre /= total;
        for (const std::uint32_t i : rest.groups[g].particles) {
            const Vec3 arm = rest.position[i] - centre;
            group.members.push_back({i, rest.is_joint[i] != 0, float(weight(i)), arm.cast<float>()});
            moment += weight(i) * (arm.squaredNorm() + rest.radii[i].squaredNorm() / 5);
        }
        const auto turns = [](const Member& m) { return !m.is_joint; };
        const auto oriented = std::find_if(group.members.begin(), group.members.end(), turns);
        group.oriented = (oriented != group.members.end() ? *oriented : group.members.front()).particle;
        group.inverse_total = float(1 / total);
        group.scale = 1 / moment;
    }
}

void RigidMatching::match(std::size_t g, WorkingParticles& working) {
    Group& group = groups_[g];
    using Vector = Eigen::Vector3f;
    const auto place = [&](const Member& m) { return Vector(working.particle[m.particle].x); };
    const Vector origin = place(group.members.front());
    Vector sum = Vector::Zero();
    Eigen::Matrix3f A = Eigen::Matrix3f::Zero();
    for (const Member& m : group.members) {
        const Vector x = m.weight * (place(m) - origin);
        sum += x;
        A += x * m.rest.transpose();
        if (m.is_joint) continue;
        const float* own = working.particle[m.particle].moment;
        for (int c = 0; c < 3; ++c) A.col(c) += Vector(own[4 * c], own[4 * c + 1], own[4 * c + 2]);
    }
    const Turn& t = working.turn[group.oriented];
    const Quat start(t.w, t.x, t.y, t.z);
    const Quat turn = nearest_rotation(group.scale * A.cast<Real>(), start, 1e-4).rotation;
    const Eigen::Matrix3f R = turn.toRotationMatrix().cast<float>();
    const Eigen::Quaternionf q = turn.cast<float>();
    const Vector centre = origin + group.inverse_total * sum;
    for (const Member& m : group.members) {
        WorkingParticle& particle = working.particle[m.particle];
        if (particle.inverse_mass > 0) {
            Eigen::Map<Vector> x(particle.x);
            x += group.stiffness * (R * m.rest + centre - x);
        }
        if (m.is_joint || particle.inverse_mass == 0) continue;
        working.turn[m.particle] = {q.w(), q.x(), q.y(), q.z()};
        working.refresh_moment(m.particle);
    }
}

}  // namespace pliant
