// Contact with obstacles and pins as constraints inside an implicit step: which directions of a particle's velocity are
// prescribed, and by how much friction pulls along the others. Found in passes, as the impulses of the solved step
// tell: a contact that pulls is released, one whose tangential impulse leaves Coulomb's cone slides, one that would
// slide backwards sticks, and particles that the solved step brings into an obstacle are added.
#pragma once

#include <span>
#include <vector>

#include "pliant/linear/grid_preconditioner.h"
#include "pliant/methods/model.h"
#include "pliant/methods/obstacles.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

class ContactConstraints {
public:
    explicit ContactConstraints(const Model& model) : model_(model) {}

    void prepare(const ParticleState& state);

    // `expected`: the velocities at the end of the step if nothing were in the way.
    void begin(const ParticleState& state, Real time, Real dt, std::span<const Vec3> expected);

    void project(std::span<Vec3> change) const;                                // leaves the free directions
    void prescribe(const ParticleState& state, std::span<Vec3> change) const;  // of velocity, in the others
    void add_friction(std::span<Vec3> impulse) const;                          // kg m/s
    std::span<const HeldPoint> held() const { return held_; }

    // Looks at a solved step: `velocity` at its end, `impulse` that the constraints had to give. True if the
    // constraints have changed and the step must be solved again; for friction alone only after the first pass, later
    // changes of it wait for the next step.
    bool review(const ParticleState& state, std::span<const Vec3> velocity, std::span<const Vec3> impulse,
                bool is_first);

    // After the last pass: takes out of the velocities what would still enter an obstacle, and remembers friction.
    void finish(const ParticleState& state, std::span<Vec3> velocity);

    std::size_t count() const { return contacts_.size(); }  // particles in touch with an obstacle, pairs counted

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
    std::size_t bytes() const;

private:
    enum class Grip : std::uint8_t { slides, sticks };
    struct Contact {
        std::uint32_t particle, collider;
        Vec3 normal;
        Vec3 carried;  // velocity of the obstacle there
        Real bound;    // least normal velocity at the end of the step [m/s]
        Grip grip;
        bool is_bilateral;  // slip or stick: held also against leaving
        Vec3 friction;      // impulse while sliding
    };

    struct ByParticle;

    bool find_contact(const ParticleState& state, std::size_t i, std::size_t collider, const Vec3& v,
                      Contact& found) const;
    std::vector<Contact> find_new(const ParticleState& state, std::span<const Vec3> velocity) const;
    bool update_grip(Contact& contact, const Vec3& velocity, const Vec3& impulse) const;
    void add(std::vector<Contact> found);
    void build(const ParticleState& state);

    const Model& model_;
    Real dt_ = 0;
    std::vector<PosePair> collider_poses_, pin_poses_;
    std::vector<std::uint32_t> pinned_;
    std::vector<Contact> contacts_;       // by particle, then collider
    std::vector<HeldPoint> held_;         // by particle, pinned ones behind
    std::vector<Vec3> target_;            // velocity in the held directions, one for each of held_
    std::vector<Vec3> last_friction_;     // force [N] on a particle that slid in the last step, or zero
    std::vector<std::uint8_t> released_;  // in this step: does not come back
};

}  // namespace pliant
