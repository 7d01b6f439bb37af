#include "pliant/linear/block_jacobi.h"

#include <gtest/gtest.h>

#include <limits>

namespace pliant {
namespace {

Vec3 apply(const Mat3& block, const Vec3& r) {
    BlockJacobi preconditioner;
    preconditioner.set_blocks(std::vector<Mat3>{block});
    const std::vector<Vec3> in = {r};
    std::vector<Vec3> out(1);
    preconditioner(in, out);
    return out[0];
}

TEST(BlockJacobi, InvertsEveryBlock) {
    Mat3 block;
    block << 4, 1, 0.5, 1, 3, -0.2, 0.5, -0.2, 2;
    const Vec3 r(1, -2, 3);
    EXPECT_LE((apply(block, r) - block.inverse() * r).norm(), 1e-14);
    EXPECT_LE((apply(1e-9 * block, r) - 1e9 * block.inverse() * r).norm(), 1e-5);
}

TEST(BlockJacobi, ASingularBlockStillGivesADefinitePreconditioner) {
    const Mat3 block = Vec3(4, 0, 2).asDiagonal();
    EXPECT_LE((apply(block, Vec3(4, 0, 2)) - Vec3(1, 0, 1)).norm(), 1e-15);
    EXPECT_GT(apply(block, Vec3(0, 1, 0)).y(), 0);
}

TEST(BlockJacobi, AUselessBlockBecomesTheIdentity) {
    const Vec3 r(1, -2, 3);
    EXPECT_EQ(apply(Mat3::Zero(), r), r);
    EXPECT_EQ(apply(Mat3::Constant(std::numeric_limits<Real>::quiet_NaN()), r), r);
}

}  // namespace
}  // namespace pliant
