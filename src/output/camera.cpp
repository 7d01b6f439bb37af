#include "pliant/output/camera.h"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

constexpr Real azimuth = 32 * pi / 180;    // of the three-quarter view, to the right of the front
constexpr Real elevation = 16 * pi / 180;  // above the horizon
constexpr Real filled = 0.8;               // of the picture's width or height, by the box

}  // namespace

CameraAxes camera_axes(const Camera& camera) {
    const Vec3 gaze = camera.target - camera.position;
    const Vec3 forward = gaze.norm() > 0 ? Vec3(gaze.normalized()) : Vec3(-Vec3::UnitZ());
    Vec3 right = forward.cross(camera.up);
    if (right.norm() < 1e-6 * camera.up.norm() || !(right.norm() > 0)) right = forward.unitOrthogonal();
    right.normalize();
    return {right, right.cross(forward), forward};
}

Box framed_box(std::span<const Box> boxes) {
    Box all;
    for (const Box& box : boxes) {
        if (!box.isEmpty() && box.min().allFinite() && box.max().allFinite()) all.extend(box);
    }
    if (all.isEmpty()) return Box(Vec3::Constant(-0.5), Vec3::Constant(0.5));
    const Real thinnest = std::max({1e-9, 1e-3 * all.diagonal().norm(), 1e-6 * all.center().norm()});
    const Vec3 growth = (Vec3::Constant(thinnest) - all.sizes()).cwiseMax(0) / 2;
    return Box(all.min() - growth, all.max() + growth);
}

Camera framing_camera(const Box& box, Real aspect, Real field_of_view, const Vec3& up) {
    const Vec3 vertical = up.norm() > 0 ? Vec3(up.normalized()) : Vec3(Vec3::UnitY());
    // The front looks along -z, or along -y in a scene whose up is z.
    const Vec3 front_axis = std::abs(vertical.z()) > 0.9 ? Vec3(-Vec3::UnitY()) : Vec3(Vec3::UnitZ());
    const Vec3 side = vertical.cross(front_axis).normalized();
    const Vec3 front = side.cross(vertical);
    const Vec3 towards_camera =
        std::cos(elevation) * (std::cos(azimuth) * front + std::sin(azimuth) * side) + std::sin(elevation) * vertical;
    Camera camera{box.center() + towards_camera, box.center(), vertical, field_of_view};
    const CameraAxes axes = camera_axes(camera);

    // For a slope t of the picture's edge, corner (x, z) is inside when |x - cx| <= t (z - cz). The tightest camera has
    //     cx - t cz = A = max(x - t z),   -cx - t cz = B = max(-x - t z).
    const Real slope_up = filled * std::tan(field_of_view * pi / 360), slope_right = slope_up * aspect;
    Real a[2] = {-1e300, -1e300}, b[2] = {-1e300, -1e300};
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p = box.corner(static_cast<Box::CornerType>(corner)) - box.center();
        const Real z = p.dot(axes.forward);
        const Real x[2] = {p.dot(axes.right), p.dot(axes.up)}, slope[2] = {slope_right, slope_up};
        for (int k = 0; k < 2; ++k) {
            a[k] = std::max(a[k], x[k] - slope[k] * z);
            b[k] = std::max(b[k], -x[k] - slope[k] * z);
        }
    }
    const Real back = std::max((a[0] + b[0]) / (2 * slope_right), (a[1] + b[1]) / (2 * slope_up));
    camera.target = box.center() + (a[0] - b[0]) / 2 * axes.right + (a[1] - b[1]) / 2 * axes.up;
    camera.position = camera.target - back * axes.forward;
    return camera;
}

}  // namespace pliant
