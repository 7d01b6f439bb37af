// Particles on a cubic or a body-centred cubic lattice that is centred on a shape's bounding box, so that a symmetric
// shape gets symmetric particles.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pliant/geometry/shape.h"

namespace pliant {

// Sites at first + step (i, j, k). Of a body-centred lattice only those exist whose three indices, counted from the
// middle site, are all even or all odd; its step is half the edge of the cubic cell that holds two of them.
struct Lattice {
    Vec3 first = Vec3::Zero();
    Real step = 1;
    std::array<std::int64_t, 3> count = {0, 0, 0};
    bool is_body_centred = false;

    Vec3 site(const std::array<std::int64_t, 3>& index) const {
        return first + step * Vec3(Real(index[0]), Real(index[1]), Real(index[2]));
    }
};

// The sites within `bounds` that are at least `depth` from its sides. A site stands for spacing^3 in both lattices.
Lattice cubic_lattice(const Box& bounds, Real spacing, Real depth);
Lattice body_centred_lattice(const Box& bounds, Real spacing, Real depth);

// The sites at least `depth` below the surface of the shape.
std::vector<Vec3> lattice_sites(const Shape& shape, const Lattice& lattice, Real depth);
std::size_t count_lattice_sites(const Shape& shape, const Lattice& lattice, Real depth);

}  // namespace pliant
