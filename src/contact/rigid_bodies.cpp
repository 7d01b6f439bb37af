#include "pliant/contact/rigid_bodies.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/contact/rigid_contacts.h"
#include "pliant/contact/rigid_solver.h"
#include "pliant/math/rotation_vector.h"

namespace pliant {
namespace {

// A m A^T with A's columns the principal axes
Mat3 along(const Mat3& axes, const Vec3& m) {
    return axes * m.asDiagonal() * axes.transpose();
}

}  // namespace

RigidBodies::RigidBodies(const std::vector<RigidModel>& models, const std::vector<Collider>& colliders,
                         const Vec3& gravity)
    : models_(&models), colliders_(&colliders), gravity_(gravity) {
    for (const RigidModel& model : models) {
        try {
            const Box bounds = model.shape->bounds();
            bodies_.push_back({measure_mass(*model.shape, model.density), make_probes(*model.shape), bounds.center(),
                               bounds.diagonal().norm() / 2});
        } catch (const InputError& error) {
            throw InputError(fmt::format("rigid.{}: {}", model.name, error.what()));
        }
        centre_.push_back(model.place.to_world(bodies_.back().constant.centre));
        rotation_.push_back(model.place.rotation.normalized());
        velocity_.push_back(model.velocity);
        angular_velocity_.push_back(model.angular_velocity);
    }
    force_.assign(size(), Vec3::Zero());
    torque_.assign(size(), Vec3::Zero());
    support_ = angular_support_ = force_;
}

Mat3 RigidBodies::principal_axes(std::size_t i) const {
    return (rotation_[i] * bodies_[i].constant.principal).toRotationMatrix();
}

Mat3 RigidBodies::inertia(std::size_t i) const {
    return along(principal_axes(i), bodies_[i].constant.inertia);
}

Mat3 RigidBodies::inverse_inertia(std::size_t i) const {
    return along(principal_axes(i), bodies_[i].constant.inertia.cwiseInverse());
}

Placement RigidBodies::placement(std::size_t i) const {
    return {centre_[i] - rotation_[i] * bodies_[i].constant.centre, rotation_[i]};
}

MovingPose RigidBodies::pose(std::size_t i) const {
    const Placement place = placement(i);
    return {place, velocity_at(i, place.position), angular_velocity_[i]};
}

SurfacePoint RigidBodies::surface_at(std::size_t i, const Vec3& x) const {
    const Vec3 local = placement(i).to_local(x);
    return {shape(i).distance(local), rotation_[i] * shape(i).normal(local), velocity_at(i, x)};
}

std::vector<Placement> RigidBodies::placements() const {
    std::vector<Placement> result;
    for (std::size_t i = 0; i < size(); ++i) result.push_back(placement(i));
    return result;
}

void RigidBodies::apply_force(std::size_t i, const Vec3& force, const Vec3& torque) {
    force_[i] += force;
    torque_[i] += torque;
}

void RigidBodies::apply_force_at(std::size_t i, const Vec3& force, const Vec3& at) {
    apply_force(i, force, (at - centre_[i]).cross(force));
}

void RigidBodies::apply_impulse(std::size_t i, const Vec3& impulse, const Vec3& at) {
    velocity_[i] += impulse / mass(i);
    angular_velocity_[i] += inverse_inertia(i) * (at - centre_[i]).cross(impulse);
}

std::size_t RigidBodies::step(Real time, Real dt) {
    std::vector<Real> load(size());
    for (std::size_t i = 0; i < size(); ++i) load[i] = (gravity_ + force_[i] / mass(i)).norm();
    apply_forces(dt);
    const std::vector<Vec3> velocity = velocity_, angular_velocity = angular_velocity_;
    const std::size_t contacts = collide(time, dt);
    for (std::size_t i = 0; i < size(); ++i) {
        const Vec3 given = (velocity_[i] - velocity[i]) / dt;
        const Real share = std::min(Real(1), load[i] / std::max(given.norm(), Real(1e-30)));
        support_[i] = share * given;
        angular_support_[i] = share / dt * (angular_velocity_[i] - angular_velocity[i]);
    }
    move(dt);
    return contacts;
}

void RigidBodies::apply_forces(Real dt) {
    for (std::size_t i = 0; i < size(); ++i) {
        velocity_[i] += dt * (gravity_ + force_[i] / mass(i));
        angular_velocity_[i] += dt * (inverse_inertia(i) * torque_[i]);
        force_[i].setZero();
        torque_[i].setZero();
    }
}

std::size_t RigidBodies::collide(Real time, Real dt) {
    std::vector<Touchable> list;
    std::vector<SolverBody> solved;
    for (std::size_t i = 0; i < size(); ++i) {
        const RigidModel& model = (*models_)[i];
        list.push_back({model.shape.get(), &bodies_[i].probes, pose(i), bodies_[i].reach,
                        placement(i).to_world(bodies_[i].middle), model.friction, model.restitution});
        solved.push_back({1 / mass(i), bodies_[i].constant.inertia, principal_axes(i), centre_[i], velocity_[i],
                          angular_velocity_[i]});
    }
    for (const Collider& collider : *colliders_) {
        Touchable obstacle{&collider.shape(), nullptr, collider.pose(time)};
        obstacle.friction = collider.rule().friction;
        obstacle.sticks = collider.rule().mode == ContactMode::stick;
        obstacle.slips = collider.rule().mode == ContactMode::slip;
        list.push_back(obstacle);
        SolverBody still;
        still.centre = obstacle.pose.placement.position;
        still.velocity = obstacle.pose.linear_velocity;
        still.angular_velocity = obstacle.pose.angular_velocity;
        solved.push_back(still);
    }
    const std::vector<RigidContact> contacts = find_contacts(list, dt);
    if (contacts.empty()) return 0;
    solve_contacts(solved, contacts, dt);
    for (std::size_t i = 0; i < size(); ++i) {
        velocity_[i] = solved[i].velocity;
        angular_velocity_[i] = solved[i].angular_velocity;
        centre_[i] += solved[i].shift;
        if (solved[i].turn.squaredNorm() > 0) {
            rotation_[i] = (rotation_from_vector(solved[i].turn) * rotation_[i]).normalized();
        }
    }
    return contacts.size();
}

// The angular momentum L stays what it is, and the turn is by the angular velocity in the middle of the step:
//   w = I(R)^-1 L,   R_mid = exp(dt/2 w) R,   R' = exp(dt I(R_mid)^-1 L) R,   w' = I(R')^-1 L
void RigidBodies::move(Real dt) {
    for (std::size_t i = 0; i < size(); ++i) {
        centre_[i] += dt * velocity_[i];
        const Vec3 L = inertia(i) * angular_velocity_[i];
        const Quat before = rotation_[i];
        rotation_[i] = (rotation_from_vector(dt / 2 * angular_velocity_[i]) * before).normalized();
        const Vec3 in_the_middle = inverse_inertia(i) * L;
        rotation_[i] = (rotation_from_vector(dt * in_the_middle) * before).normalized();
        angular_velocity_[i] = inverse_inertia(i) * L;
    }
}

Momentum RigidBodies::momentum() const {
    Momentum sum;
    for (std::size_t i = 0; i < size(); ++i) {
        const Vec3 p = mass(i) * velocity_[i];
        sum.linear += p;
        sum.angular += centre_[i].cross(p) + inertia(i) * angular_velocity_[i];
    }
    return sum;
}

Real RigidBodies::kinetic_energy() const {
    Real sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        sum += mass(i) / 2 * velocity_[i].squaredNorm();
        sum += angular_velocity_[i].dot(inertia(i) * angular_velocity_[i]) / 2;
    }
    return sum;
}

