#include "pliant/methods/mpm/fang2019.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/methods/obstacles.h"

namespace pliant {
namespace {

constexpr std::uint64_t steps_between_sorts = 64;
// What an implicit step costs, in explicit ones.
constexpr Real worth_of_newton = 11, worth_of_newton_with_flow = 20, worth_of_admm = 30;
constexpr Real explicit_share = 0.5;  // of the time in which sound crosses a cell

// The coarsest body's spacing decides: every body has at least as many particles in a cell as asked for.
Real cell_of(const MpmSettings& settings, const Model& model) {
    Real coarsest = 0;
    for (const BodyModel& body : model.bodies) coarsest = std::max(coarsest, body.spacing);
    return settings.cell * (coarsest > 0 ? coarsest : Real(0.01));
}

}  // namespace

Fang2019::Fang2019(const MpmSettings& settings, Time time, const Model& model, const std::optional<Real>& timestep)
    : settings_(settings),
      time_(time),
      model_(model),
      obstacle_speed_(fastest_obstacle(model)),
      rigids_(model.rigids, model.colliders, model.gravity),
      emitters_(model),
      matter_(model, settings),
      grid_(cell_of(settings, model)),
      contacts_(model, rigids_),
      pairs_(model),
      newton_(settings),
      admm_(settings, newton_),
      is_at_rest_(settings.grid == "rest") {
    if (time == Time::cheaper) choose(timestep);
    if (!rigids_.empty() && is_implicit() && !takes_newton()) {
        throw InputError(
            "the integrator 'admm', which granular matter takes in place of 'newton', knows no rigid bodies that move: "
            "set simulation.integrator = \"explicit\", or leave it out");
    }
    if (!rigids_.empty() && has_two_stages())
        throw InputError("mpm.implicit = \"sdirk2\" knows no rigid bodies that move: leave it out");
}

// As measured: 4 to 12 for Newton's step of elastic and viscous cubes of 1e5 to 1e11 Pa, 6 to 11 for plastic ones up to
// 1e7 and more where it has long paid, 30 for a metal rod of which nearly all flows (bench_mpm, Stiffness and Metal);
// some 25 for that of ADMM on sand. Two stages are two solves. With a step that the scene gives explicit steps are only
// taken where they are stable at it.
void Fang2019::choose(const std::optional<Real>& timestep) {
    const Real h = grid_.cell(), sound = matter_.sound_speed_of_all_times(), most = explicit_share * h / sound;
    const Real implicit = timestep.value_or(settings_.largest_step), steps = implicit / most;
    const Real stages = settings_.implicit == "sdirk2" ? 2 : 1;
    const Real worth = !matter_.has_potential()
                           ? worth_of_admm
                           : stages * (matter_.flows() ? worth_of_newton_with_flow : worth_of_newton);
    const bool must_be = !rigids_.empty() && !matter_.has_potential();  // ADMM knows no rigid bodies
    const bool is_explicit = must_be || (timestep ? *timestep <= most : steps < worth);
    if (must_be && timestep && *timestep > most) {
        throw InputError(fmt::format(
            "granular matter together with rigid bodies takes explicit steps, which are stable up to {:.3g} s: the "
            "scene asks for {:.3g} s. Leave simulation.timestep out, or make it shorter",
            most, *timestep));
    }
    time_ = is_explicit ? Time::symplectic_euler : matter_.has_potential() ? Time::newton : Time::admm;
    const std::string why =
        must_be    ? std::string("granular matter with rigid bodies takes no other")
        : timestep ? fmt::format("the step of {:.3g} s is {} than the {:.3g} s that explicit steps may have", *timestep,
                                 is_explicit ? "no longer" : "longer", most)
                   : fmt::format(
                         "sound needs {:.3g} explicit steps for one implicit step of {:.3g} s, which costs as much as "
                         "about {:g}",
                         std::ceil(steps), implicit, worth);
    choice_ = fmt::format("integrator {}: {}",
                          is_explicit             ? "explicit"
                          : time_ == Time::newton ? "newton"
                                                  : "admm, as granular matter has no potential",
                          why);
}

void Fang2019::prepare(const ParticleState& state) {
    matter_.prepare(state);
    if (is_at_rest_) find_rest_places(state);
    if (!is_implicit()) matter_.find_stress(state);
}

Real Fang2019::largest_timestep(const ParticleState& state) {
    const Real h = grid_.cell(), g = model_.gravity.norm();
    // So that v dt + g dt^2 stays within the share of a cell.
    const Real speed = std::max({largest_speed(state), obstacle_speed_, rigids_.largest_speed()}),
               reach = settings_.cfl * h;
    Real longest = 2 * reach / (speed + std::sqrt(square(speed) + 4 * g * reach) + 1e-300);
    if (is_implicit()) return std::min(longest, settings_.largest_step);
    return std::min(longest, explicit_share * h / (matter_.sound_speed(state, now_) + speed));
}

StepReport Fang2019::step(ParticleState& state, Real time, Real dt) {
    StepReport report;
    if (!emitters_.empty()) {
        const std::size_t added = emitters_.emit(state, time, dt);
        matter_.append(added);
    }
    matter_.follow_schedules(time, dt, state);
    matter_.begin_step(time, dt);
    now_ = time + dt;
    if (state.size() == 0) {  // nothing has been poured yet
        rigids_.step(time, dt);
        return report;
    }
    {
        const auto phase = timers.phase("grid");
        if (!is_laid_) lay_grid(state);
        ++steps_;
    }
    {
        const auto phase = timers.phase("to grid");
        if (settings_.damping > 0) damp(state, dt);
        particles_to_grid(state, dt);
        if (!model_.pins.empty()) drive_pins(state, time, dt);
    }
    if (is_implicit()) release_before_solve();
    advance_grid(state, time, dt, report);
    most_bytes_ = std::max(most_bytes_, bytes_now());
    newton_.release();
    admm_.release();
    {
        const auto phase = timers.phase("to particles");
        grid_to_particles(state, time, dt, report);
    }
    rigids_.step(time, dt);
    report.neighbours = Real(state.size()) / Real(std::max<std::size_t>(1, grid_.node_count()));
    return report;
}

// The grid knows now what particles knew of their velocity fields, and does not sort until the next step: the solve
// takes that memory.
void Fang2019::release_before_solve() {
    most_bytes_ = std::max(most_bytes_, bytes_now());
    matter_.affine = std::vector<Mat3>();
    grid_.release_sort();
}

void Fang2019::lay_grid(ParticleState& state) {
    grid_.build(grid_places(state));
    const bool is_due = is_at_rest_ ? steps_ == 0 : steps_ % steps_between_sorts == 0;
    if (is_due) sort_particles(state);
    if (is_implicit() && !takes_newton()) grid_.find_views();
    if (bodies_meet()) pairs_.lay(grid_, state, rest_);
    is_laid_ = is_at_rest_;
}

// Whole blocks are put between bodies, so that they share no nodes.
void Fang2019::find_rest_places(const ParticleState& state) {
    rest_ = state.position;
    const Real block = SparseGrid::block_width * grid_.cell();
    Real next = -std::numeric_limits<Real>::infinity();  // where the next body may begin
    for (const BodyRange& range : body_ranges(state, model_.bodies.size())) {
        Real low = std::numeric_limits<Real>::infinity(), high = -low;
        for (std::size_t p = range.first; p < range.last; ++p) {
            low = std::min(low, rest_[p].x());
            high = std::max(high, rest_[p].x());
        }
        const Real shift = low < next ? block * std::ceil((next - low) / block) : 0;
        for (std::size_t p = range.first; p < range.last; ++p) rest_[p].x() += shift;
        if (range.size() > 0) next = high + shift + 2 * block;
    }
}

// Body by body, as they were, and within a body as they lie in the grid.
void Fang2019::sort_particles(ParticleState& state) {
    std::vector<std::uint32_t> order = grid_.order();
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return state.body[a] < state.body[b]; });
    state.reorder(order);
    matter_.reorder(order);
    if (is_at_rest_) {
        const std::vector<Vec3> old = rest_;
        parallel_for(order.size(), [&](std::size_t k) { rest_[k] = old[order[k]]; });
    }
    grid_.build(grid_places(state));
}

