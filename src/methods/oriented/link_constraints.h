// What links do beside the matching of groups: keep their length, and let the turns of their ends follow each other.
//     stretch:  x_a, x_b move along the link by their inverse masses until its length is the rest length
//     torsion:  r_a' = slerp(r_a, r_b, s/2), r_b' = slerp(r_b, r_a, s/2), both from the old turns; turns are counted
//               from the rest orientations, so that a twist at rest stays      [Mueller11] Eq. 22 and 23, corrected
// Links of a colour touch no particle twice and go eight at a time. The slerp is a normalised lerp: the same
// half way, and 21.6 instead of 22.5 degrees a quarter of the way through a right angle.
#pragma once

#include "pliant/methods/oriented/colouring.h"
#include "pliant/methods/oriented/rest_pose.h"
#include "pliant/methods/oriented/working_particles.h"

namespace pliant {

class LinkConstraints {
public:
    // Links that do nothing are left out. Adds spare particles to `working`.
    void set(const RestPose& rest, std::span<const Cluster> clusters, WorkingParticles& working);
    void set_rest(const RestPose& rest);
    void sweep(std::size_t cluster, WorkingParticles& working) const;

private:
    struct Pack {
        std::uint32_t a[8], b[8];
        std::uint32_t link[8];  // no_link for a lane without
        Float8 length, stretch, torsion;
        bool stretches = false, twists = false;
    };
    void stretch(const Pack& pack, WorkingParticles& working) const;
    void twist(const Pack& pack, WorkingParticles& working) const;

    std::vector<std::uint32_t> begin_;  // the packs of cluster c: begin_[c] up to begin_[c + 1]
    std::vector<Pack> packs_;
};

}  // namespace pliant
