#include "pliant/methods/mpm/node_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/parallel.h"
#include "pliant/methods/mpm/transfers.h"

namespace pliant {
namespace {

// Share of a node's mass that is pinned above which it goes with the pin: that of a node half a cell outside, so that
// what is held ends, on average, where the pinned matter does.
constexpr Real pinned_share = 1.0 / 6;
constexpr Real least_slip = 1e-4;  // m/s, below which friction is as strong as there
constexpr Real slightest = 1e-9;   // m/s, of an approach that counts
constexpr Real unsettled = 0.05;   // of what friction may take altogether: by so much it may be off

Box world_bounds(const Box& local, const Placement& place) {
    const Vec3 centre = place.to_world(local.center());
    const Vec3 half = place.rotation.toRotationMatrix().cwiseAbs() * (place.scale / 2 * local.sizes());
    return Box(centre - half, centre + half);
}

Mat3 along(const Vec3& n) {
    return n * n.transpose();
}

}  // namespace

void NodeContacts::find(const SparseGrid& grid, std::span<const Real> mass, std::span<const NodeVector> driven,
                        Real time, Real dt, std::span<const Vec3> positions) {
    contacts_.clear();
    driven_.clear();
    held_.clear();
    const std::size_t n = grid.node_count();
    first_rigid_ = n + 1;
    const auto poses = poses_of(model_.colliders, time, dt);
    std::vector<std::uint8_t> is_driven(driven.empty() ? 0 : n, 0);
    if (!driven.empty()) {
        for (std::size_t i = 0; i < n; ++i) {
            if (!(driven[i][3] > pinned_share * mass[i])) continue;
            driven_.push_back({std::uint32_t(i), first_three(driven[i]) / driven[i][3]});
            is_driven[i] = 1;
        }
    }
    if (model_.colliders.empty() && rigids_.empty()) return;
    std::vector<Placement> rigid_places = rigids_.placements();
    std::vector<Box> rigid_boxes;
    for (std::size_t r = 0; r < rigids_.size(); ++r) {
        rigid_boxes.push_back(world_bounds(rigids_.shape(r).bounds(), rigid_places[r]));
    }
    constexpr std::size_t block = 1024;
    std::vector<std::vector<Contact>> found(block_count(n, block));
    parallel_blocks(n, block, [&](std::size_t begin, std::size_t end) {
        std::vector<Contact>& list = found[begin / block];
        for (std::size_t i = begin; i < end; ++i) {
            if (!is_driven.empty() && is_driven[i]) continue;
            const Vec3 x = positions.empty() ? grid.node_position(i) : positions[i];
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
            for (std::size_t r = 0; r < rigids_.size(); ++r) {
                if (!rigid_boxes[r].contains(x)) continue;
                const Vec3 local = rigid_places[r].to_local(x);
                if (!(rigids_.shape(r).distance(local) <= 0)) continue;
                Contact contact;
                contact.node = std::uint32_t(i);
                contact.rule = {ContactMode::separate, rigids_.friction(r)};
                contact.normal = rigid_places[r].rotation * rigids_.shape(r).normal(local);
                contact.carried = rigids_.velocity_at(r, x);
                contact.rigid = std::uint32_t(r);
                contact.arm = x - rigids_.centre_of_mass(r);
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

std::size_t NodeContacts::apply(std::span<const Real> mass, std::span<Vec3> velocity) const {
    std::size_t touching = 0;
    collide_rigids(mass, velocity);
    for (const Contact& contact : contacts_) {
        touching += contact.rigid != no_rigid;
        if (contact.rigid != no_rigid) continue;
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
        const Vec3 relative = velocity[contact.node] - carried(contact, velocity);
        const Real approach = relative.dot(contact.normal);
        const Real slip = (relative - approach * contact.normal).norm();
        const bool separates = contact.rule.mode == ContactMode::separate;
        contact.is_held = !separates || approach < 0;
        contact.is_stuck = contact.rule.mode == ContactMode::stick ||
                           (separates && contact.is_held && slip <= -contact.rule.friction * approach);
        contact.drag = contact.slip_before = 0;
        contact.may_stick = true;
    }
    gather_held();
}

// Directions are held one contact after the other: what an earlier one holds a later one cannot change. A node follows
// one rigid body; another that holds it counts as it moved before the step.
void NodeContacts::gather_held() {
    held_.clear();
    holds_to_rigids_ = false;
    holds_to_scene_ = !driven_.empty();
    for (std::size_t k = 0; k < contacts_.size();) {
        Held held{contacts_[k].node, Mat3::Identity(), Vec3::Zero()};
        const std::uint32_t first = contacts_[k].first;
        bool is_any = false;
        for (; k < contacts_.size() && contacts_[k].first == first; ++k) {
            const Contact& contact = contacts_[k];
            if (!contact.is_held) continue;
            is_any = true;
            const bool follows = contact.rigid != no_rigid && (held.rigid == no_rigid || held.rigid == contact.rigid);
            if (follows) {
                held.rigid = contact.rigid;
                held.arm = contact.arm;
            }
            holds_to_scene_ |= !follows;
            if (contact.is_stuck) {
                if (follows) held.follows += held.free;
                if (!follows) held.fixed += held.free * contact.carried;
                held.free.setZero();
                continue;
            }
            const Vec3 direction = held.free * contact.normal;
            const Real length = direction.norm();
            if (!(length > 1e-3)) continue;
            const Vec3 unit = direction / length;
            const Real fixed = held.fixed.dot(contact.normal);
            const Mat3 missing = unit * contact.normal.transpose() / length;
            held.follows -= missing * held.follows;
            held.fixed -= unit * fixed / length;
            if (follows) held.follows += missing;
            if (!follows) held.fixed += missing * contact.carried;
            held.free -= along(unit);
        }
        holds_to_rigids_ |= held.rigid != no_rigid;
        if (is_any) held_.push_back(held);
    }
    for (const Driven& d : driven_) held_.push_back({d.node, Mat3::Zero(), d.velocity});
}

void NodeContacts::prescribe(std::span<Vec3> velocity) const {
    for (const Held& held : held_) {
        Vec3& v = velocity[held.node];
        v = held.free * v + held.fixed;
        if (held.rigid != no_rigid) v += held.follows * carried(held.rigid, held.arm, velocity);
    }
}

void NodeContacts::follow(std::span<Vec3> change) const {
    for (const Held& held : held_) {
        if (held.rigid == no_rigid) continue;
        Vec3& v = change[held.node];
        v = held.free * v + held.follows * carried(held.rigid, held.arm, change);
    }
}

void NodeContacts::reduce(std::span<Vec3> force) const {
    for (const Held& held : held_) {
        if (held.rigid != no_rigid) {
            const Vec3 share = held.follows.transpose() * force[held.node];
            force[entry(held.rigid)] += share;
            force[entry(held.rigid) + 1] += held.arm.cross(share);
        }
        force[held.node] = held.free * force[held.node];
    }
}

void NodeContacts::project(std::span<Vec3> change) const {
    for (const Held& held : held_) change[held.node] = held.free * change[held.node];
}

void NodeContacts::push(const Contact& c, const Vec3& impulse, std::span<Vec3> impulses) const {
    if (c.rigid == no_rigid) return;
    impulses[entry(c.rigid)] += impulse;
    impulses[entry(c.rigid) + 1] += c.arm.cross(impulse);
}

void NodeContacts::add_drag(std::span<const Vec3> velocity, std::span<Vec3> impulse) const {
    for (const Contact& contact : contacts_) {
        if (!(contact.drag > 0)) continue;
        const Vec3 relative = velocity[contact.node] - carried(contact, velocity);
        const Vec3 drag = contact.drag * (relative - relative.dot(contact.normal) * contact.normal);
        impulse[contact.node] -= drag;
        push(contact, drag, impulse);
    }
}

Real NodeContacts::drag_energy(std::span<const Vec3> velocity) const {
    Real energy = 0;
    for (const Contact& contact : contacts_) {
        const Vec3 relative = velocity[contact.node] - carried(contact, velocity);
        energy += contact.drag / 2 * (relative - relative.dot(contact.normal) * contact.normal).squaredNorm();
    }
    return energy;
}

void NodeContacts::add_product(std::span<const Vec3> change, std::span<Vec3> result) const {
    for (const Contact& contact : contacts_) {
        if (!(contact.drag > 0)) continue;
        Vec3 v = change[contact.node];
        if (contact.rigid != no_rigid) v -= carried(contact.rigid, contact.arm, change);
        const Vec3 drag = contact.drag * (v - v.dot(contact.normal) * contact.normal);
        result[contact.node] += drag;
        push(contact, -drag, result);
    }
}

void NodeContacts::add_diagonal(std::span<Vec3> diagonal) const {
    for (const Contact& contact : contacts_) {
        if (contact.drag > 0) diagonal[contact.node] += Vec3::Constant(contact.drag);
    }
}

void NodeContacts::touched_nodes(std::vector<std::uint32_t>& list) const {
    list.clear();
    for (const Contact& contact : contacts_) list.push_back(contact.node);
    for (const Driven& driven : driven_) list.push_back(driven.node);
}

void NodeContacts::held_points(std::vector<HeldPoint>& list) const {
    list.clear();
    for (const Held& held : held_) list.push_back({held.node, Mat3::Identity() - held.free});
    for (const Contact& contact : contacts_) {
        if (!(contact.drag > 0)) continue;
        list.push_back({contact.node, Mat3::Zero(), contact.drag * (Mat3::Identity() - along(contact.normal))});
    }
}

bool NodeContacts::moves_in(std::span<const Vec3> velocity) const {
    return std::any_of(contacts_.begin(), contacts_.end(), [&](const Contact& c) {
        return !c.is_held && (velocity[c.node] - carried(c, velocity)).dot(c.normal) < -slightest;
    });
}

void NodeContacts::finish(std::span<const Real> mass, std::span<Vec3> velocity) const {
    collide_rigids(mass, velocity);
    for (const Contact& contact : contacts_) {
        if (contact.rigid != no_rigid) continue;
        Vec3& v = velocity[contact.node];
        const Real approach = (v - contact.carried).dot(contact.normal);
        if (!contact.is_held && approach < 0) v -= approach * contact.normal;
    }
}

// The drag c under which a sliding node's c s is `limit`; infinite if none does, so that it sticks.
// A solve tells the slip s under one c. If the rest of the matter answers in line, 1/s = a + b c: two solves tell a and
// b, and c = limit (a + b c) the rest. Without them nodes that are about to stick take a dozen solves of c = limit / s.
Real NodeContacts::settled_drag(const Contact& contact, Real limit, Real slip) {
    const Real step = contact.drag - contact.drag_before;
    if (contact.slip_before > 0 && std::abs(step) > 0.01 * contact.drag) {
        const Real b = (1 / slip - 1 / contact.slip_before) / step, a = 1 / slip - b * contact.drag;
        if (limit * b >= 1 && contact.may_stick) return std::numeric_limits<Real>::infinity();
        if (limit * b < 1 && a > 0 && b > 0) return std::min(limit * a / (1 - limit * b), limit / least_slip);
    }
    return limit / slip;
}

void NodeContacts::take_drag(Contact& contact) {
    if (contact.next_drag < 0) return;
    contact.is_stuck = std::isinf(contact.next_drag);
    if (contact.is_stuck) contact.may_stick = false;  // what slides once more has been seen from both sides
    contact.drag_before = contact.drag;
    contact.slip_before = contact.is_stuck ? 0 : contact.slip;
    contact.drag = contact.is_stuck ? 0 : contact.next_drag;
}

bool NodeContacts::review(std::span<const Real> mass, std::span<const Vec3> velocity, std::span<const Vec3> impulse,
                          bool may_release) {
    bool has_changed = false;
    Real off = 0, most = 0;  // of friction, over all contacts
    for (Contact& contact : contacts_) {
        if (contact.rule.mode != ContactMode::separate) continue;
        contact.next_drag = -1;
        const Vec3 relative = velocity[contact.node] - carried(contact, velocity);
        const Real approach = relative.dot(contact.normal);
        if (!contact.is_held) {
            if (approach < -slightest) {
                contact.is_held = true;
                contact.is_stuck = false;
                contact.drag = contact.slip_before = 0;
                has_changed = true;
            }
            continue;
        }
        if (!may_release) continue;
        const Vec3 J = impulse[contact.node];
        const Real push = J.dot(contact.normal);
        if (push < 0) {
            contact.is_held = contact.is_stuck = false;
            contact.drag = 0;
            has_changed = true;
            continue;
        }
        const Real limit = contact.rule.friction * push;
        most += limit;
        if (contact.is_stuck) {
            const Real pull = (J - push * contact.normal).norm();
            if (pull <= limit) continue;
            // What moves the node: the excess over friction, as if the node were alone.
            contact.is_stuck = false;
            contact.drag = limit / std::max(least_slip, (pull - limit) / std::max(mass[contact.node], 1e-300));
            has_changed = true;
        } else if (contact.rule.friction > 0) {
            contact.slip = std::max(least_slip, (relative - approach * contact.normal).norm());
            contact.next_drag = settled_drag(contact, limit, contact.slip);
            off += std::abs(limit - contact.drag * contact.slip);
        }
    }
    has_changed |= off > unsettled * most;
    if (!has_changed) return false;
    for (Contact& contact : contacts_) take_drag(contact);
    gather_held();
    return true;
}

}  // namespace pliant
