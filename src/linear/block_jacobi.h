// Block-Jacobi preconditioner: the inverse of every 3x3 block on the diagonal of A.
#pragma once

#include <span>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

class BlockJacobi {
public:
    // Inverts the blocks, each symmetric positive definite as the diagonal of an SPD matrix is. Of a block that is
    // singular only the part that can be inverted is; one with nothing to invert, or not finite, becomes the identity.
    void set_blocks(std::span<const Mat3> diagonal);

    // z = D^-1 r
    void operator()(std::span<const Vec3> r, std::span<Vec3> z) const;

private:
    std::vector<Mat3> inverse_;
};

}  // namespace pliant
