#include "pliant/methods/oriented/obstacle_contacts.h"

#include <algorithm>
#include <optional>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr std::size_t particles_a_task = 256;
constexpr Real margin = 0.5;    // in radii: how near an obstacle matters, because the solver may still bring it nearer
constexpr float sticks = 1e6f;  // a coefficient of friction that nothing overcomes

// An obstacle as it is met in a step. Planes, which nearly every scene has, are looked at once and not by particle.
class Met {
public:
    Met(const Collider& collider, const PosePair& pose) : collider_(collider), pose_(pose) {
        is_plane_ = !collider.shape().is_bounded();
        if (is_plane_) {
            origin_ = pose.next.placement.position;
            now_ = collider.surface_at(origin_, pose.now);
            next_ = collider.surface_at(origin_, pose.next);
        }
    }

    // Whether all is farther than `reach` from x, at the end of the step.
    bool is_beyond(const Vec3& x, Real reach) const {
        return is_plane_ && next_.distance + next_.normal.dot(x - origin_) >= reach;
    }

    const ContactRule& rule() const { return collider_.rule(); }
    SurfacePoint now(const Vec3& x) const { return at(x, now_, pose_.now); }
    SurfacePoint next(const Vec3& x) const { return at(x, next_, pose_.next); }

private:
    SurfacePoint at(const Vec3& x, const SurfacePoint& plane, const MovingPose& pose) const {
        if (!is_plane_) return collider_.surface_at(x, pose);
        return {plane.distance + plane.normal.dot(x - origin_), plane.normal, pose.velocity_at(x)};
    }

    const Collider& collider_;
    const PosePair& pose_;
    bool is_plane_ = false;
    Vec3 origin_ = Vec3::Zero();
    SurfacePoint now_, next_;
};

// The lowest point of the ellipsoid above the obstacle, by moving from the centre to the lowest point for the normal
// seen, and looking again from there.
std::optional<Contact> meet(const Met& met, const Vec3& x, const Vec3& move, const Vec3& origin,
                            const Eigen::Matrix3f& shape, Real radius, Real dt) {
    const Vec3 ahead = x + move;
    if (met.is_beyond(ahead, (1 + margin) * radius)) return std::nullopt;
    SurfacePoint seen = met.next(ahead);
    if (!(seen.distance < (1 + margin) * radius)) return std::nullopt;
    const Mat3 S = shape.cast<Real>();
    const auto lowest = [&](const Vec3& n) { return Vec3(-(S * n) / std::max(std::sqrt(n.dot(S * n)), Real(1e-30))); };
    Vec3 arm = lowest(seen.normal);
    for (int k = 0; k < 2; ++k) {
        const Vec3 n = seen.normal;
        seen = met.next(ahead + arm);
        if (seen.normal == n) break;
        arm = lowest(seen.normal);
    }
    const Vec3 n = seen.normal;
    const SurfacePoint now = met.now(x + arm);
    const Real allowed = allowed_gap(now.distance, radius, dt);
    if (seen.distance > margin * radius && !is_held(met.rule(), now, 0)) return std::nullopt;
    Contact c;
    c.normal = -n.cast<float>();
    c.offset = float(seen.distance - n.dot(ahead - origin) - std::min(Real(0), allowed));
    c.arm_a = arm.cast<float>();
    c.slide = (dt * seen.velocity).cast<float>();
    c.friction = float(met.rule().friction);
    if (met.rule().mode != ContactMode::separate) {
        c.holds = now.distance <= 0;
        c.friction = met.rule().mode == ContactMode::stick ? sticks : 0;
    }
    return c;
}

}  // namespace

void ObstacleContacts::find(const Model& model, const ParticleState& state, std::span<const Vec3> move,
                            std::span<const Eigen::Matrix3f> shape, const Vec3& origin, Real time, Real dt) {
    const std::vector<PosePair> poses = poses_of(model.colliders, time, dt);
    std::vector<Met> obstacles;
    for (std::size_t k = 0; k < poses.size(); ++k) obstacles.emplace_back(model.colliders[k], poses[k]);
    found_.resize(block_count(state.size(), particles_a_task));
    parallel_blocks(state.size(), particles_a_task, [&](std::size_t begin, std::size_t end) {
        std::vector<Contact>& found = found_[begin / particles_a_task];
        found.clear();
        for (std::size_t i = begin; i < end; ++i) {
            if (state.pin[i] != no_pin) continue;
            const Real radius = std::sqrt(shape[i].trace());  // at least the largest
            for (const Met& met : obstacles) {
                auto contact = meet(met, state.position[i], move[i], origin, shape[i], radius, dt);
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
