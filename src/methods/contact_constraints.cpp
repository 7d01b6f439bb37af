#include "pliant/methods/contact_constraints.h"

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real slack = 1e-9;       // of a radius: a gap that counts as none
constexpr Real least_free = 0.05;  // of a normal, for it to be another direction than those held already

}  // namespace

struct ContactConstraints::ByParticle {
    static std::pair<std::size_t, std::size_t> key(const Contact& c) { return {c.particle, c.collider}; }
    static std::pair<std::size_t, std::size_t> key(const std::pair<std::size_t, std::size_t>& k) { return k; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
        return key(a) < key(b);
    }
};

void ContactConstraints::prepare(const ParticleState& state) {
    last_friction_.assign(state.size(), Vec3::Zero());
    released_.assign(state.size(), 0);
    for (std::uint32_t i = 0; i < state.size(); ++i) {
        if (state.pin[i] != no_pin) pinned_.push_back(i);
    }
}

bool ContactConstraints::find_contact(const ParticleState& state, std::size_t i, std::size_t c, const Vec3& v,
                                      Contact& found) const {
    const Collider& collider = model_.colliders[c];
    const Real radius = model_.bodies[state.body[i]].spacing / 2;
    const auto near = approach(collider, collider_poses_[c], radius, state.position[i], v, dt_);
    if (!near) return false;
    const Real allowed = allowed_gap(near->now.distance - radius, radius, dt_);
    const bool held = is_held(collider.rule(), near->now, radius);
    const Real gap = near->next.distance - radius;
    if (gap >= allowed - slack * radius && !held) return false;
    const Vec3& n = near->next.normal;
    const ContactRule& rule = collider.rule();
    found.particle = static_cast<std::uint32_t>(i);
    found.collider = static_cast<std::uint32_t>(c);
    found.normal = n;
    found.carried = near->next.velocity;
    found.bound = v.dot(n) + (allowed - gap) / dt_;
    if (held) found.bound = std::max(found.bound, found.carried.dot(n));
    found.is_bilateral = held;
    found.friction = Vec3::Zero();
    const bool grips = rule.mode == ContactMode::stick || (rule.mode == ContactMode::separate && rule.friction > 0);
    found.grip = grips ? Grip::sticks : Grip::slides;
    if (grips && rule.mode == ContactMode::separate && last_friction_[i] != Vec3::Zero()) {
        found.grip = Grip::slides;
        found.friction = dt_ * (last_friction_[i] - last_friction_[i].dot(n) * n);
    }
    return true;
}

void ContactConstraints::begin(const ParticleState& state, Real time, Real dt, std::span<const Vec3> expected) {
    dt_ = dt;
    collider_poses_ = poses_of(model_.colliders, time, dt);
    pin_poses_ = poses_of(model_.pins, time, dt);
    contacts_.clear();
    std::fill(released_.begin(), released_.end(), 0);
    add(find_new(state, expected));
    build(state);
}

std::vector<ContactConstraints::Contact> ContactConstraints::find_new(const ParticleState& state,
                                                                      std::span<const Vec3> velocity) const {
    const std::size_t colliders = model_.colliders.size();
    std::vector<std::vector<Contact>> found(block_count(state.size(), default_block));
    const auto is_known = [&](std::size_t i, std::size_t c) {
        return std::binary_search(contacts_.begin(), contacts_.end(), std::pair(i, c), ByParticle());
    };
    parallel_blocks(state.size(), default_block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (state.pin[i] != no_pin || released_[i]) continue;
            for (std::size_t c = 0; c < colliders; ++c) {
                Contact contact;
                if (find_contact(state, i, c, velocity[i], contact) && !is_known(i, c)) {
                    found[begin / default_block].push_back(contact);
                }
            }
        }
    });
    std::vector<Contact> all;
    for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
    return all;
}

void ContactConstraints::add(std::vector<Contact> found) {
    contacts_.insert(contacts_.end(), found.begin(), found.end());
    std::sort(contacts_.begin(), contacts_.end(), ByParticle());
}

// The contacts of a particle one after the other: those that stick hold all of it, the others the direction of their
// normal that is still free.
void ContactConstraints::build(const ParticleState& state) {
    held_.clear();
    target_.clear();
    for (std::size_t begin = 0, end = 0; begin < contacts_.size(); begin = end) {
        while (end < contacts_.size() && contacts_[end].particle == contacts_[begin].particle) ++end;
        Mat3 held = Mat3::Zero();
        Vec3 target = Vec3::Zero();
        for (std::size_t k = begin; k < end; ++k) {
            const Contact& c = contacts_[k];
            if (c.grip != Grip::sticks || held != Mat3::Zero()) continue;
            held = Mat3::Identity();
            target = c.carried + (c.bound - c.carried.dot(c.normal)) * c.normal;
        }
        for (std::size_t k = begin; k < end; ++k) {
            const Contact& c = contacts_[k];
            const Vec3 rest = c.normal - held * c.normal;
            const Real length = rest.norm();
            if (c.grip != Grip::slides || length < least_free) continue;
            const Vec3 n = rest / length;
            target += (c.bound - target.dot(c.normal)) / length * n;
            held += n * n.transpose();
        }
        held_.push_back({contacts_[begin].particle, held});
        target_.push_back(target);
    }
    for (const std::uint32_t i : pinned_) {
        const PosePair& pose = pin_poses_[static_cast<std::size_t>(state.pin[i])];
        held_.push_back({i, Mat3::Identity()});
        target_.push_back(carried_velocity(state.position[i], pose.now, pose.next, dt_));
    }
}

