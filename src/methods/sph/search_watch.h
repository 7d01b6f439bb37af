// How long the pairs that a search found serve. Points were searched with a margin beyond the radius; a pair that was
// not found comes within the radius only by motions that differ by more than that margin. Motions are compared where
// points were near each other, so that what moves together, or bends slowly, is not searched anew:
//     points lie in cells as wide as radius + margin + reach
//     within a cell and between adjacent ones, motions differ by at most the margin
//     between all others, which were that width apart, by at most margin + reach
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

class SearchWatch {
public:
    // The points were searched where they are, within radius + margin [m].
    void begin(std::span<const Vec3> points, Real radius, Real margin, Real reach);
    void end() { cell_.clear(); }

    // Now the points are there, those of `first` before those of `second`. `others`: how what was not among the points,
    // being farther from all of them than radius + margin + reach, has moved since.
    bool serves(std::span<const Vec3> first, std::span<const Vec3> second, const Box& others);

    std::size_t bytes() const;

private:
    struct Cell {
        std::uint32_t first, last;               // of order_
        std::array<std::uint32_t, 13> adjacent;  // half of them, the others list this one; no_cell
    };
    void sort_points(std::span<const Vec3> points, Real width);
    bool is_bearable(const Cell& cell) const;

    Real margin_ = 0, reach_ = 0;
    Vec3 middle_ = Vec3::Zero();
    std::vector<Eigen::Vector3f> start_;  // where the points were, from the middle
    std::vector<std::uint32_t> order_;    // points, cell by cell
    std::vector<Cell> cell_;
    std::vector<Box> moved_;  // of each cell: least and largest motion
};

}  // namespace pliant
