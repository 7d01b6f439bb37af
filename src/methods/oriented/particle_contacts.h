// Contact of ellipsoids with each other, between bodies and within one. Who may touch is found on a grid and kept until
// something has moved far; planes of contact come from the exact contact of the ellipsoids as a step begins, and hold
// for that step. Contacts of a colour touch no particle twice.
#pragma once

#include <span>

#include "pliant/geometry/neighbours.h"
#include "pliant/methods/oriented/contact.h"
#include "pliant/methods/oriented/rest_pose.h"

namespace pliant {

class ParticleContacts {
public:
    // Particles of a body do not touch where they overlap at rest, are linked, or are parts of one rigid group.
    void set_rest(const RestPose& rest, bool self_collision);

    // `position` and `move` are where particles are and what they will move by before any contact [m]; `shape` is S.
    void find(std::span<const Vec3> position, std::span<const Vec3> move, std::span<const Eigen::Matrix3f> shape,
              Real dt, Real friction);
    void begin(const WorkingParticles& working, const ContactBodies& bodies);
    void sweep(WorkingParticles& working, const ContactBodies& bodies);

    std::span<const Contact> contacts() const { return contacts_; }
    std::size_t bytes() const;

private:
    using Pair = std::pair<std::uint32_t, std::uint32_t>;

    void count_moves(std::span<const Vec3> move);
    void find_candidates(std::span<const Vec3> position);
    void add_candidates(std::uint32_t i, std::span<const Vec3> position, std::vector<Pair>& into) const;
    bool has_moved_far(std::span<const Vec3> position) const;
    void test(std::span<const Pair> pairs, std::span<const Vec3> position, std::span<const Eigen::Matrix3f> shape,
              Real dt, std::vector<Contact>& found) const;
    void sort_by_colour();

    std::vector<Real> radius_;  // the largest of each particle
    std::vector<BodyRange> bodies_;
    std::vector<std::uint32_t> body_;
    std::vector<std::vector<std::uint32_t>> apart_;  // particles of higher number that never touch this one
    bool self_collision_ = true;
    Real largest_ = 0, mean_radius_ = 0;  // m
    Real reach_ = 0;                      // by which candidates may be apart [m]

    NeighbourSearch search_;
    NeighbourLists near_;
    std::vector<Vec3> found_at_;  // positions when candidates were found
    Vec3 mean_found_ = Vec3::Zero();
    std::vector<Real> own_move_;            // what a particle may move by in this step, others standing still [m]
    std::vector<std::vector<Pair>> pairs_;  // a list a task
    std::vector<Pair> candidates_;
    std::vector<std::vector<Contact>> found_;  // a list a task
    std::vector<Contact> contacts_, sorted_;
    std::vector<std::uint32_t> colour_, colour_begin_;
    std::vector<std::uint64_t> used_;  // colours a particle, as bits
};

}  // namespace pliant
