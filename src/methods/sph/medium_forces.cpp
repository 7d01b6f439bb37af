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

MediumForces::MediumForces(const Model& model, Real spacing) : model_(model), spacing_(spacing) {}

Real MediumForces::drop_area(const Liquid& liquid, const FieldSettings& medium, Real spacing, Real speed, Real crowd) {
    if (!(speed > 0)) return 0;
    const Real L = std::cbrt(3 / (4 * pi)) * spacing;
    const Real weber = medium.density * square(speed) * L / std::max(liquid.surface_tension, Real(1e-30));
    const Real y = std::min(Real(1), weber * C_F * overshoot(liquid, L) / (C_k * C_b));
    const Real reynolds = 2 * medium.density * speed * L / medium.shear_viscosity();
    const Real C = (1 - crowd) * sphere_drag(reynolds) * (1 + 2.632 * y) + crowd;
    return C * ((1 - crowd) * pi * square(L + C_b * L * y) + crowd * square(spacing));
}

// 1 where nothing stands in the way of the stream, 0 where a neighbour does so fully.
Real MediumForces::shown_share(std::size_t i, const NearRows& rows, const Vec3& stream) const {
    const float* place = rows.place().data();
    Real shield = 0;
    for (std::size_t k = rows.begin(i); k < rows.end(i); ++k) {
        const float *a = place + 4 * i, *b = place + 4 * std::size_t(rows.index()[k]);
        const Vec3 e(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        const Real r = e.norm();
        if (r > 0) shield = std::max(shield, stream.dot(e) / r);
    }
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
                const auto& liquid = model_.bodies[state.body[i]].liquid;
                const Real crowd = liquid ? std::min(Real(1), Real(rows.end(i) - rows.begin(i)) / full_crowd) : 1;
                area *= liquid ? drop_area(*liquid, medium, spacing_, speed, crowd) : square(spacing_);
            }
            state.velocity[i] = velocity_in(medium, state.velocity[i], state.mass[i], state.rest_volume[i], area,
                                            model_.gravity, time, dt);
        });
    }
}

}  // namespace pliant
