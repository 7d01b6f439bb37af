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

class BodySkins {
public:
    explicit BodySkins(const Model& model);

    bool empty() const { return skins_.empty(); }

    // Empty if the frame does not tell how particles are turned. Frames are in the order of ids, bodies one after the
    // other.
    std::vector<BodySkin> at(const ParticleFrame& frame);

private:
    struct Bound {
        std::size_t body, first;  // particle
        std::shared_ptr<const Rig> rig;
        Skin skin;
    };
    std::vector<Bound> skins_;
};

}  // namespace pliant
