#include "pliant/methods/sph/peer2018.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "pliant/base/parallel.h"
#include "pliant/geometry/cell_order.h"
#include "pliant/linear/power_iteration.h"
#include "pliant/math/kernels.h"
#include "pliant/math/svd.h"
#include "pliant/methods/obstacles.h"
#include "pliant/methods/scheduled_material.h"

namespace pliant {
namespace {

constexpr Real support = 2;  // in spacings
constexpr std::uint64_t steps_between_sorts = 100;
constexpr Real explicit_safety = 0.9;   // of the largest stable step
constexpr Real least_share = 0.1;       // of a step, that is taken when velocities have grown during it,
constexpr Real worth_shortening = 0.9;  // unless it is nearly all

struct FrictionOnRigid {
    std::uint32_t body = Boundary::no_rigid;
    Vec3 impulse = Vec3::Zero();  // kg m/s
};

// One for all: pressure compares how densely particles lie.
Real common_spacing(const Model& model) {
    return model.bodies.empty() ? Real(0.01) : model.bodies.front().spacing;
}

bool is_implicit(const SphSettings& s) {
    return s.elasticity == "peer2018" || s.elasticity == "prefactored";
}

ElasticSolids::Options elastic_options(const SphSettings& s) {
    ElasticSolids::Options options;
    options.support = support;
    options.is_corrected = s.elasticity == "stvk" || (is_implicit(s) && s.correction);
    options.strain = s.elasticity == "stvk" ? ElasticSolids::Strain::green : ElasticSolids::Strain::corotated;
    options.zero_energy = s.zero_energy;
    return options;
}

}  // namespace

Peer2018::Peer2018(const SphSettings& settings, const Model& model, std::optional<Real> given_step)
    : settings_(settings),
      model_(model),
      may_shorten_(!given_step),
      spacing_(common_spacing(model)),
      rigids_(model.rigids, model.colliders, model.gravity),
      emitters_(model),
      solids_(model, elastic_options(settings)),
      elastic_solve_(model, settings_, solids_),
      boundary_(model, rigids_, spacing_, support * spacing_),
      rows_(spacing_, support * spacing_),
      keep_out_(model, spacing_),
      pressure_(motion_),
      liquid_forces_(model, spacing_, support * spacing_, motion_),
      medium_forces_(model, spacing_),
      obstacle_speed_(fastest_obstacle(model)) {}

void Peer2018::prepare(const ParticleState& state) {
    std::size_t count = 0;
    while (count < state.size() && !model_.bodies[state.body[count]].liquid) ++count;
    solids_.prepare(state, count);
    elastic_solve_.prepare(state);
    loose_.prepare(model_, solids_);
    pressure_.prepare(state, density_at_rest(state));
    work_.assign(settings_.damping > 0 || !is_implicit(settings_) ? solids_.size() : 0, Vec3::Zero());
    if (!is_implicit(settings_)) frequency_ = largest_frequency(state);
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
    const Real speed = std::max({largest_speed(state), obstacle_speed_, rigids_.largest_speed()});
    Real longest = settings_.largest_step;
    if (speed > 0) longest = std::min(longest, settings_.cfl * spacing_ / speed);
    if (frequency_ > 0) {  // measured with the materials' own stiffness, which schedules change
        Real own = 0, now = 0;
        for (std::size_t m = 0; m < model_.materials.size(); ++m) {
            own = std::max(own, model_.materials[m].moduli.p_wave());
            now = std::max(now, solids_.moduli_of(m).p_wave());
        }
        longest = std::min(longest, explicit_safety * 2 / (frequency_ * std::sqrt(std::max(now / own, Real(1e-6)))));
    }
    return longest;
}

StepReport Peer2018::step(ParticleState& state, Real time, Real dt) {
    StepReport report;
    if (steps_++ % steps_between_sorts == 0) sort_liquids(state);
    if (steps_ == 1) {
        placed_around_ = keep_out_.bodies_inside(state, time);
        elastic_solve_.let_stay_inside(placed_around_);
    }
    follow_schedules(state, time + dt);
    if (may_shorten_) start_.assign(state.velocity.begin(), state.velocity.begin() + std::ptrdiff_t(solids_.size()));
    apply_outer_forces(state, time, dt);
    apply_elasticity(state, time, dt, report);
    if (may_shorten_) {
        dt = shorten(state, time, dt);
        report.taken = dt;
    }
    pour(state, time, dt);
    pushes_.assign(rigids_.size(), {});
    if (settings_.pressure) {
        apply_pressure(state, time, dt, report);
        apply_friction(state);
        if (model_.body_friction > 0 && model_.bodies.size() > 1)
            body_friction_.apply(state, rows_, pressure_, solids_.size(), model_.body_friction, dt);
        keep_out_.stop(state, rows_, time, dt);
    }
    parallel_for(state.size(), [&](std::size_t i) { state.position[i] += dt * state.velocity[i]; });
    for (std::size_t r = 0; r < rigids_.size(); ++r) rigids_.apply_force(r, pushes_[r].force, pushes_[r].torque);
    rigids_.step(time, dt);
    const auto phase = timers.phase("deformation");
    report.yielding = solids_.deform(state, dt);
    if (report.yielding > 0 && solids_.renew(state)) elastic_solve_.rest_changed();
    report.neighbours = settings_.pressure ? rows_.average_count() : solids_.average_count();
    return report;
}

// Elasticity may have made particles faster than the step allows: then the step ends sooner, with as much of the change
// of velocity. Never later, for the solve vouches for no longer one. Returns the step that is taken.
Real Peer2018::shorten(ParticleState& state, Real time, Real dt) {
    const Real share = std::max(largest_timestep(state) / dt, least_share);
    if (!(share < worth_shortening)) return dt;  // what is left of a frame would be a sliver
    const auto poses = poses_of(model_.pins, time, share * dt);
    parallel_for(state.size(), [&](std::size_t i) {
        if (state.pin[i] != no_pin) {
            const PosePair& pose = poses[std::size_t(state.pin[i])];
            state.velocity[i] = carried_velocity(state.position[i], pose.now, pose.next, share * dt);
        } else if (i < solids_.size()) {
            state.velocity[i] = start_[i] + share * (state.velocity[i] - start_[i]);
        } else {
            state.velocity[i] += (share - 1) * dt * model_.gravity;
        }
    });
    return share * dt;
}

std::vector<Moduli> Peer2018::moduli_at(Real time) const {
    std::vector<Moduli> moduli;
    for (std::size_t m = 0; m < model_.materials.size(); ++m) moduli.push_back(scheduled_moduli(model_, m, time));
    return moduli;
}

void Peer2018::follow_schedules(const ParticleState& state, Real time) {
    const Real elapsed = time - std::exchange(scheduled_until_, time);
    if (model_.schedules.empty()) return;
    const auto moduli = moduli_at(time);
    const auto shares = loose_.shares(model_, state, solids_, moduli, elapsed);
    if (solids_.set_moduli(moduli, shares)) elastic_solve_.moduli_changed();
}

void Peer2018::pour(ParticleState& state, Real time, Real dt) {
    if (emitters_.empty()) return;
    pressure_.append(emitters_.emit(state, time, dt));
}

// Particles that are near each other lie near each other in memory; liquids mix, so now and then.
void Peer2018::sort_liquids(ParticleState& state) {
    const std::size_t first = solids_.size();
    if (state.size() <= first) return;
    const auto liquid = cell_order(std::span(state.position).subspan(first), support * spacing_);
    std::vector<std::uint32_t> order(state.size());
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t k = 0; k < liquid.size(); ++k) order[first + k] = static_cast<std::uint32_t>(first + liquid[k]);
    // Body by body, as they were.
    std::stable_sort(order.begin() + std::ptrdiff_t(first), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return state.body[a] < state.body[b]; });
    state.reorder(order);
    pressure_.reorder(order);
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
        Vec3 sum = Vec3::Zero();
        rows.each(i, [&](std::uint32_t j, Real g) { sum += g * (state.velocity[j] - state.velocity[i]); });
        // sum_j g_ij is 3 V_i / h^2 times something near 1: the share of what neighbours differ by
        work_[i] = share * square(spacing_) / (3 * state.rest_volume[i]) * sum;
    });
    parallel_for(solids_.size(), [&](std::size_t i) { state.velocity[i] += work_[i]; });
}

