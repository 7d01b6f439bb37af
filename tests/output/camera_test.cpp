#include "pliant/output/camera.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

// Where a point falls in the picture: -1 to 1 each way, and its depth.
Vec3 projected(const Camera& camera, Real aspect, const Vec3& x) {
    const CameraAxes axes = camera_axes(camera);
    const Vec3 d = x - camera.position;
    const Real depth = d.dot(axes.forward), half = std::tan(camera.field_of_view * pi / 360);
    return {d.dot(axes.right) / (depth * half * aspect), d.dot(axes.up) / (depth * half), depth};
}

TEST(FramingCamera, ShowsTheWholeBoxAndFillsThePicture) {
    const std::array<Box, 4> boxes = {Box(Vec3(0, 0, 0), Vec3(1, 1, 1)), Box(Vec3(-5, 0, -0.1), Vec3(5, 0.2, 0.1)),
                                      Box(Vec3(1e4, 0, 0), Vec3(1e4 + 1e-2, 5, 1e-2)),
                                      Box(Vec3(-1e-5, 0, -1e-5), Vec3(1e-5, 1e-5, 1e-5))};
    for (const Box& box : boxes) {
        for (const Real aspect : {0.5, 1.0, 16.0 / 9}) {
            const Camera camera = framing_camera(box, aspect);
            Real widest = 0;
            for (int corner = 0; corner < 8; ++corner) {
                const Vec3 p = projected(camera, aspect, box.corner(static_cast<Box::CornerType>(corner)));
                EXPECT_GT(p.z(), 0);
                widest = std::max({widest, std::abs(p.x()), std::abs(p.y())});
            }
            EXPECT_LT(widest, 0.85);
            EXPECT_GT(widest, 0.75);
        }
    }
}

TEST(FramingCamera, LooksSlightlyFromAboveWhateverIsUp) {
    const Box box(Vec3::Constant(-1), Vec3::Constant(1));
    for (const Vec3& up : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ()), Vec3(-2 * Vec3::UnitX())}) {
        const Camera camera = framing_camera(box, 1.5, 30, up);
        const Vec3 gaze = (camera.target - camera.position).normalized();
        EXPECT_LT(gaze.dot(up.normalized()), -0.2);
        EXPECT_GT(gaze.dot(up.normalized()), -0.4);
        EXPECT_GT(camera_axes(camera).up.dot(up), 0);
    }
}

TEST(CameraAxes, AreDefinedWhenTheCameraLooksUp) {
    const CameraAxes axes = camera_axes({Vec3::Zero(), Vec3::UnitY(), Vec3::UnitY(), 30});
    EXPECT_NEAR(axes.right.norm(), 1, 1e-12);
    EXPECT_NEAR(axes.right.dot(axes.forward), 0, 1e-12);
    const CameraAxes nowhere = camera_axes({Vec3::Ones(), Vec3::Ones(), Vec3::Zero(), 30});
    EXPECT_NEAR(nowhere.up.norm(), 1, 1e-12);
}

TEST(FramedBox, LeavesOutWhatIsEmptyOrNotFinite) {
    const Real infinity = std::numeric_limits<Real>::infinity();
    const std::array<Box, 3> boxes = {Box(), Box(Vec3::Constant(-infinity), Vec3::Constant(infinity)),
                                      Box(Vec3::Zero(), Vec3::Ones())};
    EXPECT_TRUE(framed_box(boxes).isApprox(boxes[2]));
    EXPECT_TRUE(framed_box(std::span(boxes).first(2)).isApprox(Box(Vec3::Constant(-0.5), Vec3::Constant(0.5))));
    const std::array<Box, 1> point = {Box(Vec3::Ones(), Vec3::Ones())};
    EXPECT_GT(framed_box(point).sizes().minCoeff(), 0);
}

}  // namespace
}  // namespace pliant
