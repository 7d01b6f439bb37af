// Weights that make all rows of the problem of a step alike in size [Ruiz01], in place of the particles' own alone:
// nodes that little mass reaches and particles that touch few nodes are then no worse conditioned than others. The
// system, with node velocities u, deformations F, multipliers z and A = W dt D F,
//     | M   0   A^T |
//     | 0   H   -W  |          is scaled by diagonal matrices from both sides until each of its rows has length 1,
//     | A   -W   0  |
// and the scale of a row of multipliers is a factor on that constraint's weight.     [Fang19] Sec. 5.3
#pragma once

#include <span>
#include <vector>

#include "pliant/geometry/raw_vector.h"
#include "pliant/methods/mpm/sparse_grid.h"

namespace pliant {

class Equilibration {
public:
    // A constraint between four particles' deformations in one part and the grid.
    struct Constraint {
        Double4 coupling[3];  // (4 dt / h^2)^2 W^2 |F^T e_a|^2, so that A_pi^2 = sum_a coupling_a (w_i d_ia)^2
        Double4 stiffness;    // H [J]
        Double4 weight;       // W^2 [J], 0 where there is nobody
    };

    // One for each part of each pack of four places, to be filled before find().
    std::span<Constraint> constraints(const SparseGrid& grid, int parts);

    // Factors on W^2, of mean 1 with W^2 as weights, in the order of the constraints.
    std::span<const Double4> find(const SparseGrid& grid, std::span<const Real> mass);

    std::size_t bytes() const;

private:
    void scale_once(const SparseGrid& grid, std::span<const Real> mass);

    int parts_ = 1;
    RawVector<Constraint> constraints_;
    RawVector<Double4> of_constraint_, of_deformation_;  // scales; in the end the factors
    std::vector<Vec3> of_node_, sum_;                    // squares of scales, in the first component
};

}  // namespace pliant
