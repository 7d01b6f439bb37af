#include "pliant/methods/mpm/node_contacts.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

// Share of a node's mass that is pinned above which it goes with the pin: that of a node half a cell outside, so that
// what is held ends, on average, where the pinned matter does.
constexpr Real pinned_share = 1.0 / 6;
constexpr Real least_slip = 1e-4;  // m/s, below which friction is as strong as there

Mat3 along(const Vec3& n) {
    return n * n.transpose();
}

}  // namespace

void NodeContacts::find(const SparseGrid& grid, std::span<const Real> mass, std::span<const NodeVector> driven,
                        Real time, Real dt) {
    contacts_.clear();
    driven_.clear();
    held_.clear();
    const std::size_t n = grid.node_count();
    const auto poses = poses_of(model_.colliders, time, dt);
    std::vector<std::uint8_t> is_driven(driven.empty() ? 0 : n, 0);
    if (!driven.empty()) {
        for (std::size_t i = 0; i < n; ++i) {
            if (!(driven[i][3] > pinned_share * mass[i])) continue;
            driven_.push_back({std::uint32_t(i), first_three(driven[i]) / driven[i][3]});
            is_driven[i] = 1;
        }
    }
    if (model_.colliders.empty()) return;
    constexpr std::size_t block = 1024;
    std::vector<std::vector<Contact>> found(block_count(n, block));
    parallel_blocks(n, block, [&](std::size_t begin, std::size_t end) {
        std::vector<Contact>& list = found[begin / block];
        for (std::size_t i = begin; i < end; ++i) {
            if (!is_driven.empty() && is_driven[i]) continue;
            const Vec3 x = grid.node_position(i);
            for (std::size_t c = 0; c < model_.colliders.size(); ++c) {
                const Collider& collider = model_.colliders[c];
                const Shape& shape = collider.shape();
                const Vec3 local = poses[c].next.placement.to_local(x);
                if (!(shape.distance(local) <= 0)) continue;
                Contact contact;
                contact.node = std::uint32_t(i);
                contact.rule = collider.rule();
                contact.normal = poses[c].next.placement.rotation * shape.normal(local);
                contact.carried = collider.motion().is_still() ? Vec3(Vec3::Zero())
                                                               : carried_velocity(x, poses[c].now, poses[c].next, dt);
                list.push_back(contact);
            }
        }
    });
    for (const auto& list : found) contacts_.insert(contacts_.end(), list.begin(), list.end());
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        const bool is_same = k > 0 && contacts_[k - 1].node == contacts_[k].node;
        contacts_[k].first = is_same ? contacts_[k - 1].first : std::uint32_t(k);
    }
}

std::size_t NodeContacts::apply(std::span<Vec3> velocity) const {
    std::size_t touching = 0;
    for (const Contact& contact : contacts_) {
        const Vec3 relative = velocity[contact.node] - contact.carried;
        const Real approach = relative.dot(contact.normal);
        if (contact.rule.mode == ContactMode::separate && approach >= 0) continue;
        ++touching;
        Vec3 tangential = relative - approach * contact.normal;
        if (contact.rule.mode == ContactMode::stick) tangential.setZero();
        if (contact.rule.mode == ContactMode::separate) {
            const Real slip = tangential.norm(), most = -contact.rule.friction * approach;
            tangential *= slip > most ? 1 - most / slip : 0;
        }
        velocity[contact.node] = contact.carried + tangential;
    }
    for (const Driven& d : driven_) velocity[d.node] = d.velocity;
    return touching;
}

void NodeContacts::begin(std::span<const Vec3> velocity) {
    for (Contact& contact : contacts_) {
        const Vec3 relative = velocity[contact.node] - contact.carried;
        const Real approach = relative.dot(contact.normal);
        const Real slip = (relative - approach * contact.normal).norm();
        const bool separates = contact.rule.mode == ContactMode::separate;
        contact.is_held = !separates || approach < 0;
        contact.is_stuck = contact.rule.mode == ContactMode::stick ||
                           (separates && contact.is_held && slip <= -contact.rule.friction * approach);
        contact.drag = 0;
    }
    gather_held();
}

