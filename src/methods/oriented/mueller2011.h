// Oriented particles [Mueller11]: position based dynamics of ellipsoids that know how they are turned.
//     1  v += dt a;  x = x + dt v,  q = exp(dt omega) q                             rigid pieces turn exactly
//     2  sweeps: groups around particles, rigid groups, links, contacts             all in terms of x and q
//     3  v = dx / dt,  omega = log(q_new q_old^-1) / dt
// Positions and orientations between steps are double; the solver works in float on what a step changes.
#pragma once

#include "pliant/methods/method.h"
#include "pliant/methods/oriented/link_constraints.h"
#include "pliant/methods/oriented/matching_groups.h"
#include "pliant/methods/oriented/obstacle_contacts.h"
#include "pliant/methods/oriented/particle_contacts.h"
#include "pliant/methods/oriented/rigid_matching.h"
#include "pliant/methods/oriented/rigid_motion.h"
#include "pliant/methods/oriented/settings.h"

namespace pliant {

class Mueller2011 : public Method {
public:
    Mueller2011(const OrientedSettings& settings, const Model& model) : settings_(settings), model_(model) {}

    void prepare(const ParticleState& state) override;
    Real largest_timestep(const ParticleState&) override { return settings_.step; }
    void pins_changed(const ParticleState& state) override;
    StepReport step(ParticleState& state, Real time, Real dt) override;

    Real elastic_energy(const ParticleState& state) const override;  // 0 unless stiffness is from the material
    Spin spin(const ParticleState& state) const override;
    std::vector<Quantity> quantities(const ParticleState& state) const override;
    void save(Snapshot& snapshot) const override;
    void restore(const Snapshot& snapshot) override;
    std::size_t bytes() const override;

    const RestPose& rest() const { return rest_; }

private:
    void take_pins(const ParticleState& state);
    void take_rest();
    void predict(ParticleState& state, Real time, Real dt);
    void fill_working(const ParticleState& state, Real dt);
    void sweep_bodies(bool backwards);
    void sweep_cluster(std::size_t cluster, bool backwards, bool in_parallel);
    void find_drift();
    void finish(ParticleState& state, Real dt);
    void deform_for_good(ParticleState& state, Real dt, StepReport& report);
    void note_hits(Real dt);
    ContactBodies contact_bodies() const { return {start_, start_turn_, inverse_inertia_}; }

    OrientedSettings settings_;
    const Model& model_;
    RestPose rest_;
    std::vector<Cluster> clusters_;
    std::vector<std::uint32_t> group_begin_;  // rigid groups of cluster c: group_begin_[c] up to group_begin_[c + 1]
    std::vector<std::uint8_t> held_, body_is_held_;
    std::vector<std::uint32_t> body_;
    std::vector<std::uint8_t> is_lone_;  // linked to nothing: it turns by contact
    std::vector<MovingPiece> pieces_;
    std::vector<std::uint32_t> soft_for_;  // steps that a rigid group is still left alone

    WorkingParticles working_;
    MatchingGroups groups_;
    RigidMatching rigid_;
    LinkConstraints links_;
    ParticleContacts pairs_;
    ObstacleContacts obstacles_;

    // Of the current step.
    Vec3 origin_ = Vec3::Zero();
    std::vector<Vec3> move_;     // x ahead - x [m]
    std::vector<Vec3> drift_;    // that rounding has given to a body [m]
    std::vector<Vec3> turning_;  // what a turn adds to the velocity that the moves show [m/s]
    std::vector<Quat> now_;      // turns
    std::vector<Eigen::Vector3f> start_, predicted_;
    std::vector<Turn> start_turn_, predicted_turn_;
    std::vector<Eigen::Matrix3f> shape_, inverse_inertia_;
};

}  // namespace pliant
