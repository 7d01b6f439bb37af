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
constexpr int sweeps = 20;         // over the contacts with rigid bodies of an explicit step

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
                        Real time, Real dt) {
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
        contact.drag = 0;
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

void NodeContacts::finish(std::span<const Real> mass, std::span<Vec3> velocity) const {
    collide_rigids(mass, velocity);
    for (const Contact& contact : contacts_) {
        if (contact.rigid != no_rigid) continue;
        Vec3& v = velocity[contact.node];
        const Real approach = (v - contact.carried).dot(contact.normal);
        if (!contact.is_held && approach < 0) v -= approach * contact.normal;
    }
}

// Impulses between single nodes and rigid bodies, over and over: each is what keeps the two apart, and never pulls.
// Momentum goes from one to the other and is not lost.
void NodeContacts::collide_rigids(std::span<const Real> mass, std::span<Vec3> velocity) const {
    struct Impulse {
        const Contact* contact;
        Mat3 inverse_inertia;
        Real normal = 0;
        Vec3 tangential = Vec3::Zero();
    };
    std::vector<Impulse> impulses;
    for (const Contact& c : contacts_) {
        if (c.rigid != no_rigid && mass[c.node] > 0) impulses.push_back({&c, rigids_.inverse_inertia(c.rigid)});
    }
    for (int sweep = 0; sweep < sweeps && !impulses.empty(); ++sweep) {
        for (Impulse& impulse : impulses) {
            const Contact& c = *impulse.contact;
            const auto yielding = [&](const Vec3& along) {  // velocity by an impulse of 1 [1/kg]
                const Vec3 turn = c.arm.cross(along);
                return 1 / mass[c.node] + 1 / rigids_.mass(c.rigid) + turn.dot(impulse.inverse_inertia * turn);
            };
            const auto give = [&](const Vec3& J) {
                velocity[c.node] += J / mass[c.node];
                velocity[entry(c.rigid)] -= J / rigids_.mass(c.rigid);
                velocity[entry(c.rigid) + 1] -= impulse.inverse_inertia * c.arm.cross(J);
            };
            const Real approach = (velocity[c.node] - carried(c, velocity)).dot(c.normal);
            const Real normal = std::max(Real(0), impulse.normal - approach / yielding(c.normal));
            give((normal - impulse.normal) * c.normal);
            impulse.normal = normal;
            if (!(c.rule.friction > 0)) continue;
            const Vec3 relative = velocity[c.node] - carried(c, velocity);
            const Vec3 slip = relative - relative.dot(c.normal) * c.normal;
            const Real speed = slip.norm();
            if (!(speed > 0)) continue;
            Vec3 tangential = impulse.tangential - slip / yielding(slip / speed);
            const Real size = tangential.norm(), most = c.rule.friction * impulse.normal;
            if (size > most) tangential *= most / size;
            give(tangential - impulse.tangential);
            impulse.tangential = tangential;
        }
    }
}

void NodeContacts::append_rigids(std::vector<Vec3>& velocity, Real dt) const {
    for (std::size_t r = 0; r < rigids_.size(); ++r) {
        velocity.push_back(rigids_.velocity(r) + dt * model_.gravity);
        velocity.push_back(rigids_.angular_velocity(r));
    }
}

void NodeContacts::push_rigids(std::span<const Vec3> before, std::span<const Vec3> after, Real dt,
                               RigidBodies& rigids) const {
    for (std::uint32_t r = 0; r < rigids.size(); ++r) {
        const std::size_t k = entry(r);
        rigids.apply_force(r, rigids.mass(r) / dt * (after[k] - before[k]),
                           rigids.inertia(r) / dt * (after[k + 1] - before[k + 1]));
    }
}

std::vector<std::pair<std::size_t, Real>> NodeContacts::rigid_masses() const {
    std::vector<std::pair<std::size_t, Real>> list;
    for (std::uint32_t r = 0; r < rigids_.size(); ++r) list.emplace_back(entry(r), rigids_.mass(r));
    return list;
}

Real NodeContacts::add_inertia(std::span<const Vec3> expected, std::span<const Vec3> velocity,
                               std::span<Vec3> gradient) const {
    Real energy = 0;
    for (std::uint32_t r = 0; r < rigids_.size(); ++r) {
        const std::size_t k = entry(r);
        const Vec3 v = velocity[k] - expected[k], w = velocity[k + 1] - expected[k + 1];
        const Vec3 p = rigids_.mass(r) * v, L = rigids_.inertia(r) * w;
        gradient[k] += p;
        gradient[k + 1] += L;
        energy += (p.dot(v) + L.dot(w)) / 2;
    }
    return energy;
}

void NodeContacts::multiply_inertia(std::span<const Vec3> x, std::span<Vec3> result) const {
    for (std::uint32_t r = 0; r < rigids_.size(); ++r) {
        result[entry(r)] = rigids_.mass(r) * x[entry(r)];
        result[entry(r) + 1] = rigids_.inertia(r) * x[entry(r) + 1];
    }
}

Real NodeContacts::squared_norm(std::span<const Vec3> x) const {
    Real sum = 0;
    for (std::uint32_t r = 0; r < rigids_.size(); ++r) {
        const Vec3 &p = x[entry(r)], &L = x[entry(r) + 1];
        sum += p.squaredNorm() / rigids_.mass(r) + L.dot(rigids_.inverse_inertia(r) * L);
    }
    return sum;
}

void NodeContacts::set_diagonal(std::span<const Vec3> diagonal) {
    std::vector<Eigen::Matrix<Real, 6, 6>> blocks(rigids_.size(), Eigen::Matrix<Real, 6, 6>::Zero());
    for (std::uint32_t r = 0; r < rigids_.size(); ++r) {
        blocks[r].topLeftCorner<3, 3>() = rigids_.mass(r) * Mat3::Identity();
        blocks[r].bottomRightCorner<3, 3>() = rigids_.inertia(r);
    }
    const auto add = [&](std::uint32_t rigid, const Vec3& arm, const Mat3& stiffness) {
        Eigen::Matrix<Real, 3, 6> J;
        J << Mat3::Identity(), -cross_matrix(arm);
        blocks[rigid] += J.transpose() * stiffness * J;
    };
    for (const Held& held : held_) {
        if (held.rigid == no_rigid) continue;
        add(held.rigid, held.arm, held.follows.transpose() * diagonal[held.node].asDiagonal() * held.follows);
    }
    for (const Contact& c : contacts_) {
        if (c.rigid != no_rigid && c.drag > 0) add(c.rigid, c.arm, c.drag * (Mat3::Identity() - along(c.normal)));
    }
    inverse_.clear();
    for (const auto& block : blocks) inverse_.push_back(block.inverse());
}

void NodeContacts::precondition(std::span<const Vec3> residual, std::span<Vec3> result) const {
    for (std::uint32_t r = 0; r < rigids_.size(); ++r) {
        Eigen::Matrix<Real, 6, 1> b;
        b << residual[entry(r)], residual[entry(r) + 1];
        const Eigen::Matrix<Real, 6, 1> x = inverse_[r] * b;
        result[entry(r)] = x.head<3>();
        result[entry(r) + 1] = x.tail<3>();
    }
}

bool NodeContacts::review(std::span<const Real> mass, std::span<const Vec3> velocity, std::span<const Vec3> impulse,
                          bool may_release) {
    bool has_changed = false;
    for (Contact& contact : contacts_) {
        if (contact.rule.mode != ContactMode::separate) continue;
        const Vec3 relative = velocity[contact.node] - carried(contact, velocity);
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
