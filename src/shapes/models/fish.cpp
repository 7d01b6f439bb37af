// A lionfish: a deep, flat body, spines that stand free on its back, and pectoral fins spread like fans of fingers.
#include <array>
#include <utility>

#include "pliant/geometry/implicit.h"
#include "pliant/shapes/models/membrane.h"
#include "pliant/shapes/models/recipes.h"

namespace pliant::recipes {

using namespace implicit;

namespace {

constexpr Real degree = pi / 180;
constexpr Real root_radius = 0.032, tip_radius = 0.026, web_radius = 0.024;  // of fins: thin beside a length of 1.7

// A ray of a fin: leaves its root along `direction` and turns towards `towards`.
BentCone make_ray(const Vec3& root, const Vec3& direction, const Vec3& towards, Real length, Real turn) {
    const Vec3 d = direction.normalized(), side = (towards - towards.dot(d) * d).normalized();
    return {root, d, side, length / turn, turn, root_radius, tip_radius};
}

// A fin is rays with a web between neighbours that reaches out to a share of their length.
struct Fin {
    std::vector<BentCone> rays;
    Membrane web{web_radius};
    Vec3 centre;
    Real radius;  // of a ball around it

    Fin(std::vector<BentCone> rays_in_order, Real webbed) : rays(std::move(rays_in_order)) {
        Box box;
        std::vector<Vec3> last;
        for (const BentCone& ray : rays) {
            std::vector<Vec3> line;
            for (int i = 0; i <= 4; ++i) {
                line.push_back(ray.point_at(webbed * ray.angle() * i / 4));
                box.extend(ray.point_at(ray.angle() * i / 4));
            }
            if (!last.empty()) web.add_strip(last, line);
            last = line;
        }
        centre = box.center();
        radius = box.diagonal().norm() / 2 + root_radius;
    }