void Peer2018::apply_elasticity(ParticleState& state, Real time, Real dt, StepReport& report) {
    const auto phase = timers.phase("elasticity");
    if (solids_.size() == 0) return;
    if (is_implicit(settings_)) {
        const int before = elastic_solve_.factorisations();
        const CgReport solved = elastic_solve_.solve(state, time, dt);
        const int made = elastic_solve_.factorisations() - before;
        if (made > 0) report.solvers.push_back({"factorisation", made, 0});
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
        if (steps_ == 1) {
            for (std::size_t i = 0; i < solids_.size(); ++i) {
                if (placed_around_[state.body[i]]) pressure_.accept_crowding(i, rows_);
            }
        }
        if (elastic_solve_.holds_contacts()) {  // where pressure would have another opinion of how near they may be
            parallel_for(solids_.size(), [&](std::size_t i) {
                if (rows_.sees_samples(i)) rows_.forget_obstacles(i, boundary_);
            });
        } else {
            pressure_.follow_crowding(rows_);
        }
    }
    {
        const auto phase = timers.phase("forces");
        medium_forces_.apply(state, rows_, time, dt);
    }
    if (state.size() > solids_.size()) {
        const auto phase = timers.phase("liquids");
        if (liquid_forces_.has_tension()) liquid_forces_.apply_tension(state, rows_, dt);
        if (liquid_forces_.has_viscosity()) {
            const CgReport solved = liquid_forces_.apply_viscosity(state, rows_, boundary_, dt, pushes_);
            if (liquid_forces_.is_thick(dt))
                report.solvers.push_back({"viscosity", solved.iterations, solved.residual});
        }
    }
    const auto phase = timers.phase("pressure");
    touches_ = elastic_solve_.touches();
    const auto limits = keep_out_.limits(state, rows_, boundary_, touches_, time, dt);
    const PressureReport solved = pressure_.solve(state, rows_, boundary_, limits, dt, settings_.density_error,
                                                  settings_.most_pressure_iterations);
    report.solvers.push_back({"pressure", solved.iterations, solved.error});
    report.contacts = std::max(solved.contacts, elastic_solve_.contacts());
    for (std::size_t r = 0; r < rigids_.size(); ++r) {
        pushes_[r].force += pressure_.pushes()[r].force;
        pushes_[r].torque += pressure_.pushes()[r].torque;
    }
}

