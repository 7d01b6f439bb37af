#include "pliant/methods/oriented/obstacle_contacts.h"

#include <algorithm>
#include <optional>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr std::size_t particles_a_task = 256;
constexpr Real margin = 0.5;    // in radii: how near an obstacle matters, because the solver may still bring it nearer
constexpr float sticks = 1e6f;  // a coefficient of friction that nothing overcomes

// The lowest point of the ellipsoid above the obstacle, by moving from the centre to the lowest point for the normal
// seen, and looking again from there.
std::optional<Contact> meet(const Collider& collider, const PosePair& pose, const Vec3& x, const Vec3& move,
                            const Vec3& origin, const Mat3& S, Real radius, Real dt) {
    const Vec3 ahead = x + move;
    SurfacePoint seen = collider.surface_at(ahead, pose.next);
    if (!(seen.distance < (1 + margin) * radius)) return std::nullopt;
    Vec3 arm = Vec3::Zero();
    for (int k = 0; k < 2; ++k) {
        const Vec3 n = seen.normal;
        arm = -(S * n) / std::max(std::sqrt(n.dot(S * n)), Real(1e-30));
        seen = collider.surface_at(ahead + arm, pose.next);
    }
    const Vec3 n = seen.normal;
    arm = -(S * n) / std::max(std::sqrt(n.dot(S * n)), Real(1e-30));
    const SurfacePoint now = collider.surface_at(x + arm, pose.now);
    const Real allowed = allowed_gap(now.distance, radius, dt);
    if (seen.distance > margin * radius && !is_held(collider.rule(), now, 0)) return std::nullopt;
    Contact c;
    c.normal = -n.cast<float>();
    c.offset = float(seen.distance - n.dot(ahead - origin) - std::min(Real(0), allowed));
    c.arm_a = arm.cast<float>();
    c.slide = (dt * seen.velocity).cast<float>();
    c.friction = float(collider.rule().friction);
    if (collider.rule().mode != ContactMode::separate) {
        c.holds = now.distance <= 0;
        c.friction = collider.rule().mode == ContactMode::stick ? sticks : 0;
    }
    return c;
}

}  // namespace

void ObstacleContacts::find(const Model& model, const ParticleState& state, std::span<const Vec3> move,
                            std::span<const Eigen::Matrix3f> shape, const Vec3& origin, Real time, Real dt) {
    const std::vector<PosePair> poses = poses_of(model.colliders, time, dt);
    found_.resize(block_count(state.size(), particles_a_task));
    parallel_blocks(state.size(), particles_a_task, [&](std::size_t begin, std::size_t end) {
        std::vector<Contact>& found = found_[begin / particles_a_task];
        found.clear();
        for (std::size_t i = begin; i < end; ++i) {
            if (state.pin[i] != no_pin) continue;
            const Mat3 S = shape[i].cast<Real>();
            const Real radius = std::sqrt(S.trace());  // at least the largest
            for (std::size_t k = 0; k < poses.size(); ++k) {
                auto contact = meet(model.colliders[k], poses[k], state.position[i], move[i], origin, S, radius, dt);
                if (!contact) continue;
                contact->a = static_cast<std::uint32_t>(i);
                found.push_back(*contact);
            }
        }
    });
    contacts_.clear();
    for (const auto& list : found_) contacts_.insert(contacts_.end(), list.begin(), list.end());
    begin_.clear();
    for (std::uint32_t k = 0; k < contacts_.size(); ++k) {
        if (k == 0 || contacts_[k].a != contacts_[k - 1].a) begin_.push_back(k);
    }
    begin_.push_back(static_cast<std::uint32_t>(contacts_.size()));
}

void ObstacleContacts::begin(const WorkingParticles& working, const ContactBodies& bodies) {
    parallel_for(contacts_.size(), [&](std::size_t k) { set_masses(contacts_[k], working, bodies); });
}

void ObstacleContacts::sweep(WorkingParticles& working, const ContactBodies& bodies) {
    parallel_for(begin_.size() - 1, [&](std::size_t p) {
        for (std::uint32_t k = begin_[p]; k < begin_[p + 1]; ++k) push(contacts_[k], working, bodies);
    });
}

std::size_t ObstacleContacts::touching() const {
    std::size_t count = 0;
    for (std::size_t p = 0; p + 1 < begin_.size(); ++p) {
        const auto touches = [](const Contact& c) { return c.lambda != 0; };
        count += std::any_of(contacts_.begin() + begin_[p], contacts_.begin() + begin_[p + 1], touches);
    }
    return count;
}

}  // namespace pliant
