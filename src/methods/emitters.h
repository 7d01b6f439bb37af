// Which particles the scene's emitters add, and when: layers of a square lattice, a spacing apart, that leave the
// opening one after the other. A layer's time is known exactly, so that layers neither overlap nor gape, whatever the
// steps are. Particles may be shaken about their sites, so that heaps of sand do not show the lattice.
#pragma once

#include <cstdint>
#include <vector>

#include "pliant/methods/model.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

class Emitters {
public:
    Emitters() = default;  // none
    explicit Emitters(const Model& model);

    bool empty() const { return outlets_.empty(); }

    // Appends to the state what passes an opening within [time, time + dt): to be called at the beginning of each step,
    // with steps that follow each other. A layer begins as far behind the opening as it needs to pass it at its time,
    // and has the speed of the flow. The number of new particles, which are the last of the state.
    std::size_t emit(ParticleState& state, Real time, Real dt);

    // How many particles will have been added by then, from the start.
    std::size_t count_until(Real time) const;

    void save(Snapshot& snapshot) const;     // "emitters.*"
    void restore(const Snapshot& snapshot);  // InputError if it holds another number of emitters

private:
    struct Outlet {
        std::uint32_t body;
        Real spacing, mass, speed, start, end;
        Real shaken;              // how far from its site a particle may be along each axis [m]
        Vec3 along;               // the way the liquid goes, of unit length
        std::vector<Vec3> sites;  // of a layer in the opening, in the world

        Real time_of(std::uint64_t layer) const { return start + Real(layer) * (spacing / speed); }
    };

    std::vector<Outlet> outlets_;
    std::vector<std::uint64_t> next_;  // layer of each outlet
};

}  // namespace pliant
