#include "pliant/shapes/models/recipe_shape.h"

#include <gtest/gtest.h>

#include "pliant/geometry/implicit.h"

namespace pliant {
namespace {

Real ball(const Vec3& x) {
    return implicit::sphere(x, {0.3, -0.5, 0.1}, 0.4);
}
Real plate(const Vec3& x) {
    return implicit::rounded_box(x, {0.1, 0.2, 0}, {0.7, 0.01, 0.4}, 0.005);
}
Real two_horns(const Vec3& x) {
    const Vec3 m = implicit::mirrored(x);
    return implicit::blend(implicit::sphere(x, Vec3::Zero(), 0.3),
                           implicit::round_cone(m, {0.1, 0.2, 0}, 0.05, {0.4, 0.8, -0.1}, 0.02), 0.02);
}

void expect_box(const Box& box, const Vec3& low, const Vec3& high) {
    EXPECT_LT((box.min() - low).cwiseAbs().maxCoeff(), 2e-5) << box.min().transpose();
    EXPECT_LT((box.max() - high).cwiseAbs().maxCoeff(), 2e-5) << box.max().transpose();
}

TEST(RecipeShape, MeasuresTheBoxOfASolid) {
    expect_box(measure(ball, 2), {-0.1, -0.9, -0.3}, {0.7, -0.1, 0.5});
    expect_box(measure(plate, 2), {-0.6, 0.19, -0.4}, {0.8, 0.21, 0.4});
    expect_box(measure(two_horns, 2), {-0.42, -0.3, -0.3}, {0.42, 0.82, 0.3});
}

TEST(RecipeShape, BringsHeightOrLargestExtentToOne) {
    const RecipeShape high(plate, RecipeShape::Size::height), wide(plate, RecipeShape::Size::largest);
    EXPECT_NEAR(high.bounds().sizes().y(), 1, 1e-12);
    EXPECT_NEAR(wide.bounds().sizes().x(), 1, 1e-12);
    EXPECT_NEAR(wide.bounds().sizes().y(), 0.02 / 1.4, 5e-5);
    // (0, 0.1, 0) hovers over the middle of the plate, whose upper side is at 0.01 / 1.4.
    EXPECT_NEAR(wide.distance({0, 0.1, 0}), 0.1 - 0.01 / 1.4, 5e-5);
}

}  // namespace
}  // namespace pliant
