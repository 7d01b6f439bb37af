// Groups of a rig, matched as one piece each: for rigid parts. A particle of two groups is a joint: it is moved by
// both and turned by neither.
#pragma once

#include "pliant/methods/oriented/rest_pose.h"
#include "pliant/methods/oriented/working_particles.h"

namespace pliant {

class RigidMatching {
public:
    void set_rest(const RestPose& rest, std::span<const std::uint8_t> held);
    void match(std::size_t group, WorkingParticles& working);

private:
    struct Member {
        std::uint32_t particle;
        bool is_joint;
        float weight;
        Eigen::Vector3f rest;  // from the rest centre
    };
    struct Group {
        std::vector<Member> members;
        float stiffness = 1, inverse_total = 0;
        Real scale = 1;              // makes the moment a matrix of about one
        std::uint32_t oriented = 0;  // a member whose turn is that of the group
    };
    std::vector<Group> groups_;
};

}  // namespace pliant