// Coulomb's, by the impulse that the boundary gave in the pressure solve. A particle at a time and after the fact, so
// it never reverses a motion and does not limit the step.
void Peer2018::apply_friction(ParticleState& state) {
    std::vector<FrictionOnRigid> returned(rigids_.empty() ? 0 : solids_.size(), FrictionOnRigid{});
    parallel_for(solids_.size(), [&](std::size_t i) {
        const Vec3& pushed = pressure_.pushed(i);
        const Real normal = pushed.norm();
        if (!(normal > 0) || state.pin[i] != no_pin) return;
        Vec3 carried = Vec3::Zero();
        Real friction = 0, total = 0;
        bool sticks = false;
        std::uint32_t rigid = Boundary::no_rigid;
        rows_.each_sample(i, [&](std::size_t b, float slope) {
            const Real weight = -Real(slope);
            const ContactRule rule = boundary_.rule(b);
            if (boundary_.rigid(b) != Boundary::no_rigid) rigid = boundary_.rigid(b);
            carried += weight * boundary_.velocity()[b];
            friction += weight * (rule.mode == ContactMode::slip ? 0 : rule.friction);
            sticks |= rule.mode == ContactMode::stick;
            total += weight;
        });
        if (!(total > 0)) {  // obstacles are the elastic solve's, and this is what pressure leant on them besides
            const auto touch =
                std::lower_bound(touches_.begin(), touches_.end(), i,
                                 [](const ContactConstraints::Touch& t, std::size_t k) { return t.particle < k; });
            if (touch == touches_.end() || touch->particle != i) return;
            const ContactRule& rule = model_.colliders[touch->collider].rule();
            carried = touch->carried;
            friction = rule.mode == ContactMode::slip ? 0 : rule.friction;
            sticks = rule.mode == ContactMode::stick;
            total = 1;
        }
        const Vec3 n_out = pushed / normal, relative = state.velocity[i] - carried / total;
        const Vec3 along = relative - relative.dot(n_out) * n_out;
        const Real slip = along.norm(), most = sticks ? slip : friction / total * normal;
        if (!(slip > 0)) return;
        const Vec3 change = -std::min(Real(1), most / slip) * along;
        state.velocity[i] += change;
        if (rigid != Boundary::no_rigid) returned[i] = {rigid, -state.mass[i] * change};
    });
    for (std::size_t i = 0; i < returned.size(); ++i) {
        if (returned[i].body == Boundary::no_rigid) continue;
        rigids_.apply_impulse(returned[i].body, returned[i].impulse, state.position[i]);
    }
}

