#include "pliant/methods/sph/body_friction.h"

#include <algorithm>

#include "pliant/base/parallel.h"

namespace pliant {

void BodyFriction::apply(ParticleState& state, const NearRows& rows, const PressureSolver& pressure, std::size_t solids,
                         Real friction, Real dt) {
    pushed_.resize(solids);
    total_.resize(solids);
    change_.resize(solids);
    const auto place = [&](std::size_t i) {
        const float* x = &rows.place()[4 * i];
        return Vec3(x[0], x[1], x[2]);
    };
    // touch(j, J_ij) for all pairs with other bodies
    const auto each_touching = [&](std::size_t i, auto&& touch) {
        rows.each(i, [&](std::size_t j, float slope) {
            if (j >= solids || state.body[j] == state.body[i]) return;
            const Real strength = Real(pressure.strength(i, rows)) + Real(pressure.strength(j, rows));
            if (strength > 0)
                touch(j, Vec3(-dt * state.rest_volume[i] * strength * Real(slope) * (place(i) - place(j))));
        });
    };
    parallel_for(solids, [&](std::size_t i) {
        pushed_[i] = Vec3::Zero();
        total_[i] = 0;
        each_touching(i, [&](std::size_t, const Vec3& J) {
            pushed_[i] += J;
            total_[i] += J.norm();
        });
    });
    const auto inverse_mass = [&](std::size_t i) { return state.pin[i] == no_pin ? 1 / state.mass[i] : Real(0); };
    parallel_for(solids, [&](std::size_t i) {
        change_[i] = Vec3::Zero();
        each_touching(i, [&](std::size_t j, const Vec3& J) {
            const Vec3 across = pushed_[i] - pushed_[j];
            const Real strength = across.norm(), inverse = inverse_mass(i) + inverse_mass(j);
            if (!(strength > 0) || !(inverse > 0)) return;
            const Vec3 n = across / strength, relative = state.velocity[i] - state.velocity[j];
            const Vec3 slip = relative - relative.dot(n) * n;
            const Real speed = slip.norm(), normal = std::max(Real(0), J.dot(n));
            if (!(speed > 0)) return;
            const Real share = normal / std::max(total_[i], total_[j]);
            const Real impulse = std::min(friction * normal, share * speed / inverse);
            change_[i] -= inverse_mass(i) * impulse / speed * slip;
        });
    });
    parallel_for(solids, [&](std::size_t i) { state.velocity[i] += change_[i]; });
}

}  // namespace pliant
