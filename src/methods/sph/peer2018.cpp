#include "pliant/methods/sph/peer2018.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/math/kernels.h"
#include "pliant/math/svd.h"
#include "pliant/methods/obstacles.h"

namespace pliant {
namespace {

constexpr Real support = 2;            // in spacings
constexpr int power_iterations = 40;   // for the largest frequency
constexpr Real explicit_safety = 0.9;  // of the largest stable step

// One for all: pressure compares how densely particles lie.
Real common_spacing(const Model& model) {
    return model.bodies.empty() ? Real(0.01) : model.bodies.front().spacing;
}

ElasticSolids::Options elastic_options(const SphSettings& s) {
    ElasticSolids::Options options;
    options.support = support;
    options.is_corrected = s.elasticity == "stvk" || (s.elasticity == "peer2018" && s.correction);
    options.strain = s.elasticity == "stvk" ? ElasticSolids::Strain::green : ElasticSolids::Strain::corotated;
    options.zero_energy = s.zero_energy;
    return options;
}

}  // namespace

Peer2018::Peer2018(const SphSettings& settings, const Model& model)
    : settings_(settings),
      model_(model),
      spacing_(common_spacing(model)),
      solids_(model, elastic_options(settings)),
      elastic_solve_(model, settings_, solids_),
      boundary_(model, spacing_, support * spacing_),
      rows_(spacing_, support * spacing_),
      obstacle_speed_(fastest_obstacle(model)) {}

void Peer2018::prepare(const ParticleState& state) {
    solids_.prepare(state, state.size());
    elastic_solve_.prepare(state);
    pressure_.prepare(state, density_at_rest(state));
    work_.assign(solids_.size(), Vec3::Zero());
    if (settings_.elasticity != "peer2018") frequency_ = largest_frequency(state);
}

std::vector<float> Peer2018::density_at_rest(const ParticleState& state) const {
    std::vector<float> density(state.size(), 0);
    const Real H = rows_.support();
    NeighbourSearch search;
    NeighbourLists near;
    for (const BodyRange& range : body_ranges(state, model_.bodies.size())) {
        if (range.first >= solids_.size() || range.size() == 0) continue;
        search.find(std::span(state.position).subspan(range.first, range.size()), H, near);
        parallel_for(range.size(), [&](std::size_t k) {
            const std::size_t i = range.first + k;
            Real sum = state.rest_volume[i] * WendlandC2Kernel::value(0.0, H);
            for (const std::uint32_t other : near[k]) {
                const std::size_t j = range.first + other;
                sum +=
                    state.rest_volume[j] * WendlandC2Kernel::value((state.position[j] - state.position[i]).norm(), H);
            }
            density[i] = static_cast<float>(rows_.kernel_scale() * sum);
        });
    }
    return density;
}

Real Peer2018::largest_timestep(const ParticleState& state) {
    const Real speed = std::max(largest_speed(state), obstacle_speed_);
    Real longest = settings_.largest_step;
    if (speed > 0) longest = std::min(longest, settings_.cfl * spacing_ / speed);
    if (frequency_ > 0) longest = std::min(longest, explicit_safety * 2 / frequency_);
    return longest;
}

StepReport Peer2018::step(ParticleState& state, Real time, Real dt) {
    StepReport report;
    apply_outer_forces(state, time, dt);
    apply_elasticity(state, dt, report);
    if (settings_.pressure) {
        apply_pressure(state, time, dt, report);
        apply_friction(state);
    }
    parallel_for(state.size(), [&](std::size_t i) { state.position[i] += dt * state.velocity[i]; });
    const auto phase = timers.phase("deformation");
    report.yielding = solids_.deform(state, dt);
    report.neighbours = settings_.pressure ? rows_.average_count() : solids_.average_count();
    return report;
}

void Peer2018::apply_outer_forces(ParticleState& state, Real time, Real dt) {
    const auto phase = timers.phase("forces");
    const auto poses = poses_of(model_.pins, time, dt);
    smooth_velocities(state, dt);
    parallel_for(state.size(), [&](std::size_t i) {
        if (state.pin[i] == no_pin) {
            state.velocity[i] += dt * model_.gravity;
        } else {
            const PosePair& pose = poses[std::size_t(state.pin[i])];
            state.velocity[i] = carried_velocity(state.position[i], pose.now, pose.next, dt);
        }
    });
}

// XSPH over the neighbours at rest, per second and not per step. The pairs' weights are those of the gradients, which
// are symmetric, so that momentum is kept.
void Peer2018::smooth_velocities(ParticleState& state, Real dt) {
    if (!(settings_.damping > 0)) return;
    const Real share = 1 - std::exp(-settings_.damping * dt);
    const ElasticRows& rows = solids_.rows();
    parallel_for(solids_.size(), [&](std::size_t i) {
        const auto index = rows.indices(i);
        const auto weight = rows.weights(i);
        Vec3 sum = Vec3::Zero();
        for (std::size_t k = 0; k < index.size(); ++k) {
            sum += Real(weight[k]) * (state.velocity[index[k]] - state.velocity[i]);
        }
        // sum_j g_ij is 3 V_i / h^2 times something near 1: the share of what neighbours differ by
        work_[i] = share * square(spacing_) / (3 * state.rest_volume[i]) * sum;
    });
    parallel_for(solids_.size(), [&](std::size_t i) { state.velocity[i] += work_[i]; });
}

void Peer2018::apply_elasticity(ParticleState& state, Real dt, StepReport& report) {
    const auto phase = timers.phase("elasticity");
    if (solids_.size() == 0) return;
    if (settings_.elasticity == "peer2018") {
        const CgReport solved = elastic_solve_.solve(state, dt);
        report.solvers.push_back({"elasticity", solved.iterations, elastic_solve_.residual()});
        return;
    }
    solids_.forces(std::span(state.position).first(solids_.size()), work_);
    parallel_for(solids_.size(), [&](std::size_t i) {
        if (state.pin[i] == no_pin) state.velocity[i] += dt / state.mass[i] * work_[i];
    });
}

void Peer2018::apply_pressure(ParticleState& state, Real time, Real dt, StepReport& report) {
    {
        const auto phase = timers.phase("neighbours");
        rows_.update(state, boundary_, time, dt);
    }
    const auto phase = timers.phase("pressure");
    const PressureReport solved =
        pressure_.solve(state, rows_, boundary_, dt, settings_.density_error, settings_.most_pressure_iterations);
    report.solvers.push_back({"pressure", solved.iterations, solved.error});
}

// Coulomb's, by the impulse that the boundary gave in the pressure solve. A particle at a time and after the fact, so
// it never reverses a motion and does not limit the step.
void Peer2018::apply_friction(ParticleState& state) {
    const std::size_t n = state.size();
    parallel_for(std::min(n, solids_.size()), [&](std::size_t i) {
        const Vec3& pushed = pressure_.pushed(i);
        const Real normal = pushed.norm();
        if (!(normal > 0) || state.pin[i] != no_pin) return;
        Vec3 carried = Vec3::Zero();
        Real friction = 0, total = 0;
        bool sticks = false;
        for (std::size_t k = rows_.begin(i); k < rows_.end(i); ++k) {
            if (rows_.index()[k] < n) continue;
            const std::size_t b = rows_.index()[k] - n;
            const Real weight = -Real(rows_.slope()[k]);
            const ContactRule& rule = boundary_.rule(b);
            carried += weight * boundary_.velocity()[b];
            friction += weight * (rule.mode == ContactMode::slip ? 0 : rule.friction);
            sticks |= rule.mode == ContactMode::stick;
            total += weight;
        }
        if (!(total > 0)) return;
        const Vec3 n_out = pushed / normal, relative = state.velocity[i] - carried / total;
        const Vec3 along = relative - relative.dot(n_out) * n_out;
        const Real slip = along.norm(), most = sticks ? slip : friction / total * normal;
        if (slip > 0) state.velocity[i] -= std::min(Real(1), most / slip) * along;
    });
}

// sqrt of the largest eigenvalue of M^-1 K, by power iteration from a rough start.
Real Peer2018::largest_frequency(const ParticleState& state) {
    const std::size_t n = solids_.size();
    std::vector<Vec3> x(n), Kx(n);
    const std::vector<Real> no_mass(n, 0);
    std::uint32_t seed = 1;
    for (Vec3& v : x) {
        for (int d = 0; d < 3; ++d) {
            seed = seed * 1664525u + 1013904223u;
            v[d] = Real(seed >> 8) / Real(1 << 24) - 0.5;
        }
    }
    Real largest = 0;
    for (int k = 0; k < power_iterations; ++k) {
        const Real size = std::sqrt(parallel_sum(n, Real(0), [&](std::size_t i) { return x[i].squaredNorm(); }));
        if (!(size > 0)) return 0;
        largest = k > 0 ? std::max(largest, size) : 0;
        parallel_for(n, [&](std::size_t i) { x[i] /= size; });
        solids_.multiply(no_mass, 1, false, x, Kx);
        parallel_for(n, [&](std::size_t i) { x[i] = Kx[i] / state.mass[i]; });
    }
    return std::sqrt(largest);
}

std::vector<Quantity> Peer2018::quantities(const ParticleState& state) const {
    Quantity stress{"stress", "Pa", std::vector<Real>(state.size(), 0)};
    Quantity pressure{"pressure", "Pa", std::vector<Real>(state.size(), 0)};
    parallel_for(state.size(), [&](std::size_t i) {
        pressure.values[i] = pressure_.pressure(i);
        if (i >= solids_.size()) return;
        const Svd F = svd(state.deformation[i]);
        const Mat3 kirchhoff = kirchhoff_stress(CorotatedElasticity{solids_.moduli(i)}, F);
        const Real J = F.sigma.prod();
        stress.values[i] = von_mises_stress(J > 1e-6 ? Mat3(kirchhoff / J) : kirchhoff);
    });
    return {std::move(stress), std::move(pressure), {"plastic_strain", "", state.plastic_strain}};
}

void Peer2018::save(Snapshot& snapshot) const {
    solids_.save(snapshot);
    pressure_.save(snapshot);
    snapshot.put_real("sph.frequency", frequency_);
}

void Peer2018::restore(const Snapshot& snapshot) {
    solids_.restore(snapshot);
    pressure_.restore(snapshot);
    frequency_ = snapshot.get_real("sph.frequency");
}

std::size_t Peer2018::bytes() const {
    return solids_.bytes() + elastic_solve_.bytes() + boundary_.bytes() + rows_.bytes() + pressure_.bytes() +
           work_.capacity() * sizeof(Vec3);
}

}  // namespace pliant
