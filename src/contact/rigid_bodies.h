// Rigid bodies that move by themselves: they fly and turn freely, collide with each other and with the scene's
// obstacles, and take the forces that a method's particles exert on them.
//
// Who touches whom is told by the shapes' own distances, so that every shape collides as it is drawn, hollow ones too;
// the impulses are Bullet's. The result depends on the state and nothing else: a restart goes on bit for bit.
#pragma once

#include <vector>

#include "pliant/contact/collider.h"
#include "pliant/contact/rigid.h"
#include "pliant/contact/rigid_mass.h"
#include "pliant/contact/rigid_probes.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

class RigidBodies {
public:
    RigidBodies() = default;  // none
    // InputError, with the body's name, if a shape has no inside. Models and colliders must outlive this.
    RigidBodies(const std::vector<RigidModel>& models, const std::vector<Collider>& colliders, const Vec3& gravity);

    std::size_t size() const { return bodies_.size(); }
    bool empty() const { return bodies_.empty(); }
    const Shape& shape(std::size_t i) const { return *(*models_)[i].shape; }
    Real friction(std::size_t i) const { return (*models_)[i].friction; }
    Real mass(std::size_t i) const { return bodies_[i].constant.mass; }
    Mat3 inertia(std::size_t i) const;          // about the centre of mass, in the world's axes [kg m^2]
    Mat3 inverse_inertia(std::size_t i) const;  // 1/(kg m^2)

    const Vec3& centre_of_mass(std::size_t i) const { return centre_[i]; }
    const Vec3& velocity(std::size_t i) const { return velocity_[i]; }  // of the centre of mass [m/s]
    const Vec3& angular_velocity(std::size_t i) const { return angular_velocity_[i]; }
    // What contacts with obstacles and each other took of the load on it in the last step: of gravity and forces, not
    // of an impact [m/s^2], [rad/s^2].
    const Vec3& support(std::size_t i) const { return support_[i]; }
    const Vec3& angular_support(std::size_t i) const { return angular_support_[i]; }
    Vec3 velocity_at(std::size_t i, const Vec3& x) const {
        return velocity_[i] + angular_velocity_[i].cross(x - centre_[i]);
    }
    Placement placement(std::size_t i) const;  // of the shape
    MovingPose pose(std::size_t i) const;      // and how it moves
    SurfacePoint surface_at(std::size_t i, const Vec3& x) const;
    std::vector<Placement> placements() const;

    // Forces [N] and torques about the centre of mass [N m] act during the next step and add up until then.
    void apply_force(std::size_t i, const Vec3& force, const Vec3& torque = Vec3::Zero());
    void apply_force_at(std::size_t i, const Vec3& force, const Vec3& at);
    // Impulses [N s] act at once.
    void apply_impulse(std::size_t i, const Vec3& impulse, const Vec3& at);

    // From `time` to time + dt: forces and gravity, contacts, motion. The number of contact points.
    std::size_t step(Real time, Real dt);

    Momentum momentum() const;      // of all, angular about the origin
    Real kinetic_energy() const;    // J
    Real potential_energy() const;  // -sum m g.x [J]
    Real largest_speed() const;     // of any point of a body [m/s]

    void save(Snapshot& snapshot) const;     // "rigid.*"
    void restore(const Snapshot& snapshot);  // InputError if it holds another number of bodies

private:
    struct Body {
        MassProperties constant;
        std::vector<Probe> probes;
        Vec3 middle;  // of the shape's bounds, in its own space
        Real reach;
    };

    Mat3 principal_axes(std::size_t i) const;
    void apply_forces(Real dt);
    std::size_t collide(Real time, Real dt);
    void move(Real dt);

    const std::vector<RigidModel>* models_ = nullptr;
    const std::vector<Collider>* colliders_ = nullptr;
    Vec3 gravity_ = Vec3::Zero();
    std::vector<Body> bodies_;

    std::vector<Vec3> centre_, velocity_, angular_velocity_;
    std::vector<Quat> rotation_;        // of the shape
    std::vector<Vec3> force_, torque_;  // of the next step
    std::vector<Vec3> support_, angular_support_;
};

}  // namespace pliant