void ContactConstraints::project(std::span<Vec3> change) const {
    for (const HeldPoint& h : held_) change[h.point] -= h.held * change[h.point];
}

void ContactConstraints::prescribe(const ParticleState& state, std::span<Vec3> change) const {
    for (std::size_t k = 0; k < held_.size(); ++k) {
        const std::size_t i = held_[k].point;
        change[i] += held_[k].held * (target_[k] - state.velocity[i] - change[i]);
    }
}

void ContactConstraints::add_friction(std::span<Vec3> impulse) const {
    for (const Contact& c : contacts_) impulse[c.particle] += c.friction;
}

// Coulomb: the tangential impulse is at most friction times the normal one, and against the motion while sliding.
bool ContactConstraints::update_grip(Contact& c, const Vec3& velocity, const Vec3& impulse) const {
    const ContactRule& rule = model_.colliders[c.collider].rule();
    const Real limit = rule.friction * std::max(Real(0), impulse.dot(c.normal));
    if (c.grip == Grip::sticks) {
        const Vec3 tangential = impulse - impulse.dot(c.normal) * c.normal;
        const Real size = tangential.norm();
        if (size <= limit) return false;
        c.grip = Grip::slides;
        c.friction = limit / size * tangential;
        return true;
    }
    const Vec3 relative = velocity - c.carried;
    const Vec3 slip = relative - relative.dot(c.normal) * c.normal;
    const Real speed = slip.norm();
    if (slip.dot(c.friction) > 0) {
        c.grip = Grip::sticks;
        c.friction.setZero();
        return true;
    }
    if (speed > 0) c.friction = -limit / speed * slip;
    return false;
}

bool ContactConstraints::review(const ParticleState& state, std::span<const Vec3> velocity,
                                std::span<const Vec3> impulse, bool is_first) {
    bool changed = false;
    std::vector<Contact> kept;
    for (Contact& c : contacts_) {
        const Vec3 &v = velocity[c.particle], &J = impulse[c.particle];
        if (!c.is_bilateral && J.dot(c.normal) < 0) {
            released_[c.particle] = 1;
            changed = true;
            continue;
        }
        const ContactRule& rule = model_.colliders[c.collider].rule();
        if (rule.mode == ContactMode::separate && rule.friction > 0) changed |= update_grip(c, v, J) && is_first;
        kept.push_back(c);
    }
    std::vector<Contact> found = find_new(state, velocity);
    changed |= !found.empty();
    contacts_ = std::move(kept);
    if (!found.empty()) add(std::move(found));
    if (changed) build(state);
    return changed;
}

void ContactConstraints::finish(const ParticleState& state, std::span<Vec3> velocity) {
    std::fill(last_friction_.begin(), last_friction_.end(), Vec3::Zero());
    for (const Contact& c : contacts_) {
        if (c.grip == Grip::slides) last_friction_[c.particle] = c.friction / dt_;
    }
    parallel_for(state.size(), [&](std::size_t i) {
        if (state.pin[i] != no_pin) return;
        for (std::size_t k = 0; k < model_.colliders.size(); ++k) {
            Contact c;
            if (!find_contact(state, i, k, velocity[i], c)) continue;
            velocity[i] += std::max(Real(0), c.bound - velocity[i].dot(c.normal)) * c.normal;
        }
    });
}

void ContactConstraints::save(Snapshot& snapshot) const {
    snapshot.put("contact.friction", last_friction_);
}

void ContactConstraints::restore(const Snapshot& snapshot) {
    std::vector<Vec3> friction;
    snapshot.get("contact.friction", friction);
    if (friction.size() != last_friction_.size()) {
        throw InputError("the checkpoint's contact forces have another length than its positions");
    }
    last_friction_ = std::move(friction);
}

std::size_t ContactConstraints::bytes() const {
    return last_friction_.capacity() * (sizeof(Vec3) + 1) + contacts_.capacity() * sizeof(Contact) +
           held_.capacity() * (sizeof(HeldPoint) + sizeof(Vec3));
}

}  // namespace pliant
