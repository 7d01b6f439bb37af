#include "pliant/output/floor_pattern.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {

namespace {

constexpr float line_width = 0.012f;  // of a square

// How much of [x - blur/2, x + blur/2] lies in lines around the whole numbers.
float line_cover(float x, float blur) {
    const float width = std::max(blur, 1e-6f);
    const float distance = std::abs(x - std::round(x));
    const float low = std::max(distance - width / 2, -line_width / 2),
                high = std::min(distance + width / 2, line_width / 2);
    const float share = std::max(0.0f, high - low) / width;
    return blur > 0.5f ? line_width : share;
}

float smooth(float low, float high, float x) {
    const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

}  // namespace

Real FloorPattern::square_size(Real scale) {
    const Real wanted = 0.45 / scale;
    const Real power = std::pow(10.0, std::floor(std::log10(wanted)));
    const Real digit = wanted / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

FloorPattern::FloorPattern(const RenderPlane& plane, const Vec3& centre, Real scale) {
    const Vec3 n = plane.normal.normalized();
    normal_ = n.cast<float>();
    offset_ = float(scale * (plane.offset / plane.normal.norm() - n.dot(centre)));
    // Lines run along the axes of the world, as far as the plane allows.
    const Vec3 axis = std::abs(n.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
    const Vec3 across = (axis - n.dot(axis) * n).normalized(), along = n.cross(across);
    const Real squares = 1 / (square_size(scale) * scale);
    across_ = (squares * across).cast<float>();
    along_ = (squares * along).cast<float>();
    const auto fraction = [](Real x) { return float(x - std::floor(x)); };
    across_offset_ = fraction(squares * scale * across.dot(centre));
    along_offset_ = fraction(squares * scale * along.dot(centre));
}

float FloorPattern::distance(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction) const {
    const float height = normal_.dot(origin) - offset_, speed = normal_.dot(direction);
    if (height < -1e-5f || speed > -1e-6f) return std::numeric_limits<float>::infinity();
    return std::max(0.0f, -height / speed);
}

Colour FloorPattern::colour(const Eigen::Vector3f& point, float blur) const {
    static const Colour ground = from_srgb(0xE9E4DE), line = from_srgb(0xB4B4BE), square = from_srgb(0xE2DED9);
    const float x = across_.dot(point) + across_offset_, y = along_.dot(point) + along_offset_;
    const float width = blur * across_.norm();
    const bool is_odd = (int(std::floor(x)) + int(std::floor(y))) % 2 != 0;
    const float checker = is_odd ? 1 - smooth(0.3f, 1.0f, width) : 0.0f;
    const float cover = std::min(1.0f, line_cover(x, width) + line_cover(y, width));
    const Colour plain = ground + 0.5f * std::min(1.0f, smooth(0.3f, 1.0f, width) + 2 * checker) * (square - ground);
    return plain + cover * (line - plain);
}

}  // namespace pliant