// Directions are held one contact after the other: what an earlier one holds a later one cannot change.
void NodeContacts::gather_held() {
    held_.clear();
    for (std::size_t k = 0; k < contacts_.size();) {
        Held held{contacts_[k].node, Mat3::Identity(), Vec3::Zero()};
        const std::uint32_t first = contacts_[k].first;
        bool is_any = false;
        for (; k < contacts_.size() && contacts_[k].first == first; ++k) {
            const Contact& contact = contacts_[k];
            if (!contact.is_held) continue;
            is_any = true;
            if (contact.is_stuck) {
                held.fixed += held.free * contact.carried;
                held.free.setZero();
                continue;
            }
            const Vec3 direction = held.free * contact.normal;
            const Real length = direction.norm();
            if (!(length > 1e-3)) continue;
            const Vec3 unit = direction / length;
            held.fixed += unit * (contact.carried.dot(contact.normal) - held.fixed.dot(contact.normal)) / length;
            held.free -= along(unit);
        }
        if (is_any) held_.push_back(held);
    }
    for (const Driven& d : driven_) held_.push_back({d.node, Mat3::Zero(), d.velocity});
}

void NodeContacts::prescribe(std::span<Vec3> velocity) const {
    for (const Held& held : held_) {
        velocity[held.node] = held.free * velocity[held.node] + held.fixed;
    }
}

void NodeContacts::project(std::span<Vec3> change) const {
    for (const Held& held : held_) change[held.node] = held.free * change[held.node];
}

void NodeContacts::add_drag(std::span<const Vec3> velocity, std::span<Vec3> impulse) const {
    for (const Contact& contact : contacts_) {
        if (!(contact.drag > 0)) continue;
        const Vec3 relative = velocity[contact.node] - contact.carried;
        impulse[contact.node] -= contact.drag * (relative - relative.dot(contact.normal) * contact.normal);
    }
}

Real NodeContacts::drag_energy(std::span<const Vec3> velocity) const {
    Real energy = 0;
    for (const Contact& contact : contacts_) {
        const Vec3 relative = velocity[contact.node] - contact.carried;
        energy += contact.drag / 2 * (relative - relative.dot(contact.normal) * contact.normal).squaredNorm();
    }
    return energy;
}

void NodeContacts::add_product(std::span<const Vec3> change, std::span<Vec3> result) const {
    for (const Contact& contact : contacts_) {
        if (!(contact.drag > 0)) continue;
        const Vec3 v = change[contact.node];
        result[contact.node] += contact.drag * (v - v.dot(contact.normal) * contact.normal);
    }
}

void NodeContacts::add_diagonal(std::span<Vec3> diagonal) const {
    for (const Contact& contact : contacts_) {
        if (contact.drag > 0) diagonal[contact.node] += Vec3::Constant(contact.drag);
    }
}

void NodeContacts::finish(std::span<Vec3> velocity) const {
    for (const Contact& contact : contacts_) {
        Vec3& v = velocity[contact.node];
        const Real approach = (v - contact.carried).dot(contact.normal);
        if (!contact.is_held && approach < 0) v -= approach * contact.normal;
    }
}

bool NodeContacts::review(std::span<const Real> mass, std::span<const Vec3> velocity, std::span<const Vec3> impulse) {
    bool has_changed = false;
    for (Contact& contact : contacts_) {
        if (contact.rule.mode != ContactMode::separate) continue;
        const Vec3 relative = velocity[contact.node] - contact.carried;
        const Real approach = relative.dot(contact.normal);
        if (!contact.is_held) {
            if (approach < -1e-9) {
                contact.is_held = true;
                contact.is_stuck = false;
                contact.drag = 0;
                has_changed = true;
            }
            continue;
        }
        const Vec3 J = impulse[contact.node];
        const Real push = J.dot(contact.normal);
        if (push < 0) {
            contact.is_held = contact.is_stuck = false;
            contact.drag = 0;
            has_changed = true;
            continue;
        }
        const Real limit = contact.rule.friction * push;
        if (contact.is_stuck) {
            const Real pull = (J - push * contact.normal).norm();
            if (pull <= limit) continue;
            // What moves the node: the excess over friction, as if the node were alone.
            contact.is_stuck = false;
            contact.drag = limit / std::max(least_slip, (pull - limit) / std::max(mass[contact.node], 1e-300));
            has_changed = true;
        } else if (contact.rule.friction > 0) {
            const Vec3 slip = relative - approach * contact.normal;
            const Real drag = limit / std::max(least_slip, slip.norm());
            has_changed |= std::abs(drag - contact.drag) > 0.1 * drag;
            contact.drag = drag;
        }
    }
    if (has_changed) gather_held();
    return has_changed;
}

}  // namespace pliant