    Real distance(const Vec3& x) const {
        Real fin = web.distance(x);
        for (const BentCone& ray : rays) {
            const Vec3 middle = ray.point_at(ray.angle() / 2);
            const Real reach = (middle - ray.point_at(0)).norm() + root_radius;
            fin = blend_near(fin, 0.012, x, middle, reach, [&] { return ray.distance(x); });
        }
        return fin;
    }
};

// The spines of the back, the longest in the middle, combed back; only their feet are webbed.
Fin make_spines() {
    constexpr int count = 6;
    std::vector<BentCone> rays;
    for (int i = 0; i < count; ++i) {
        const Real t = i / Real(count - 1);
        const Vec3 root(0, 0.2 - 0.14 * square(t - 0.3), 0.37 - 0.48 * t);
        const Real lean = (4 + 32 * t) * degree, length = 0.17 + 0.27 * std::sin(pi * (0.2 + 0.72 * t));
        rays.push_back(make_ray(root, {0, std::cos(lean), -std::sin(lean)}, -Vec3::UnitZ(), length, 22 * degree));
    }
    return {rays, 0.3};
}

// A soft fin in the middle plane: rays in a fan from `from` to `to` degrees, 0 pointing back and 90 up.
Fin make_lobe(const Vec3& front, const Vec3& back, Real from, Real to, Real length, Real notch, Real webbed) {
    constexpr int count = 5;
    std::vector<BentCone> rays;
    for (int i = 0; i < count; ++i) {
        const Real t = i / Real(count - 1), angle = (from + t * (to - from)) * degree;
        const Real reach = length * (1 + notch * (square(2 * t - 1) - 1));
        rays.push_back(make_ray(front + t * (back - front), {0, std::sin(angle), -std::cos(angle)}, -Vec3::UnitZ(),
                                reach, 12 * degree));
    }
    return {rays, webbed};
}

// Fingers from behind the gills, spread from upwards to downwards, out to the side and bent back.
Fin make_pectoral() {
    constexpr int count = 6;
    std::vector<BentCone> rays;
    for (int i = 0; i < count; ++i) {
        const Real t = i / Real(count - 1), angle = (64 - 106 * t) * degree;
        const Vec3 root(0.12, 0.02 - 0.15 * t, 0.24 - 0.05 * t);
        const Vec3 direction = std::cos(angle) * Vec3(0.9, 0, -0.3) + std::sin(angle) * Vec3(0.35, 0.9, -0.25);
        rays.push_back(make_ray(root, direction, -Vec3::UnitZ(), 0.44 + 0.16 * std::sin(pi * t), 42 * degree));
    }
    return {rays, 0.42};
}

// One of the pair under the belly.
Fin make_pelvic() {
    std::vector<BentCone> rays;
    for (int i = 0; i < 4; ++i) {
        const Real lean = (25 + 14 * i) * degree;
        rays.push_back(make_ray({0.06, -0.19, 0.22 - 0.03 * i}, {0.4, -std::cos(lean), -std::sin(lean)}, -Vec3::UnitZ(),
                                0.25 - 0.02 * i, 20 * degree));
    }
    return {rays, 0.85};
}

Real head(const Vec3& x, const Vec3& m) {
    Real head = ellipsoid(x, {0, -0.015, 0.4}, {0.15, 0.2, 0.25});
    head = blend(head, round_cone(x, {0, 0.0, 0.5}, 0.12, {0, -0.015, 0.7}, 0.065), 0.08);          // snout
    head = blend(head, round_cone(x, {0, -0.1, 0.45}, 0.09, {0, -0.1, 0.68}, 0.045), 0.03);         // jaw
    head = cut_ellipsoid(head, x, {0, -0.068, 0.74}, {0.14, 0.02, 0.12}, 0.02);                     // mouth
    head = blend(head, sphere(m, {0.105, 0.075, 0.5}, 0.055), 0.012);                               // eyes
    head = cut_ellipsoid(head, m, {0.165, 0.078, 0.512}, {0.02, 0.026, 0.026}, 0.01);               // pupils
    return blend(head, round_cone(m, {0.07, 0.13, 0.5}, 0.03, {0.1, 0.225, 0.515}, 0.024), 0.015);  // brows
}

// A groove behind the gill cover.
Real gill(const Vec3& m) {
    return smooth_overlap(torus(m, {0.15, -0.03, 0.43}, Vec3::UnitX(), 0.15, 0.022),
                          half_space(m, {0, 0, 0.38}, Vec3::UnitZ()), 0.02);
}

}  // namespace

Real fish(const Vec3& x) {
    static const std::array<Fin, 4> middle_fins = {
        make_spines(), make_lobe({0, 0.12, -0.25}, {0, 0.06, -0.48}, 62, 22, 0.25, 0.1, 0.9),  // soft fin of the back
        make_lobe({0, -0.14, -0.12}, {0, -0.07, -0.45}, -75, -25, 0.26, 0.1, 0.9),             // anal fin
        make_lobe({0, 0.05, -0.6}, {0, -0.05, -0.6}, 42, -42, 0.4, 0.18, 0.94)};               // tail
    static const std::array<Fin, 2> side_fins = {make_pectoral(), make_pelvic()};
    const Vec3 m = mirrored(x);

    Real fish = ellipsoid(x, {0, 0, 0.14}, {0.18, 0.275, 0.44});                  // body
    fish = blend_ellipsoid(fish, x, {0, 0.005, -0.24}, {0.09, 0.15, 0.4}, 0.12);  // towards the tail
    fish = blend_near(fish, 0.04, m, {0.05, 0, 0.45}, 0.4, [&] { return head(x, m); });
    fish = smooth_cut(fish, gill(m), 0.015);
    for (const Fin& fin : middle_fins) {
        fish = blend_near(fish, 0.03, x, fin.centre, fin.radius, [&] { return fin.distance(x); });
    }
    for (const Fin& fin : side_fins) {
        fish = blend_near(fish, 0.03, m, fin.centre, fin.radius, [&] { return fin.distance(m); });
    }
    return fish;
}

}  // namespace pliant::recipes
