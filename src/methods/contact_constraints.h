// Contact with obstacles and pins as constraints inside an implicit step: which directions of a particle's velocity are
// prescribed, and how strongly friction brakes the others. Found in passes, as the impulses of the solved step tell: a
// contact that pulls is released, one whose tangential impulse leaves Coulomb's cone slides, and particles that the
// solved step brings into an obstacle are added.
//
// Friction of a sliding contact is a drag c on the slip s at the end of the step, J_t = -c s with c = mu J_n / |s| from
// the pass or step before. Being solved along, it only ever takes energy, however wrong c still is.
#pragma once

#include <span>
#include <vector>

#include "pliant/linear/point_system.h"
#include "pliant/methods/model.h"
#include "pliant/methods/obstacles.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

class ContactConstraints {
public:
    // `may_leave`: what slips along an obstacle or sticks to it may leave.
    explicit ContactConstraints(const Model& model, bool may_leave = false) : model_(model), may_leave_(may_leave) {}

    // Of the first `count` particles, which all arrays below are of, or of all.
    void prepare(const ParticleState& state) { prepare(state, state.size()); }
    void prepare(const ParticleState& state, std::size_t count);
    void pins_changed(const ParticleState& state);
    // Bodies that were placed around obstacles: they come no deeper, but are not pushed out.
    void let_stay_inside(std::vector<std::uint8_t> bodies) { stays_inside_ = std::move(bodies); }

    // `expected`: the velocities at the end of the step if nothing were in the way.
    void begin(const ParticleState& state, Real time, Real dt, std::span<const Vec3> expected);

    // The forces have changed so much that contacts which were released may come back.
    void reopen(const ParticleState& state, std::span<const Vec3> expected);

    void project(std::span<Vec3> change) const;  // leaves the free directions
    // Sets the change of velocity in the others; false if it was so already.
    bool prescribe(const ParticleState& state, std::span<Vec3> change) const;
    void add_drag(const ParticleState& state, std::span<Vec3> impulse) const;      // -c s without the change [kg m/s]
    void add_product(std::span<const Vec3> change, std::span<Vec3> result) const;  // c times the change
    std::span<const HeldPoint> held() const { return held_; }

    // Looks at a solved step: `velocity` at its end, `impulse` that the held directions had to give. Unless nothing has
    // changed, the step must be solved again; for drag alone with the preconditioner as it is. Impulses are known to
    // within `doubt`: friction that is off by less stays.
    enum class Change : std::uint8_t { nothing, drag, held };
    Change review(const ParticleState& state, std::span<const Vec3> velocity, std::span<const Vec3> impulse,
                  Real doubt);

    // After the last pass: remembers friction.
    void finish(const ParticleState& state);

    std::size_t count() const { return contacts_.size(); }  // particles in touch with an obstacle, pairs counted

    struct Touch {
        std::uint32_t particle, collider;
        Vec3 normal;
        Vec3 carried;  // velocity of the obstacle there
        Real bound;    // least normal velocity at the end of the step [m/s]
    };
    std::vector<Touch> touches() const { return {contacts_.begin(), contacts_.end()}; }  // by particle

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
    std::size_t bytes() const;

private:
    enum class Grip : std::uint8_t { slides, sticks };
    struct Contact : Touch {
        Grip grip;
        bool is_bilateral;  // slip or stick: held also against leaving
        Real limit = 0;     // of the tangential impulse, by Coulomb [kg m/s]
        Real slip = 0;      // speed along the surface at the end of the step, as expected while it slides [m/s]
        Real given = -1, slip_given = 0;  // in the last pass that slid: tangential impulse, and slip
        Real drag() const { return slip > 0 ? limit / slip : 0; }
        Vec3 along(const Vec3& v) const { return (v - carried) - (v - carried).dot(normal) * normal; }
    };

    struct ByParticle;

    bool find_contact(const ParticleState& state, std::size_t i, std::size_t collider, const Vec3& v,
                      Contact& found) const;
    std::vector<Contact> find_new(const ParticleState& state, std::span<const Vec3> velocity) const;
    void begin_friction(Contact& contact, const Vec3& before, const Vec3& expected, Real mass) const;
    Change update_friction(Contact& contact, const Vec3& velocity, const Vec3& impulse, Real mass, bool some_pull,
                           Real doubt) const;
    void add(std::vector<Contact> found);
    void build(const ParticleState& state);

    const Model& model_;
    bool may_leave_;
    std::vector<std::uint8_t> stays_inside_;  // bodies
    Real dt_ = 0;
    std::vector<PosePair> collider_poses_, pin_poses_;
    std::vector<std::uint32_t> pinned_;
    std::vector<Contact> contacts_;  // by particle, then collider
    std::vector<HeldPoint> held_;    // by particle, pinned ones behind
    std::vector<Vec3> target_;       // velocity in the held directions, one for each of held_
    std::vector<std::pair<std::size_t, std::size_t>> released_;  // do not come back; sorted
    // Of the last step: limit of friction [N], with a minus where the particle stuck; and how its slip grew [m/s^2].
    std::vector<Real> last_limit_, last_growth_;
};

}  // namespace pliant
