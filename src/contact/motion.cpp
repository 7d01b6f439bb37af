#include "pliant/contact/motion.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Angular velocity of Rz Ry Rx whose angles change at the given rates:  z' ez + Rz (y' ey + Ry x' ex)
Vec3 spin(const Vec3& angles, const Vec3& rates) {
    const Quat about_z(Eigen::AngleAxisd(angles.z(), Vec3::UnitZ()));
    const Quat about_y(Eigen::AngleAxisd(angles.y(), Vec3::UnitY()));
    return rates.z() * Vec3::UnitZ() + about_z * (rates.y() * Vec3::UnitY() + about_y * (rates.x() * Vec3::UnitX()));
}

}  // namespace

const FieldTable& Keyframe::fields() {
    static const FieldTable table = {
        field("time", &Keyframe::time, "s", "when").at_least(0).required(),
        field("position", &Keyframe::position, "m", "offset from its own place"),
        field("rotation", &Keyframe::rotation, "degree", "turn about x, then y, then z, about its own position"),
    };
    return table;
}

const FieldTable& MotionSettings::fields() {
    static const FieldTable table = {
        field("interpolation", &MotionSettings::interpolation, "",
              "between keys: smooth starts and stops gently at each key, linear moves at an even speed")
            .one_of({"smooth", "linear"}),
        field("repeat", &MotionSettings::repeat, "", "begin again after the last key"),
    };
    return table;
}

std::vector<std::string> MotionSettings::problems() const {
    if (keys.empty()) return {"has no keys: add keys = [ { time = 0, position = [0, 0, 0] }, ... ]"};
    for (std::size_t i = 1; i < keys.size(); ++i) {
        if (!(keys[i].time > keys[i - 1].time)) {
            return {fmt::format("key {} is at {:g} s, which is not after key {} at {:g} s: sort the keys by time",
                                i + 1, keys[i].time, i, keys[i - 1].time)};
        }
    }
    if (!repeat) return {};
    if (keys.size() < 2) return {"repeats, but has one key only: add a second one"};
    const Keyframe &first = keys.front(), &last = keys.back();
    const Real turn = rotation_from_degrees(first.rotation).angularDistance(rotation_from_degrees(last.rotation));
    if ((first.position - last.position).norm() > 1e-9 || turn > 1e-6) {
        return {
            "repeats, but ends elsewhere than it began and would jump back: end with the position of the first key, "
            "and with its rotation but for whole turns"};
    }
    return {};
}

Quat rotation_from_degrees(const Vec3& degrees) {
    const Vec3 a = degrees * (pi / 180);
    return Quat(Eigen::AngleAxisd(a.z(), Vec3::UnitZ()) * Eigen::AngleAxisd(a.y(), Vec3::UnitY()) *
                Eigen::AngleAxisd(a.x(), Vec3::UnitX()));
}

Real Motion::largest_speed(Real reach) const {
    const Real steepest = settings_.interpolation == "smooth" ? 1.5 : 1.0;  // of 3u^2 - 2u^3, and of u
    Real result = 0;
    for (std::size_t i = 1; i < settings_.keys.size(); ++i) {
        const Keyframe &a = settings_.keys[i - 1], &b = settings_.keys[i];
        const Real turn = (b.rotation - a.rotation).lpNorm<1>() * pi / 180;
        result = std::max(result, steepest * ((b.position - a.position).norm() + turn * reach) / (b.time - a.time));
    }
    return result;
}

MovingPose Motion::at(Real time, const Placement& place) const {
    const auto& keys = settings_.keys;
    MovingPose pose{place};
    if (keys.empty()) return pose;
    if (settings_.repeat && time > keys.front().time) {
        const Real period = keys.back().time - keys.front().time;
        time = keys.front().time + std::fmod(time - keys.front().time, period);
    }
    const auto put = [&](const Vec3& offset, const Quat& turn) {
        pose.placement.position = place.position + offset;
        pose.placement.rotation = turn * place.rotation;
    };
    const auto next =
        std::upper_bound(keys.begin(), keys.end(), time, [](Real t, const Keyframe& k) { return t < k.time; });
    if (next == keys.begin() || next == keys.end()) {
        const Keyframe& key = next == keys.begin() ? keys.front() : keys.back();
        put(key.position, rotation_from_degrees(key.rotation));
        return pose;
    }
    const Keyframe &a = *(next - 1), &b = *next;
    const Real span = b.time - a.time, u = (time - a.time) / span;
    const bool smooth = settings_.interpolation == "smooth";
    const Real s = smooth ? u * u * (3 - 2 * u) : u;
    const Real ds_dt = (smooth ? 6 * u * (1 - u) : 1.0) / span;
    // Angles are interpolated, not orientations, so that a turn by 720 degrees is two turns.
    const Vec3 step = b.rotation - a.rotation;
    const Vec3 angles = a.rotation + s * step;
    put(a.position + s * (b.position - a.position), rotation_from_degrees(angles));
    pose.linear_velocity = ds_dt * (b.position - a.position);
    pose.angular_velocity = spin(angles * (pi / 180), ds_dt * step * (pi / 180));
    return pose;
}

}  // namespace pliant