Real RigidBodies::potential_energy() const {
    Real sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum -= mass(i) * gravity_.dot(centre_[i]);
    return sum;
}

Real RigidBodies::largest_speed() const {
    Real largest = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        largest = std::max(largest, velocity_[i].norm() + angular_velocity_[i].norm() * 2 * bodies_[i].reach);
    }
    return largest;
}

void RigidBodies::save(Snapshot& snapshot) const {
    snapshot.put("rigid.centre", centre_);
    snapshot.put("rigid.rotation", rotation_);
    snapshot.put("rigid.velocity", velocity_);
    snapshot.put("rigid.angular_velocity", angular_velocity_);
    snapshot.put("rigid.force", force_);
    snapshot.put("rigid.torque", torque_);
    snapshot.put("rigid.support", support_);
    snapshot.put("rigid.angular_support", angular_support_);
}

void RigidBodies::restore(const Snapshot& snapshot) {
    RigidBodies read = *this;
    snapshot.get("rigid.centre", read.centre_);
    snapshot.get("rigid.rotation", read.rotation_);
    snapshot.get("rigid.velocity", read.velocity_);
    snapshot.get("rigid.angular_velocity", read.angular_velocity_);
    snapshot.get("rigid.force", read.force_);
    snapshot.get("rigid.torque", read.torque_);
    snapshot.get("rigid.support", read.support_);
    snapshot.get("rigid.angular_support", read.angular_support_);
    for (const std::size_t count :
         {read.centre_.size(), read.rotation_.size(), read.velocity_.size(), read.angular_velocity_.size(),
          read.force_.size(), read.torque_.size(), read.support_.size(), read.angular_support_.size()}) {
        if (count != size()) {
            throw InputError(fmt::format("the checkpoint holds {} rigid bodies and the scene {}: the scene has changed",
                                         count, size()));
        }
    }
    *this = std::move(read);
}

}  // namespace pliant
