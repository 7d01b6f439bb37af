// What of NodeContacts is about rigid bodies alone.
#include <algorithm>

#include "pliant/methods/mpm/node_contacts.h"

namespace pliant {
namespace {

constexpr int sweeps = 20;  // over the contacts with rigid bodies of an explicit step

}  // namespace

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
        velocity.push_back(rigids_.velocity(r) + dt * (model_.gravity + rigids_.support(r)));
        velocity.push_back(rigids_.angular_velocity(r) + dt * rigids_.angular_support(r));
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
        if (c.rigid != no_rigid && c.drag > 0)
            add(c.rigid, c.arm, c.drag * (Mat3::Identity() - c.normal * c.normal.transpose()));
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

}  // namespace pliant
