// What a medium around does to particles, air or water [[field]]: it lifts them by the weight of what they displace,
// and drags them along.                                                                                     [Gissler17]
// A particle of liquid that flies alone is a drop, which the stream flattens the more the faster it is; one in a crowd
// is a part of a surface; between, the share n* of a full neighbourhood decides. Only what no neighbour shields from
// the stream is dragged, of solids too.
#pragma once

#include <optional>
#include <vector>

#include "pliant/methods/model.h"
#include "pliant/methods/sph/near_rows.h"

namespace pliant {

// A drop that fills a particle's volume.
class Drop {
public:
    Drop(const Liquid& liquid, Real spacing);

    // C A at a speed relative to the medium, in a crowd of a share n* [m^2].
    Real area(const FieldSettings& medium, Real speed, Real crowd) const;

private:
    Real spacing_, radius_, tension_;
    Real overshoot_;  // how far it is flattened when it is flattest, over how far if it did not swing
};

class MediumForces {
public:
    MediumForces(const Model& model, Real spacing);

    // Changes velocities by a step's worth. Rows must be those of the positions now.
    void apply(ParticleState& state, const NearRows& rows, Real time, Real dt) const;

private:
    Real shown_share(std::size_t i, const NearRows& rows, const Vec3& stream) const;

    const Model& model_;
    Real spacing_;
    std::vector<std::optional<Drop>> drops_;  // of bodies that are liquid
};

}  // namespace pliant