void Fang2019::advance_grid(const ParticleState& state, Real time, Real dt, StepReport& report) {
    {
        const auto phase = timers.phase("contact");
        if (is_at_rest_ && !(model_.colliders.empty() && rigids_.empty())) find_node_positions(state);
        contacts_.find(grid_, mass_, driven_, time, dt, node_positions_);
        if (bodies_meet()) pairs_.find(grid_, state, dt);
    }
    const auto phase = timers.phase("solve");
    contacts_.append_rigids(velocity_, dt);
    if (is_implicit() || !rigids_.empty()) expected_ = velocity_;
    if (!is_implicit()) {
        if (bodies_meet()) pairs_.apply(state, mass_, dt, velocity_);
        report.contacts = contacts_.apply(mass_, velocity_);
        contacts_.push_rigids(expected_, velocity_, dt, rigids_);
        return;
    }
    if (has_two_stages()) {
        const SolveReport solved = solve_in_two_stages(state, time, dt);
        report.solvers.push_back({"newton", solved.iterations, solved.residual});
        report.solvers.push_back({"products", solved.products, 0});
        report.contacts = contacts_.count();
        return;
    }
    const bool is_newton = takes_newton();
    const GridStep step{grid_, matter_, state, mass_, expected_, dt, {}, met(), is_newton};
    SolveReport solved =
        is_newton ? newton_.solve(step, contacts_, velocity_) : admm_.solve(step, contacts_, velocity_);
    report.solvers.push_back({is_newton ? "newton" : "admm", solved.iterations, solved.residual, solved.looks});
    int products = solved.products;
    if (solved.is_unsafe && matter_.has_potential()) {  // ADMM has failed: Newton begins anew
        velocity_ = expected_;
        solved = newton_.solve(step, contacts_, velocity_);
        report.solvers.push_back({"newton", solved.iterations, solved.residual});
        products += solved.products;
    }
    report.solvers.push_back({"products", products, 0});
    report.contacts = contacts_.count();
    contacts_.push_rigids(expected_, velocity_, dt, rigids_);
}

