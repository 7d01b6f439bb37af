// A body cut into cells: the part of it that is nearest to each of a few points, measured along the body. Points drift
// to the middle of their cells, which is the middle of a limb or a sheet where it is thin.   [Mueller11] Sec. 6.2
//
// We deviate from the paper there: it takes the surface within a ball around the point, where neighbouring points
// drift into each other; cells keep them apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/methods/oriented/body_samples.h"

namespace pliant {

class BodyCells {
public:
    BodyCells(const BodySamples& samples, Real spacing);

    // Adds points at the samples that are farthest from all, until none is farther than `reach` [m]. The first point
    // of a body is one that `seed` picks.
    void cover(Real reach, std::uint64_t seed = 0);
    void relax(int rounds);                 // each to the middle of its cell
    void merge_closer_than(Real distance);  // of neighbours, to one between them [m]

    const std::vector<Vec3>& points() const { return points_; }
    std::uint32_t owner(std::size_t sample) const { return owner_[sample]; }
    Real distance(std::size_t sample) const { return distance_[sample]; }  // along the body, to its owner [m]

    // Two cells that touch: a < b, and the shortest way between their points along the body [m].
    struct Contact {
        std::uint32_t a, b;
        Real way;
    };
    std::vector<Contact> contacts() const;  // sorted by a, then b

private:
    struct Front {
        Real distance;
        std::uint32_t sample, owner;
    };
    Real weight(std::size_t sample) const;
    std::vector<Front> fronts_at_points() const;
    void assign();
    void grow(std::vector<Front> fronts);
    void move_to_middles();
    void drop_points_without_samples();

    const BodySamples& samples_;
    Real spacing_;
    std::vector<Vec3> points_;
    std::vector<std::uint32_t> owner_;
    std::vector<Real> distance_;
};

}  // namespace pliant
