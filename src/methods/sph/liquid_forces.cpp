#include "pliant/methods/sph/liquid_forces.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/methods/sph/quads.h"

namespace pliant {
namespace {

constexpr Real thick = 0.05;      // mu dt / (rho h^2): beyond, explicit steps would overshoot
constexpr Real tolerance = 1e-3;  // of the implicit solve, over its start
constexpr int most_iterations = 200;
constexpr int steps_of_integral = 200;

// C of [Akinci13], without its factor: attracts beyond half the support and repels below.
Real cohesion(Real r, Real H) {
    if (!(r < H)) return 0;
    const Real shape = cube(H - r) * cube(r), factor = 32 / (pi * std::pow(H, 9));
    return factor * (2 * r > H ? shape : 2 * shape - std::pow(H, 6) / 64);
}

// Energy of two particles a distance apart, were k m_i m_j = 1.
Real cohesion_energy(Real r, Real H) {
    Real sum = 0;
    const Real step = (H - r) / steps_of_integral;
    for (int k = 0; k < steps_of_integral; ++k) sum += step * cohesion(r + (k + 0.5) * step, H);
    return -sum;
}

// Half of what it takes to cleave a lattice, over the area.
Real lattice_tension(Real h, Real H) {
    Real sum = 0;
    const int reach = static_cast<int>(std::ceil(H / h));
    for (int x = -reach; x <= reach; ++x) {
        for (int y = -reach; y <= reach; ++y) {
            for (int z = 1; z <= reach; ++z) {
                const Real r = h * std::sqrt(Real(x * x + y * y + z * z));
                if (r < H) sum -= z * cohesion_energy(r, H);
            }
        }
    }
    return sum / (2 * square(h));
}

}  // namespace

LiquidForces::LiquidForces(const Model& model, Real spacing, Real support, RawVector<float>& motion)
    : spacing_(spacing), support_(support), quads_(motion) {
    const Real unit = lattice_tension(spacing, support);
    for (const BodyModel& body : model.bodies) {
        const Real mu = body.liquid ? body.liquid->viscosity : 0;
        viscosity_.push_back(static_cast<float>(mu));
        largest_viscosity_ = std::max(largest_viscosity_, mu);
        if (body.liquid) largest_diffusivity_ = std::max(largest_diffusivity_, mu / body.liquid->density);
        const Real m = body.liquid ? body.liquid->density * cube(spacing) : 0;
        tension_.push_back(body.liquid ? static_cast<float>(body.liquid->surface_tension / (unit * square(m))) : 0.0f);
    }
}

bool LiquidForces::has_tension() const {
    return std::any_of(tension_.begin(), tension_.end(), [](float k) { return k > 0; });
}

bool LiquidForces::is_thick(Real dt) const {
    return largest_diffusivity_ * dt > thick * square(spacing_);
}

void LiquidForces::set_motion(std::span<const Vec3> v, const NearRows& rows, std::span<const Vec3> boundary) {
    const std::size_t n = rows.particles();
    parallel_for(rows.points(), [&](std::size_t i) {
        const Vec3 u = i < n ? v[i] : boundary.empty() ? Vec3(Vec3::Zero()) : boundary[i - n];
        float* to = &quads_[4 * i];
        to[0] = float(u.x()), to[1] = float(u.y()), to[2] = float(u.z());
    });
}

Vec3 LiquidForces::drag(std::size_t i, const NearRows& rows, Real volume) const {
    using namespace simd;
    const float* place = rows.place().data();
    const Float8 x = repeat_quad(place + 4 * i), v = repeat_quad(&quads_[4 * i]);
    const Float8 mu = spread_lane<3>(v), smallest(float(0.01 * square(support_))), zero(0.0f), half(0.5f);
    Float8 sum(0.0f);
    rows.each_two(i, [&](std::size_t j, std::size_t k, Float8 slopes) {
        const Float8 e = x - load_quads(place, j, k);
        const Float8 other = load_quads(quads_.data(), j, k), w = v - other;
        const Float8 ee = e * e, ew = e * w, mu_j = spread_lane<3>(other);
        const Float8 r2 = spread_lane<0>(ee) + spread_lane<1>(ee) + spread_lane<2>(ee);
        const Float8 approach = spread_lane<0>(ew) + spread_lane<1>(ew) + spread_lane<2>(ew);
        const Float8 pair = select(min(mu, mu_j) > zero, half * (mu + mu_j), max(mu, mu_j));
        sum = fma(e, slopes * pair * approach / (r2 + smallest), sum);
    });
    const Float8 f = sum_quads(sum);
    return 10 * volume * Vec3(f[0], f[1], f[2]);
}

CgReport LiquidForces::apply_viscosity(ParticleState& state, const NearRows& rows, const Boundary& boundary, Real dt,
                                       std::span<PressureSolver::Push> pushes) {
    const std::size_t n = rows.particles();
    resize_discarding(quads_, 4 * rows.points());
    parallel_for(rows.points(), [&](std::size_t i) { quads_[4 * i + 3] = i < n ? viscosity_[state.body[i]] : 0.0f; });
    set_motion(state.velocity, rows, boundary.velocity());
    const auto is_held = [&](std::size_t i) { return state.pin[i] != no_pin; };
    const auto impulse = [&](std::size_t i) -> Vec3 {
        return is_held(i) ? Vec3(Vec3::Zero()) : Vec3(dt * drag(i, rows, state.rest_volume[i]));
    };
    // What rigid bodies get is of the velocities after an implicit step, and before an explicit one.
    if (!is_thick(dt)) {
        change_.resize(n);
        parallel_for(n, [&](std::size_t i) { change_[i] = (impulse(i) / state.mass[i]).cast<float>(); });
        if (!pushes.empty()) push_rigids(state, rows, boundary, pushes);
        parallel_for(n, [&](std::size_t i) { state.velocity[i] += change_[i].cast<Real>(); });
        return {};
    }
    right_.resize(n);
    solution_.resize(n);
    parallel_for(n, [&](std::size_t i) {
        right_[i] = impulse(i);
        solution_[i].setZero();
    });
    const auto multiply = [&](std::span<const Vec3> v, std::span<Vec3> result) {
        set_motion(v, rows, {});
        parallel_for(n,
                     [&](std::size_t i) { result[i] = is_held(i) ? v[i] : Vec3(state.mass[i] * v[i] - impulse(i)); });
    };
    const CgReport report = solver_.solve(
        {multiply, RelativeResidual{tolerance}, no_preconditioner, no_constraints, most_iterations, false, true},
        right_, solution_);
    parallel_for(n, [&](std::size_t i) { state.velocity[i] += solution_[i]; });
    if (!pushes.empty()) push_rigids(state, rows, boundary, pushes);
    return report;
}

// What rigid bodies get is what particles have got, summed one by one: few touch them.
void LiquidForces::push_rigids(const ParticleState& state, const NearRows& rows, const Boundary& boundary,
                               std::span<PressureSolver::Push> pushes) const {
    const std::size_t n = rows.particles();
    const float* place = rows.place().data();
    for (std::size_t i = 0; i < n; ++i) {
        const Real mu = Real(viscosity_[state.body[i]]);
        if (!(mu > 0) || state.pin[i] != no_pin) continue;
        rows.each_sample(i, [&](std::size_t b, float slope) {
            const std::uint32_t body = boundary.rigid(b);
            if (body == Boundary::no_rigid) return;
            const float *a = place + 4 * i, *c = place + 4 * (n + b);
            const Vec3 e(a[0] - c[0], a[1] - c[1], a[2] - c[2]), w = state.velocity[i] - boundary.velocity()[b];
            const Vec3 force = -10 * state.rest_volume[i] * mu * Real(slope) * e.dot(w) /
                               (e.squaredNorm() + 0.01 * square(support_)) * e;
            pushes[body].force += force;
            pushes[body].torque += (boundary.position()[b] - boundary.rigids().centre_of_mass(body)).cross(force);
        });
    }
}

void LiquidForces::apply_tension(ParticleState& state, const NearRows& rows, Real dt) {
    const std::size_t n = rows.particles();
    const float* place = rows.place().data();
    change_.resize(n);
    parallel_for(n, [&](std::size_t i) {
        const Real k_i = Real(tension_[state.body[i]]);
        if (!(k_i > 0)) return;
        Vec3 sum = Vec3::Zero();
        rows.each(i, [&](std::size_t j, float) {
            if (j >= n || state.body[j] != state.body[i]) return;
            const float *a = place + 4 * i, *b = place + 4 * j;
            const Vec3 e(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
            const Real r = e.norm();
            if (r > 0) sum -= state.mass[j] * cohesion(r, support_) / r * e;
        });
        change_[i] = (dt * k_i * sum).cast<float>();
    });
    parallel_for(n, [&](std::size_t i) {
        if (tension_[state.body[i]] > 0) state.velocity[i] += change_[i].cast<Real>();
    });
}

}  // namespace pliant
