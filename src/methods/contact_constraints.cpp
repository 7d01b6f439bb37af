#include "pliant/methods/contact_constraints.h"

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real slack = 1e-9;       // of a radius: a gap that counts as none
constexpr Real least_free = 0.05;  // of a normal, for it to be another direction than those held already
constexpr Real close = 0.02;       // of Coulomb's limit: friction that need not be solved again
constexpr Real least_slip = 0.02;  // of what it would be without friction, for a first guess
constexpr Real steady = 0.1;       // of the slip: a difference that may be a rough solution's
constexpr Real at_rest = 1e-3;     // of the slip that friction could stop in a step
constexpr Real fading = 0.5;       // of the memory of friction, in a step without touch
constexpr Real forgotten = 1e-9;   // N
constexpr Real rounding = 1e-13;   // of a velocity

}  // namespace

struct ContactConstraints::ByParticle {
    static std::pair<std::size_t, std::size_t> key(const Contact& c) { return {c.particle, c.collider}; }
    static std::pair<std::size_t, std::size_t> key(const std::pair<std::size_t, std::size_t>& k) { return k; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
        return key(a) < key(b);
    }
};

void ContactConstraints::prepare(const ParticleState& state, std::size_t count) {
    last_limit_.assign(count, 0);
    last_growth_.assign(count, 0);
    pins_changed(state);
}

void ContactConstraints::pins_changed(const ParticleState& state) {
    pinned_.clear();
    for (std::uint32_t i = 0; i < last_limit_.size(); ++i) {
        if (state.pin[i] != no_pin) pinned_.push_back(i);
    }
}

bool ContactConstraints::find_contact(const ParticleState& state, std::size_t i, std::size_t c, const Vec3& v,
                                      Contact& found) const {
    const Collider& collider = model_.colliders[c];
    const Real radius = model_.bodies[state.body[i]].spacing / 2;
    const auto near = approach(collider, collider_poses_[c], radius, state.position[i], v, dt_);
    if (!near) return false;
    const Real gap_now = near->now.distance - radius;
    const std::uint32_t body = state.body[i];
    const bool stays_inside = body < stays_inside_.size() && stays_inside_[body];
    if (stays_inside && near->now.distance < 0) return false;
    const bool held = !may_leave_ && is_held(collider.rule(), near->now, radius);
    const Real allowed = stays_inside ? std::min(Real(0), gap_now) : allowed_gap(gap_now, radius, dt_);
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
    found.grip = rule.mode == ContactMode::stick ? Grip::sticks : Grip::slides;
    if (rule.mode == ContactMode::separate && rule.friction > 0) {
        begin_friction(found, state.velocity[i], v, state.mass[i]);
    }
    return true;
}

// As in the last step; at a first touch, as by the impulse that stops a lone particle.
void ContactConstraints::begin_friction(Contact& c, const Vec3& before, const Vec3& expected, Real mass) const {
    const Real mu = model_.colliders[c.collider].rule().friction;
    c.slip = c.slip_given = c.along(expected).norm();
    const Real last = last_limit_[c.particle];
    c.limit = last != 0 ? std::abs(last) * dt_ : mu * mass * std::max(Real(0), c.bound - expected.dot(c.normal));
    if (last > 0) c.slip = std::max(least_slip * c.slip, c.along(before).norm() + last_growth_[c.particle] * dt_);
    const Real stops = c.limit / mass;  // what friction could stop in this step
    c.grip = last < 0 || c.slip <= (last == 0 ? stops : at_rest * stops) ? Grip::sticks : Grip::slides;
}

void ContactConstraints::begin(const ParticleState& state, Real time, Real dt, std::span<const Vec3> expected) {
    dt_ = dt;
    collider_poses_ = poses_of(model_.colliders, time, dt);
    pin_poses_ = poses_of(model_.pins, time, dt);
    contacts_.clear();
    released_.clear();
    add(find_new(state, expected));
    build(state);
}

void ContactConstraints::reopen(const ParticleState& state, std::span<const Vec3> expected) {
    released_.clear();
    add(find_new(state, expected));
    build(state);
}

