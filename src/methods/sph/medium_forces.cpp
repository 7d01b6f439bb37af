#include "pliant/methods/sph/medium_forces.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real full_crowd = 38 * 2.0 / 3;                   // neighbours, from which on a particle is of a surface
constexpr Real C_F = 1.0 / 3, C_k = 8, C_d = 5, C_b = 0.5;  // of the equation of motion of a drop's rim
constexpr Real largest_sphere_number = 1000;                // of Reynolds, for the first formula of a sphere's drag

// How far a drop is flattened when it is flattest, over how far the stream would press it if it did not swing.
Real overshoot(const Liquid& liquid, Real radius) {
    const Real damping = C_d * liquid.viscosity / (2 * liquid.density * square(radius));  // 1/t_d
    const Real swing = C_k * liquid.surface_tension / (liquid.density * cube(radius)) - square(damping);
    if (!(swing > 0)) return 1;  // creeps there
    const Real omega = std::sqrt(swing);
    if (!(damping > 0)) return 2;
    const Real turns = omega / damping;
    const Real t = -2 * (std::atan(std::sqrt(square(turns) + 1) + turns) - pi) / omega;
    return 1 - std::exp(-t * damping) * (std::cos(omega * t) + std::sin(omega * t) / turns);
}

Real sphere_drag(Real reynolds) {
    if (reynolds > largest_sphere_number) return 0.424;
    return 24 / std::max(reynolds, Real(1e-6)) * (1 + std::cbrt(square(reynolds)) / 6);
}

}  // namespace

Drop::Drop(const Liquid& liquid, Real spacing)
    : spacing_(spacing),
      radius_(std::cbrt(3 / (4 * pi)) * spacing),
      tension_(liquid.surface_tension),
      overshoot_(overshoot(liquid, radius_)) {}

Real Drop::area(const FieldSettings& medium, Real speed, Real crowd) const {
    if (!(speed > 0)) return 0;
    const Real weber = medium.density * square(speed) * radius_ / std::max(tension_, Real(1e-30));
    const Real y = std::min(Real(1), weber * C_F * overshoot_ / (C_k * C_b));
    const Real reynolds = 2 * medium.density * speed * radius_ / medium.shear_viscosity();
    const Real C = (1 - crowd) * sphere_drag(reynolds) * (1 + 2.632 * y) + crowd;
    return C * ((1 - crowd) * pi * square(radius_ + C_b * radius_ * y) + crowd * square(spacing_));
}

MediumForces::MediumForces(const Model& model, Real spacing) : model_(model), spacing_(spacing) {
    for (const BodyModel& body : model.bodies) {
        drops_.push_back(body.liquid ? std::optional(Drop(*body.liquid, spacing)) : std::nullopt);
    }
}

// 1 where nothing stands in the way of the stream, 0 where a neighbour does so fully.
Real MediumForces::shown_share(std::size_t i, const NearRows& rows, const Vec3& stream) const {
    const float* place = rows.place().data();
    Real shield = 0;
    rows.each(i, [&](std::size_t j, float) {
        const float *a = place + 4 * i, *b = place + 4 * j;
        const Vec3 e(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        const Real r = e.norm();
        if (r > 0) shield = std::max(shield, stream.dot(e) / r);
    });
    return std::max(Real(0), 1 - shield);
}

void MediumForces::apply(ParticleState& state, const NearRows& rows, Real time, Real dt) const {
    for (const FieldSettings& medium : model_.fields) {
        const Vec3 flow = medium.flow(time);
        parallel_for(state.size(), [&](std::size_t i) {
            if (state.pin[i] != no_pin || !medium.holds(state.position[i])) return;
            const Vec3 u = flow - state.velocity[i];
            const Real speed = u.norm();
            Real area = 0;
            if (speed > 0 && medium.drag > 0 && medium.density > 0) area = shown_share(i, rows, u / speed);
            if (area > 0) {
                const auto& drop = drops_[state.body[i]];
                const Real crowd = std::min(Real(1), Real(rows.count(i)) / full_crowd);
                area *= drop ? drop->area(medium, speed, crowd) : square(spacing_);
            }
            state.velocity[i] = velocity_in(medium, state.velocity[i], state.mass[i], state.rest_volume[i], area,
                                            model_.gravity, time, dt);
        });
    }
}

}  // namespace pliant