// With c = 1 - 1/sqrt(2) two steps of backward Euler of length c dt, [Alexander77]'s SDIRK of second order:
//     u1 = v + c dt f(F1),                            F1 = F + dt C(c u1) B
//     u2 = v + (1 - c) dt f(F1) + c dt f(F2),         F2 = F + dt C((1 - c) u1 + c u2) B
// What holds nodes in the first stage is no force that goes on acting in the second: there it is found anew.
SolveReport Fang2019::solve_in_two_stages(const ParticleState& state, Real time, Real dt) {
    const Real c = 1 - std::sqrt(0.5), ratio = (1 - c) / c;
    const std::size_t n = grid_.node_count();
    const std::vector<Vec3> fallen = expected_;  // v + dt g
    const Vec3 late = (1 - c) * dt * model_.gravity;
    parallel_for(n, [&](std::size_t i) {
        if (mass_[i] > 0) expected_[i] -= late;
    });
    first_stage_ = expected_;
    matter_.begin_step(time, c * dt);
    SolveReport first =
        newton_.solve({grid_, matter_, state, mass_, expected_, c * dt, {}, met()}, contacts_, first_stage_);

    travel_.resize(n + 1);
    parallel_for(n + 1, [&](std::size_t i) { travel_[i] = first_stage_[i] - expected_[i]; });
    contacts_.project(travel_);
    parallel_for(n + 1, [&](std::size_t i) {
        expected_[i] = fallen[i] + ratio * travel_[i];
        travel_[i] = ratio * first_stage_[i];
    });
    velocity_ = expected_;
    matter_.begin_step(time, dt);
    SolveReport second =
        newton_.solve({grid_, matter_, state, mass_, expected_, c * dt, travel_, met()}, contacts_, velocity_);

    parallel_for(n + 1, [&](std::size_t i) { travel_[i] = c * (travel_[i] + velocity_[i]); });
    second.iterations += first.iterations;
    second.products += first.products;
    second.residual = std::max(first.residual, second.residual);
    return second;
}

// Within a particle's own velocity field: m h^2/4 |C|^2 / 2, and m h^2/4 times twice the axial vector of C, or of C F^T
// on a grid at rest.     [Jiang15]
Spin Fang2019::spin(const ParticleState& state) const {
    Spin total;
    const Real inertia = square(grid_.cell()) / 4;
    total.energy = parallel_sum(state.size(), Real(0), [&](std::size_t p) {
        return state.mass[p] * inertia / 2 * matter_.affine[p].squaredNorm();
    });
    total.momentum = parallel_sum(state.size(), Vec3(Vec3::Zero()), [&](std::size_t p) {
        const Mat3& C = matter_.affine[p];
        return Vec3(2 * state.mass[p] * inertia * axial(is_at_rest_ ? Mat3(C * state.deformation[p].transpose()) : C));
    });
    return total;
}

std::vector<Quantity> Fang2019::quantities(const ParticleState& state) const {
    const std::size_t n = state.size();
    Quantity stress{"stress", "Pa", std::vector<Real>(n)}, pressure{"pressure", "Pa", std::vector<Real>(n)};
    parallel_for(n, [&](std::size_t p) {
        const Mat3 cauchy = matter_.kirchhoff(state, p) / std::max(state.deformation[p].determinant(), 1e-3);
        stress.values[p] = von_mises_stress(cauchy);
        pressure.values[p] = -cauchy.trace() / 3;
    });
    return {stress, pressure};
}

void Fang2019::save(Snapshot& snapshot) const {
    matter_.save(snapshot);
    emitters_.save(snapshot);
    rigids_.save(snapshot);
    snapshot.put("mpm.rest", rest_);
    snapshot.put_number("mpm.steps", steps_);
    snapshot.put_real("mpm.now", now_);
}

void Fang2019::restore(const Snapshot& snapshot) {
    matter_.restore(snapshot);
    emitters_.restore(snapshot);
    rigids_.restore(snapshot);
    std::vector<Vec3> rest;
    snapshot.get("mpm.rest", rest);
    if (rest.size() != rest_.size())
        throw InputError("the checkpoint was made with another mpm.grid: the scene has changed since");
    rest_ = std::move(rest);
    is_laid_ = false;
    steps_ = snapshot.get_number("mpm.steps");
    now_ = snapshot.get_real("mpm.now");
}

std::size_t Fang2019::bytes_now() const {
    return matter_.bytes() + grid_.bytes() + pairs_.bytes() + newton_.bytes() + admm_.bytes() +
           mass_.capacity() * sizeof(Real) +
           (velocity_.capacity() + expected_.capacity() + rest_.capacity() + node_positions_.capacity() +
            first_stage_.capacity() + travel_.capacity()) *
               sizeof(Vec3) +
           driven_.capacity() * sizeof(NodeVector);
}

}  // namespace pliant