Real Peer2018::largest_frequency(const ParticleState& state) {
    const std::vector<Real> no_mass(solids_.size(), 0);
    const auto multiply = [&](std::span<const Vec3> x, std::span<Vec3> Kx) {
        solids_.multiply(no_mass, 1, false, x, Kx);
    };
    return std::sqrt(largest_eigenvalue(std::span<const Real>(state.mass).first(solids_.size()), multiply));
}

std::vector<Quantity> Peer2018::quantities(const ParticleState& state) const {
    Quantity stress{"stress", "Pa", std::vector<Real>(state.size(), 0)};
    Quantity pressure{"pressure", "Pa", std::vector<Real>(state.size(), 0)};
    parallel_for(state.size(), [&](std::size_t i) {
        pressure.values[i] = pressure_.pressure(i, rows_);
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
    elastic_solve_.save(snapshot);
    loose_.save(snapshot);
    pressure_.save(snapshot);
    rigids_.save(snapshot);
    emitters_.save(snapshot);
    snapshot.put_number("sph.steps", steps_);
    snapshot.put("sph.placed_around", std::vector<std::uint32_t>(placed_around_.begin(), placed_around_.end()));
    snapshot.put_real("sph.scheduled_until", scheduled_until_);
    snapshot.put_real("sph.frequency", frequency_);
}

void Peer2018::restore(const Snapshot& snapshot) {
    solids_.restore(snapshot);
    elastic_solve_.restore(snapshot);
    loose_.restore(snapshot);
    pressure_.restore(snapshot);
    rigids_.restore(snapshot);
    emitters_.restore(snapshot);
    steps_ = snapshot.get_number("sph.steps");
    std::vector<std::uint32_t> placed_around;
    snapshot.get("sph.placed_around", placed_around);
    placed_around_.assign(placed_around.begin(), placed_around.end());
    elastic_solve_.let_stay_inside(placed_around_);
    scheduled_until_ = snapshot.get_real("sph.scheduled_until");
    if (solids_.set_moduli(moduli_at(scheduled_until_))) elastic_solve_.moduli_changed();
    frequency_ = snapshot.get_real("sph.frequency");
}

std::size_t Peer2018::bytes() const {
    return solids_.bytes() + elastic_solve_.bytes() + boundary_.bytes() + rows_.bytes() + pressure_.bytes() +
           liquid_forces_.bytes() + body_friction_.bytes() + motion_.capacity() * 4 +
           (work_.capacity() + start_.capacity()) * sizeof(Vec3);
}

}  // namespace pliant