std::vector<ContactConstraints::Contact> ContactConstraints::find_new(const ParticleState& state,
                                                                      std::span<const Vec3> velocity) const {
    const std::size_t colliders = model_.colliders.size(), count = last_limit_.size();
    std::vector<std::vector<Contact>> found(block_count(count, default_block));
    const auto is_known = [&](std::size_t i, std::size_t c) {
        return std::binary_search(contacts_.begin(), contacts_.end(), std::pair(i, c), ByParticle()) ||
               std::binary_search(released_.begin(), released_.end(), std::pair(i, c));
    };
    parallel_blocks(count, default_block, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (state.pin[i] != no_pin) continue;
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
        Mat3 held = Mat3::Zero(), drag = Mat3::Zero();
        Vec3 target = Vec3::Zero();
        for (std::size_t k = begin; k < end; ++k) {
            const Contact& c = contacts_[k];
            if (c.grip != Grip::sticks || held != Mat3::Zero()) continue;
            held = Mat3::Identity();
            target = c.carried + (c.bound - c.carried.dot(c.normal)) * c.normal;
        }
        for (std::size_t k = begin; k < end; ++k) {
            const Contact& c = contacts_[k];
            if (c.grip == Grip::slides) drag += c.drag() * (Mat3::Identity() - c.normal * c.normal.transpose());
            const Vec3 rest = c.normal - held * c.normal;
            const Real length = rest.norm();
            if (c.grip != Grip::slides || length < least_free) continue;
            const Vec3 n = rest / length;
            target += (c.bound - target.dot(c.normal)) / length * n;
            held += n * n.transpose();
        }
        held_.push_back({contacts_[begin].particle, held, drag});
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

bool ContactConstraints::prescribe(const ParticleState& state, std::span<Vec3> change) const {
    bool has_moved = false;
    for (std::size_t k = 0; k < held_.size(); ++k) {
        const std::size_t i = held_[k].point;
        const Vec3 missing = held_[k].held * (target_[k] - state.velocity[i] - change[i]);
        if (missing.norm() <= rounding * (target_[k].norm() + state.velocity[i].norm())) continue;
        change[i] += missing;
        has_moved = true;
    }
    return has_moved;
}

void ContactConstraints::add_drag(const ParticleState& state, std::span<Vec3> impulse) const {
    for (const Contact& c : contacts_) {
        if (c.grip == Grip::slides) impulse[c.particle] -= c.drag() * c.along(state.velocity[c.particle]);
    }
}

void ContactConstraints::add_product(std::span<const Vec3> change, std::span<Vec3> result) const {
    for (const HeldPoint& h : held_) result[h.point] += h.drag * change[h.point];
}

// Coulomb: the tangential impulse is at most friction times the normal one, and just that while sliding. Nothing if
// what was solved with is close enough. While other contacts pull, normal impulses say little and limits stay as they
// are.
ContactConstraints::Change ContactConstraints::update_friction(Contact& c, const Vec3& velocity, const Vec3& impulse,
                                                               Real mass, bool some_pull, Real doubt) const {
    const Real normal = impulse.dot(c.normal), slip = c.along(velocity).norm();
    const Real friction = model_.colliders[c.collider].rule().friction;
    const Real limit = friction * std::max(Real(0), normal);
    if (!some_pull && std::abs(limit - c.limit) >= friction * doubt) c.limit = limit;
    if (c.grip == Grip::sticks) {
        const Real needed = (impulse - normal * c.normal).norm();
        if (needed <= c.limit) return Change::nothing;
        c.grip = Grip::slides;
        c.slip = std::max(c.slip_given, (needed - c.limit) / mass);  // a guess
        return Change::held;
    }
    if (std::abs(slip - c.slip) < std::min(doubt / mass, steady * slip)) return Change::nothing;
    const Real given = c.drag() * slip;
    // On the line through the last two passes, how fast it would be with just the friction that it should have.
    const bool has_two = c.given >= 0 && std::abs(given - c.given) > 1e-3 * c.limit;
    const Real slope = has_two ? std::min(Real(0), (slip - c.slip_given) / (given - c.given)) : 0;
    c.slip = slip + slope * (c.limit - given);
    c.given = given;
    c.slip_given = slip;
    if (mass * c.slip <= at_rest * c.limit) {
        c.grip = Grip::sticks;
        return Change::held;
    }
    return std::abs(given - c.limit) > close * c.limit ? Change::drag : Change::nothing;
}

ContactConstraints::Change ContactConstraints::review(const ParticleState& state, std::span<const Vec3> velocity,
                                                      std::span<const Vec3> impulse, Real doubt) {
    std::vector<Contact> kept;
    for (const Contact& c : contacts_) {
        if (c.is_bilateral || impulse[c.particle].dot(c.normal) >= 0) {
            kept.push_back(c);
        } else {
            released_.emplace_back(c.particle, c.collider);
        }
    }
    const bool some_pull = kept.size() < contacts_.size();
    std::sort(released_.begin(), released_.end());
    std::vector<Contact> found = find_new(state, velocity);
    contacts_ = std::move(kept);
    Change change = some_pull || !found.empty() ? Change::held : Change::nothing;
    for (Contact& c : contacts_) {
        const ContactRule& rule = model_.colliders[c.collider].rule();
        if (rule.mode != ContactMode::separate || rule.friction <= 0) continue;
        change = std::max(change, update_friction(c, velocity[c.particle], impulse[c.particle], state.mass[c.particle],
                                                  some_pull, doubt));
    }
    if (!found.empty()) add(std::move(found));
    if (change != Change::nothing) build(state);
    return change;
}

void ContactConstraints::finish(const ParticleState& state) {
    for (Real& limit : last_limit_) {  // kept a while for particles that touch in turn
        limit = std::abs(limit) > forgotten ? fading * std::abs(limit) : 0;
    }
    std::fill(last_growth_.begin(), last_growth_.end(), 0);
    for (const Contact& c : contacts_) {
        const std::size_t i = c.particle;
        last_limit_[i] = (c.grip == Grip::sticks ? -c.limit : c.limit) / dt_;
        last_growth_[i] = c.grip == Grip::sticks ? 0 : (c.slip - c.along(state.velocity[i]).norm()) / dt_;
    }
}

void ContactConstraints::save(Snapshot& snapshot) const {
    snapshot.put("contact.limit", last_limit_);
    snapshot.put("contact.growth", last_growth_);
}

void ContactConstraints::restore(const Snapshot& snapshot) {
    std::vector<Real> limit, growth;
    snapshot.get("contact.limit", limit);
    snapshot.get("contact.growth", growth);
    if (limit.size() != last_limit_.size() || growth.size() != last_growth_.size()) {
        throw InputError("the checkpoint's friction has another length than its positions");
    }
    last_limit_ = std::move(limit);
    last_growth_ = std::move(growth);
}

std::size_t ContactConstraints::bytes() const {
    return last_limit_.capacity() * 2 * sizeof(Real) + contacts_.capacity() * sizeof(Contact) +
           held_.capacity() * (sizeof(HeldPoint) + sizeof(Vec3));
}

}  // namespace pliant
