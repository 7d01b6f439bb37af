// The skins of bodies with a rig, at the poses of a written frame.
#pragma once

#include <optional>
#include <vector>

#include "pliant/geometry/skin.h"
#include "pliant/methods/model.h"
#include "pliant/output/particle_frame.h"

namespace pliant {

struct BodySkin {
    std::size_t body;
    TriangleMesh mesh;
};

enum class Blending { linear, dual_quaternion };

class BodySkins {
public:
    explicit BodySkins(const Model& model);

    bool empty() const { return skins_.empty(); }
    std::size_t vertex_count() const;

    // Empty if the frame does not tell how particles are turned. Frames are in the order of ids, bodies one after the
    // other.
    std::vector<BodySkin> at(const ParticleFrame& frame);

    // The same in two parts, for those who time it: takes poses from a frame, then carries all vertices and normals
    // there, into memory that is kept.
    void take_poses(const ParticleFrame& frame);
    void carry(Blending blending);

private:
    struct Bound {
        std::size_t body, first;  // particle
        std::shared_ptr<const Rig> rig;
        Skin skin;
        std::vector<SkinFrame> pose;  // empty if the last frame did not tell
        std::vector<Eigen::Vector3f> positions, normals;
    };
    std::vector<Bound> skins_;
};

}  // namespace pliant
