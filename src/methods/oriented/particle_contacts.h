// Contact of ellipsoids with each other, between bodies and within one. Who may touch is found by boxes; planes of
// contact come from the exact contact of the ellipsoids as a step begins, and hold for that step. Contacts of a colour
// touch no particle twice.
#pragma once

#include <span>

#include "pliant/methods/oriented/contact.h"
#include "pliant/methods/oriented/contact_boxes.h"
#include "pliant/methods/oriented/rest_pose.h"

namespace pliant {

class ParticleContacts {
public:
    // Particles of a body do not touch where they overlap at rest, are linked, or are parts of one rigid group.
    void set_rest(const RestPose& rest, bool self_collision);

    // `position` and `move` are where particles are and what they will move by before any contact [m]; `shape` is S.
    void find(std::span<const Vec3> position, std::span<const Vec3> move, std::span<const Eigen::Matrix3f> shape,
              const Vec3& origin, Real dt, Real friction);
    void begin(const WorkingParticles& working, const ContactBodies& bodies);
    void sweep(WorkingParticles& working, const ContactBodies& bodies);

    std::span<const Contact> contacts() const { return contacts_; }
    std::size_t bytes() const;

private:
    using Pair = ContactBoxes::Pair;

    void test(std::span<const Pair> pairs, std::span<const Vec3> position, std::span<const Eigen::Matrix3f> shape,
              Real dt, std::vector<Contact>& found) const;
    void sort_by_colour();

    std::vector<Real> radius_;  // the largest of each particle
    Real margin_ = 0;           // m
    Real longest_way_ = 0;      // m
    ContactBoxes boxes_;
    std::vector<std::vector<Pair>> pairs_;     // a list a task
    std::vector<std::vector<Contact>> found_;  // a list a task
    std::vector<Contact> contacts_, sorted_;
    std::vector<std::uint32_t> colour_, colour_begin_;
    std::vector<std::uint64_t> used_;  // colours a particle, as bits
};

}  // namespace pliant
