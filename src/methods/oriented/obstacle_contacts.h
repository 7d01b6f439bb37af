// Contact of ellipsoids with obstacles. The obstacle is taken for the plane that touches it where the ellipsoid is
// lowest above it, found as a step begins; that is exact for planes and flat sides, and for curved ones as exact as a
// step is short.
#pragma once

#include "pliant/methods/obstacles.h"
#include "pliant/methods/oriented/contact.h"

namespace pliant {

class ObstacleContacts {
public:
    // As ParticleContacts::find. Working positions are from `origin`. Particles that are pinned touch nothing.
    void find(const Model& model, const ParticleState& state, std::span<const Vec3> move,
              std::span<const Eigen::Matrix3f> shape, const Vec3& origin, Real time, Real dt);
    void begin(const WorkingParticles& working, const ContactBodies& bodies);
    void sweep(WorkingParticles& working, const ContactBodies& bodies);

    std::span<const Contact> contacts() const { return contacts_; }
    std::size_t touching() const;  // particles, after the last sweep

private:
    std::vector<std::vector<Contact>> found_;  // a list a task
    std::vector<Contact> contacts_;            // by particle
    std::vector<std::uint32_t> begin_;         // of each particle that has any
};

}  // namespace pliant
